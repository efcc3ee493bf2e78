"use strict";
(() => {
  const media = document.getElementById("media");
  if (!media) return;

  // Where the time axis of the lanes begins and ends, in parts of the picture's width.
  const LEFT = 96 / 1216;
  const RIGHT = 1152 / 1216;
  const lanes = document.getElementById("lanes");
  const picture = lanes && lanes.querySelector("img");
  const playhead = document.getElementById("playhead");
  const list = document.getElementById("stretches");
  const stretches = list ? [...list.children] : [];
  const starts = stretches.map((one) => Number(one.dataset.start));
  const at = document.getElementById("at");
  let now = null;

  const seek = (second) => {
    media.currentTime = second;
    media.play().catch(() => {});
  };

  const clock = (second) => {
    const whole = Math.floor(second);
    const two = (number) => String(number).padStart(2, "0");
    const hours = Math.floor(whole / 3600);
    const minutes = Math.floor(whole / 60) % 60;
    return (hours ? hours + ":" + two(minutes) : minutes) + ":" + two(whole % 60);
  };

  // The stretch that is said at a second: the last one that has begun, while it lasts.
  const said = (second) => {
    let low = 0;
    let high = starts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (starts[middle] <= second) low = middle + 1;
      else high = middle;
    }
    const one = stretches[low - 1];
    return one && second < Number(one.dataset.end) ? one : null;
  };

  const follow = () => {
    const second = media.currentTime;
    const one = said(second);
    if (one !== now) {
      if (now) {
        now.classList.remove("now");
        now.removeAttribute("aria-current");
      }
      now = one;
      if (now) {
        now.classList.add("now");
        now.setAttribute("aria-current", "true");
        // Only the list moves, and not under the fingers of somebody who reads elsewhere in it.
        if (!list.matches(":hover, :focus-within")) {
          list.scrollTop = now.offsetTop - (list.clientHeight - now.clientHeight) / 2;
        }
      }
    }
    if (playhead && media.duration) {
      const part = LEFT + (RIGHT - LEFT) * (second / media.duration);
      playhead.style.left = part * picture.clientWidth + "px";
      playhead.hidden = false;
    }
  };
  media.addEventListener("timeupdate", follow);
  media.addEventListener("seeked", follow);

  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[href*='?t=']");
    if (!link) return;
    event.preventDefault();
    seek(Number(new URL(link.href).searchParams.get("t")));
  });

  if (picture) {
    picture.addEventListener("click", (event) => {
      const part = (event.offsetX / picture.clientWidth - LEFT) / (RIGHT - LEFT);
      if (media.duration && part >= 0 && part <= 1) seek(part * media.duration);
    });
  }

  if (lanes) {
    lanes.setAttribute("aria-label", "Waveform. The left and right arrow keys go five seconds back and on.");
    lanes.addEventListener("keydown", (event) => {
      const by = { ArrowLeft: -5, ArrowRight: 5 }[event.key];
      if (!by || !media.duration || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      media.currentTime = Math.min(Math.max(media.currentTime + by, 0), media.duration);
    });
  }

  // A comment is about the moment that is shown when somebody begins to write it.
  const text = document.getElementById("text");
  if (at && text) {
    text.addEventListener("focus", () => {
      if (!at.value && media.currentTime > 0) at.value = clock(media.currentTime);
    });
  }
})();
