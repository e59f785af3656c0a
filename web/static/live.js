// Keeps the board live: the server pushes sections, the page swaps those whose digest changed.
"use strict";
(() => {
  const FIRST_WAIT_MS = 400;
  const LONGEST_WAIT_MS = 5000;
  const POLL_MS = 5000;
  const SILENCE_MS = 40000; // the server is heard every 15 s, or it is gone
  const words = JSON.parse(document.body.dataset.words);
  const board = document.getElementById("board");
  const note = document.getElementById("link");
  let source = null;
  let retry = 0;
  let watchdog = 0;
  let waitMs = FIRST_WAIT_MS;
  let newest = 0; // counts what was heard and asked: an answer that was overtaken is an old one

  function connect() {
    disconnect();
    source = new EventSource(board.dataset.live);
    source.addEventListener("board", (event) => { alive(); newest += 1; swap(event.data); });
    source.addEventListener("beat", alive);
    source.addEventListener("error", lost);
    watchdog = setTimeout(lost, SILENCE_MS);
  }

  function disconnect() {
    clearTimeout(retry);
    clearTimeout(watchdog);
    if (source) source.close();
  }

  function alive() {
    waitMs = FIRST_WAIT_MS;
    clearTimeout(watchdog);
    watchdog = setTimeout(lost, SILENCE_MS);
    say("");
  }

  // No stream: either too many are open, then asking now and then does, or the table is away.
  async function lost() {
    disconnect();
    document.dispatchEvent(new Event("lost"));
    retry = setTimeout(connect, waitMs * (0.75 + Math.random() / 2));
    waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS);
    say(await poll() ? "" : words.lost);
  }

  // Whether the table answers; one that was heard meanwhile does.
  async function poll() {
    newest += 1;
    const mine = newest;
    try {
      const answer = await fetch(board.dataset.poll, { cache: "no-store", signal: AbortSignal.timeout?.(POLL_MS) });
      const text = await answer.text();
      if (answer.ok && mine === newest) swap(text);
      return answer.ok || mine !== newest;
    } catch {
      return mine !== newest;
    }
  }

  function say(text) {
    if (note.textContent !== text) note.textContent = text;
    note.hidden = !text;
  }

  function swap(html) {
    const template = document.createElement("template");
    template.innerHTML = html;
    for (const fresh of template.content.querySelectorAll(".section")) {
      const shown = document.getElementById(fresh.id);
      if (shown && shown.dataset.digest !== fresh.dataset.digest) replace(shown, fresh);
    }
    document.dispatchEvent(new Event("swapped"));
  }

  function replace(shown, fresh) {
    const focused = shown.contains(document.activeElement) && document.activeElement;
    const opened = [...shown.querySelectorAll("details[open]")].map((details) => details.id);
    const unfolded = [...shown.querySelectorAll("[aria-expanded=true]")].map((button) => button.id);
    keepImage(shown, fresh);
    markNewThrow(shown, fresh);
    shown.replaceChildren(...fresh.childNodes);
    shown.hidden = fresh.hidden;
    shown.dataset.digest = fresh.dataset.digest;
    for (const id of opened) document.getElementById(id)?.setAttribute("open", "");
    for (const id of unfolded) document.getElementById(id)?.click();
    if (focused) focusAgain(focused.id);
  }

  // What is gone or hidden now takes no focus; without one a keyboard would begin at the top of the page.
  function focusAgain(id) {
    document.getElementById(id)?.focus({ preventScroll: true });
    if (document.activeElement === document.body) board.focus({ preventScroll: true });
  }

  // The same photo again must not flicker.
  function keepImage(shown, fresh) {
    const now = shown.querySelector("img");
    const next = fresh.querySelector("img");
    if (now && next && now.src === new URL(next.getAttribute("src"), location).href) {
      next.replaceWith(now);
    }
  }

  function markNewThrow(shown, fresh) {
    const next = fresh.querySelector("[data-fresh]");
    const now = shown.querySelector("[data-fresh]");
    if (next && next.dataset.fresh !== now?.dataset.fresh) next.classList.add("fresh");
    const moment = fresh.querySelector("[data-moment]");
    if (moment && moment.textContent !== shown.querySelector("[data-moment]")?.textContent) moment.classList.add("arrives");
  }

  // A phone that sleeps loses its stream without being told, so it always asks anew.
  document.addEventListener("visibilitychange", () => (document.hidden ? disconnect() : connect()));
  addEventListener("online", connect);
  addEventListener("pagehide", disconnect);
  addEventListener("pageshow", (event) => { if (event.persisted) connect(); });
  document.addEventListener("acted", () => { if (source.readyState !== EventSource.OPEN) poll(); });
  connect();
})();
