"use strict";
(() => {
  const EVERY = 5000;
  const live = document.getElementById("live");
  const pause = document.getElementById("pause");
  const parts = () => [...document.querySelectorAll("[data-live]")];
  // What each part was, as the server wrote it: what stands in the page has been opened and added to since.
  const was = new Map(parts().map((part) => [part.id, part.innerHTML]));
  let paused = false;
  let fresh = Date.now();
  let held = null;

  // The clipboard is there over https and on this machine alone; elsewhere the text is selected, to be copied by hand.
  const addCopying = (within) => {
    for (const code of within.querySelectorAll("[data-copy]")) {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "plain";
      button.textContent = "Copy";
      button.addEventListener("click", async () => {
        const range = document.createRange();
        range.selectNodeContents(code);
        getSelection().removeAllRanges();
        getSelection().addRange(range);
        try {
          await navigator.clipboard.writeText(code.textContent);
          button.textContent = "Copied";
        } catch {
          button.textContent = "Selected";
        }
      });
      code.after(" ", button);
    }
  };

  const say = (state, words) => {
    live.textContent = words;
    live.dataset.liveState = state;
  };

  // Nothing moves under the pointer or the fingers: what changed there is put in once they have gone.
  const isBusy = (part) => part.matches(":hover") || part.contains(document.activeElement);

  // What was folded open stays so.
  const change = (part, html) => {
    const open = [...part.querySelectorAll("details")].map((one) => one.open);
    was.set(part.id, html);
    part.innerHTML = html;
    part.querySelectorAll("details").forEach((one, index) => {
      if (index < open.length) one.open = open[index];
    });
    addCopying(part);
  };

  const put = (page) => {
    let waits = false;
    for (const part of parts()) {
      const next = page.getElementById(part.id);
      if (!next || next.innerHTML === was.get(part.id)) continue;
      if (isBusy(part)) waits = true;
      else change(part, next.innerHTML);
    }
    held = waits ? page : null;
    say("live", waits ? "live, changes wait" : "live");
  };

  const look = async () => {
    if (paused || document.hidden) return;
    try {
      const answer = await fetch(location.href, { headers: { accept: "text/html" }, redirect: "error" });
      if (answer.status === 401) return say("stale", "signed out");
      if (!answer.ok) throw new Error();
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      if (paused) return;
      fresh = Date.now();
      put(page);
    } catch {
      say("stale", "stale " + Math.round((Date.now() - fresh) / 1000) + " s");
    }
  };

  const toggle = () => {
    paused = !paused;
    pause.textContent = paused ? "Go on" : "Pause";
    say(paused ? "paused" : "live", paused ? "paused" : "live");
    if (!paused) look();
  };

  if (live && parts().length) {
    live.hidden = pause.hidden = false;
    live.setAttribute("role", "status");
    live.setAttribute("aria-live", "off");
    pause.addEventListener("click", toggle);
    setInterval(look, EVERY);
    document.addEventListener("pointerout", () => held && !paused && put(held));
    document.addEventListener("focusout", () => setTimeout(() => held && !paused && put(held), 0));
  }

  const isTyping = (target) => target.closest("input, select, textarea, [contenteditable]");
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    if (event.key === "/") {
      event.preventDefault();
      document.getElementById("find").focus();
    } else if (event.key === "p" && live && !live.hidden) {
      toggle();
    }
  });

  addCopying(document);
})();
