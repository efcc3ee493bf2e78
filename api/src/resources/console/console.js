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
  const copy = async (node) => {
    const range = document.createRange();
    range.selectNodeContents(node);
    getSelection().removeAllRanges();
    getSelection().addRange(range);
    try {
      await navigator.clipboard.writeText(node.textContent);
      return "Copied";
    } catch {
      return "Selected";
    }
  };

  const addCopying = (within) => {
    for (const code of within.querySelectorAll("[data-copy]")) {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "plain";
      button.textContent = "Copy";
      button.addEventListener("click", async () => {
        button.textContent = await copy(code);
      });
      code.after(" ", button);
    }
  };

  // Pages come with times of UTC. Whoever wants those of their own place switches, and the browser keeps that.
  const zone = document.getElementById("zone");
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  let isLocal = false;
  const showTimes = (within) => {
    for (const time of within.querySelectorAll("time")) {
      const utc = time.dateTime.slice(0, 19).replace("T", " ");
      time.textContent = isLocal ? new Date(time.dateTime).toLocaleString("sv-SE") : utc;
      time.title = utc + " UTC";
    }
  };
  const switchZone = (toLocal) => {
    isLocal = toLocal;
    zone.textContent = "Times: " + (isLocal ? own : "UTC");
    document.getElementById("times").textContent = "Times are " + (isLocal ? "those of " + own : "UTC");
    showTimes(document);
  };
  zone.hidden = false;
  zone.addEventListener("click", () => {
    switchZone(!isLocal);
    try {
      localStorage.setItem("mws-times", isLocal ? "local" : "utc");
    } catch {}
  });
  try {
    switchZone(localStorage.getItem("mws-times") === "local");
  } catch {
    switchZone(false);
  }

  const say = (state, words) => {
    live.textContent = words;
    live.dataset.liveState = state;
  };

  // Nothing moves under the pointer or the fingers: what changed there is put in once they have gone.
  const isBusy = (part) => part.matches(":hover") || part.contains(document.activeElement);

  // What was folded open stays so.
  const change = (node, html) => {
    const open = [...node.querySelectorAll("details")].map((one) => one.open);
    node.innerHTML = html;
    node.querySelectorAll("details").forEach((one, index) => {
      if (index < open.length) one.open = open[index];
    });
    addCopying(node);
    showTimes(node);
  };

  // The rows of a list by what their first cells say, which is an id.
  const rowsOf = (part) => new Map([...part.querySelectorAll("tbody tr")].map((row) => [row.cells[0].textContent, row]));

  // How many rows of a list are new, as a link that loads them. Into an empty list they come by themselves.
  const countNew = (part, next) => {
    if (!part.matches("[data-list]")) return 0;
    const here = rowsOf(part);
    const there = rowsOf(next);
    const many = [...there.keys()].filter((key) => !here.has(key)).length;
    if (!here.size || !many) return 0;
    let link = part.querySelector(".fresh");
    if (!link) {
      link = document.createElement("a");
      link.className = "fresh";
      link.href = location.pathname + location.search;
      part.querySelector("h2").append(" ", link);
    }
    link.textContent = many + (many === there.size ? " or more new" : " new");
    return many;
  };

  // The rows that are shown stay where they are, as they are now.
  const changeRows = (part, next) => {
    const there = rowsOf(next);
    for (const [key, row] of rowsOf(part)) {
      if (there.has(key)) change(row, there.get(key).innerHTML);
    }
  };

  const put = (page) => {
    let waits = false;
    for (const part of parts()) {
      const next = page.getElementById(part.id);
      if (!next || next.innerHTML === was.get(part.id)) continue;
      const many = countNew(part, next);
      if (isBusy(part)) waits = true;
      else if (many) changeRows(part, next);
      else {
        was.set(part.id, next.innerHTML);
        change(part, next.innerHTML);
      }
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

  // Whoever speaks to a computer, or rests a hand on it, turns single keys off; the browser keeps that.
  const help = document.getElementById("help");
  const keys = document.getElementById("keys");
  const single = document.getElementById("single");
  try {
    single.checked = localStorage.getItem("mws-keys") !== "off";
  } catch {}
  single.addEventListener("change", () => {
    try {
      localStorage.setItem("mws-keys", single.checked ? "on" : "off");
    } catch {}
  });
  keys.hidden = false;
  keys.addEventListener("click", () => help.showModal());
  document.getElementById("close").addEventListener("click", () => help.close());

  // The first link of each row is the row's own.
  const move = (by) => {
    const rows = [...document.querySelectorAll("tbody tr")].filter((row) => row.querySelector("a"));
    const here = rows.findIndex((row) => row.contains(document.activeElement));
    rows[Math.min(Math.max(here + by, 0), rows.length - 1)]?.querySelector("a").focus();
  };

  const copyId = async () => {
    const row = document.activeElement.closest("tbody tr");
    const id = row ? row.querySelector("a") : document.querySelector("h1 .id");
    if (id) say(live.dataset.liveState, (await copy(id)).toLowerCase());
  };

  const actions = {
    "?": () => help.showModal(),
    "/": () => document.getElementById("find").focus(),
    j: () => move(1),
    k: () => move(-1),
    c: copyId,
    r: () => document.querySelector("[data-key=r]")?.click(),
    p: () => live.hidden || toggle(),
  };

  // When `g` was pressed: the key after it leads to a page.
  let going = 0;
  const isTyping = (target) => target.closest("input, select, textarea, [contenteditable]");
  document.addEventListener("keydown", (event) => {
    const { key } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    if (help.open || !single.checked) return;
    const page = Date.now() - going < 1500 && document.querySelector(`[data-go="${CSS.escape(key)}"]`);
    going = key === "g" ? Date.now() : 0;
    if (!page && !Object.hasOwn(actions, key)) return;
    event.preventDefault();
    if (page) page.click();
    else actions[key]();
  });

  // What is said and seen is played from there. Without script its link opens the media at that time.
  const media = document.getElementById("media");
  document.addEventListener("click", (event) => {
    const place = media && event.target.closest("[data-at]");
    if (!place || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    media.currentTime = Number(place.dataset.at);
    media.play().catch(() => {});
  });

  addCopying(document);
})();
