// Keeps the board up to date: the server pushes all sections, and the page replaces those that changed.
"use strict";
(() => {
  const FIRST_WAIT_MS = 400;
  const LONGEST_WAIT_MS = 5000;
  const POLL_MS = 5000;
  const OPENING_MS = 5000; // the server sends the board at once
  const SETTLE_MS = 300;
  const words = JSON.parse(document.body.dataset.words);
  const board = document.getElementById("board");
  const note = document.getElementById("link");
  const SILENCE_MS = Number(board.dataset.silence || 40000); // the server sends something every 15 s, or every 3 s to the overlay
  let source = null;
  let retry = 0;
  let watchdog = 0;
  let opening = 0;
  let waitMs = FIRST_WAIT_MS;
  let replacedMs = 0; // when a section changed last
  let newest = 0; // number of the newest event or request; an older answer is ignored

  // A hidden page leaves the few connections of the browser to the page that is shown.
  function connect() {
    disconnect();
    if (document.hidden) return;
    source = new EventSource(board.dataset.live);
    source.addEventListener("board", (event) => { onHeard(); newest += 1; replaceChanged(event.data); });
    source.addEventListener("beat", onHeard);
    source.addEventListener("error", onLost);
    watchdog = setTimeout(onLost, SILENCE_MS);
    opening = setTimeout(onLate, OPENING_MS);
  }

  function disconnect() {
    clearTimeout(retry);
    clearTimeout(watchdog);
    clearTimeout(opening);
    if (source) source.close();
  }

  function onHeard() {
    waitMs = FIRST_WAIT_MS;
    clearTimeout(watchdog);
    clearTimeout(opening);
    watchdog = setTimeout(onLost, SILENCE_MS);
    showNote("");
  }

  // A stream that opens slowly is kept if the server answers.
  async function onLate() {
    if (await poll()) return;
    showNote(words.lost);
    onLost();
  }

  // Without a stream the page polls: either too many streams are open, or the server cannot be reached.
  async function onLost() {
    disconnect();
    retry = setTimeout(connect, waitMs * (0.75 + Math.random() / 2));
    waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS);
    showNote(await poll() ? "" : words.lost);
  }

  // Polls once and returns whether the server has answered or sent an event.
  async function poll() {
    newest += 1;
    const number = newest;
    try {
      const answer = await fetch(board.dataset.poll, { cache: "no-store", signal: AbortSignal.timeout?.(POLL_MS) });
      const text = await answer.text();
      if (answer.ok && number === newest) replaceChanged(text);
      return answer.ok || number !== newest;
    } catch {
      return number !== newest;
    }
  }

  window.pollBoard = poll;

  // Polls what a tap did if no event shows it: a stream may stall without an error, and then it is opened again.
  async function showActed({ detail }) {
    const sentMs = detail?.sentMs ?? performance.now();
    const seemsOpen = source?.readyState === EventSource.OPEN;
    if (seemsOpen) await new Promise((done) => { setTimeout(done, window.drawMs); });
    if (seemsOpen && replacedMs >= sentMs) return;
    await poll();
    if (seemsOpen && replacedMs >= sentMs) connect();
  }

  function showNote(text) {
    if (note.textContent !== text) note.textContent = text;
    note.hidden = !text;
  }

  function replaceChanged(html) {
    const template = document.createElement("template");
    template.innerHTML = html;
    if (template.content.querySelector("[data-build]")?.dataset.build !== board.dataset.build) {
      disconnect(); // Traykeeper was updated
      reload();
      return;
    }
    const stepBefore = step();
    for (const fresh of template.content.querySelectorAll(".section")) {
      const current = document.getElementById(fresh.id);
      if (current && current.dataset.digest !== fresh.dataset.digest) replace(current, fresh);
    }
    if (step() !== stepBefore && step() !== window.ownStep?.()) settle(document.getElementById("steps"));
    loadForMatch();
    // A board that was opened during a match has not loaded what the form for the next match needs.
    if (document.getElementById("new-match") && !window.changedOptions) reload();
    document.dispatchEvent(new Event("swapped"));
  }

  function reload() {
    document.dispatchEvent(new Event("reloads"));
    location.reload();
  }

  // A board without one of its scripts takes no tap, so it is loaded again as soon as the server answers.
  async function mend() {
    if (!document.body.dataset.own || (window.post && window.shownStep && window.mayPost)) return;
    disconnect();
    showNote(words.lost);
    await new Promise((done) => { setTimeout(done, LONGEST_WAIT_MS); });
    if (await poll()) reload();
    else mend();
  }

  // Loads the scripts that a page without a match and a photo does not need.
  function loadForMatch() {
    if (!document.querySelector(".hero, [data-enlarge], [data-picture]")) return;
    for (const later of document.querySelectorAll("[data-during-match]")) {
      document.head.append(Object.assign(document.createElement("script"), { src: later.dataset.duringMatch }));
      later.remove();
    }
  }

  function replace(current, fresh) {
    replacedMs = performance.now();
    const focused = current.contains(document.activeElement) && document.activeElement;
    const opened = [...current.querySelectorAll("details[open]")].map((details) => details.id);
    const unfolded = [...current.querySelectorAll("[aria-expanded=true]")].map((button) => button.id);
    keepImage(current, fresh);
    markNewThrow(current, fresh);
    const labelsBefore = labels(current);
    current.replaceChildren(...fresh.childNodes);
    if (labels(current) !== labelsBefore) settle(current);
    current.hidden = fresh.hidden;
    current.dataset.digest = fresh.dataset.digest;
    for (const id of opened) document.getElementById(id)?.setAttribute("open", "");
    for (const id of unfolded) document.getElementById(id)?.click();
    if (focused) restoreFocus(focused.id);
  }

  // A tap just after a button has changed was meant for what it said before, so it is ignored.
  const settling = new Map();

  function settle(section) {
    if (!section) return;
    clearTimeout(settling.get(section));
    section.dataset.settling = "";
    settling.set(section, setTimeout(() => { delete section.dataset.settling; }, SETTLE_MS));
  }

  // What the buttons of a section are for: their words, and the die that is selected on the photo.
  const labels = (section) => [...section.querySelectorAll("[data-post], .seen[aria-pressed=true]")]
    .map(({ textContent, dataset }) => textContent + dataset.photo).join("\n");
  const step = () => Number(document.querySelector("[data-step]")?.dataset.step);

  // If the focused element is gone or hidden, focus the board; otherwise Tab would start at the top of the page.
  function restoreFocus(id) {
    document.getElementById(id)?.focus({ preventScroll: true });
    if (document.activeElement === document.body) board.focus({ preventScroll: true });
  }

  // Keeps the image element of an unchanged photo, which would flicker if it loaded again.
  function keepImage(current, fresh) {
    const now = current.querySelector("img");
    const next = fresh.querySelector("img");
    if (now && next && now.src === new URL(next.getAttribute("src"), location).href) {
      next.replaceWith(now);
    }
  }

  function markNewThrow(current, fresh) {
    const next = fresh.querySelector("[data-fresh]");
    const now = current.querySelector("[data-fresh]");
    if (next && next.dataset.fresh !== now?.dataset.fresh) next.classList.add("fresh");
    const highlight = fresh.querySelector("[data-highlight]");
    if (highlight && highlight.textContent !== current.querySelector("[data-highlight]")?.textContent) highlight.classList.add("arrives");
  }

  // A sleeping phone loses its stream without an error, so it always reconnects.
  document.addEventListener("visibilitychange", connect);
  addEventListener("online", connect);
  addEventListener("pagehide", disconnect);
  addEventListener("pageshow", (event) => { if (event.persisted) connect(); });
  document.addEventListener("acted", showActed);
  addEventListener("DOMContentLoaded", mend); // all scripts have run
  connect();
})();
