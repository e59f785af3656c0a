// Sends requests and files one after the other and shows the result.
"use strict";
(() => {
  const TOAST_MS = 7000;
  const RETRIES = { tries: 3, ms: 20000 };
  const RETRY_MS = 700;
  const LATE_MS = 1000;
  const PART_BYTES = 65536; // the server accepts only small bodies
  const words = JSON.parse(document.body.dataset.words);
  const byId = (id) => document.getElementById(id);
  let queue = Promise.resolve();
  let toastTimer = 0;
  let stalls = 0; // changes when an answer becomes overdue and when it arrives
  let reached = 0; // the step of the match after this page's last request that named a step
  let reachedMs = 0; // when the page learnt it

  // Sends requests one after the other, so that quick taps keep their order.
  window.post = (address, body = {}, isWanted = "throw" in body ? always : unlessStalled()) => {
    const may = window.mayPost(address);
    queue = queue.then(() => may).then((is) => is && isWanted() && send(address, body));
    return queue;
  };

  // A request that names its throw cannot do harm if it is late.
  const always = () => true;

  // A tap made while an answer is overdue is dropped: it was meant for an outdated board.
  function unlessStalled() {
    const before = stalls;
    return () => {
      if (before !== stalls) window.toast(words.dropped);
      return before === stalls;
    };
  }

  window.ownStep = () => reached;
  window.drawMs = 500; // a board that shows what a tap did later than this has a stalled stream

  // A tap just after another one is meant for the step that the other one reached.
  const meant = (step) => (performance.now() - reachedMs < window.drawMs ? Math.max(step, reached) : step);

  // Ignores further calls until the first one is done, such as a double tap.
  window.once = (job) => {
    let busy = false;
    return async (...given) => {
      if (busy) return;
      busy = true;
      try {
        await job(...given);
      } finally {
        busy = false;
      }
    };
  };

  window.newKey = () => [...crypto.getRandomValues(new Uint32Array(3))].map((n) => n.toString(36)).join("");

  // Repeats a request whose answer was lost. The idempotency key ensures that it is done only once.
  async function fetchWithRetry(address, options, { tries, ms }) {
    try {
      return await fetch(address, { ...options, signal: AbortSignal.timeout?.(ms) });
    } catch (error) {
      if (tries <= 1) throw error;
      await new Promise((done) => { setTimeout(done, RETRY_MS); });
      return fetchWithRetry(address, options, { tries: tries - 1, ms });
    }
  }

  function fetchJson(address, body, retries = RETRIES) {
    const headers = { "Content-Type": "application/json", "Idempotency-Key": window.newKey() };
    return fetchWithRetry(address, { method: "POST", headers, body: JSON.stringify(body) }, retries);
  }

  // Returns the JSON of the answer; throws it if the server refuses, and an error without an answer.
  window.postJson = async (address, body, retries) => {
    const answer = await fetchJson(address, body, retries);
    const result = await answer.json();
    if (!answer.ok) throw result;
    return result;
  };

  async function send(address, body) {
    const overdue = setTimeout(showLate, LATE_MS);
    const sentAt = stalls;
    const sentMs = performance.now();
    try {
      const answer = await fetchJson(address, "step" in body ? { ...body, step: meant(body.step) } : body);
      const result = await answer.json();
      if ("step" in body) [reached, reachedMs] = [result.step || 0, performance.now()];
      window.toast(answer.ok ? "" : result.detail);
      document.dispatchEvent(new CustomEvent("acted", { detail: { done: answer.ok, sentMs } }));
      return answer.ok;
    } catch {
      window.toast(words.silent);
      return false;
    } finally {
      clearTimeout(overdue);
      if (sentAt !== stalls) stalls += 1;
    }
  }

  function showLate() {
    stalls += 1;
    window.toast(words.sending, window.longestMs);
  }

  window.longestMs = RETRIES.tries * RETRIES.ms; // until the last retry is given up

  window.toast = (text, ms = TOAST_MS) => {
    clearTimeout(toastTimer);
    placeToast();
    byId("toast").textContent = text.charAt(0).toUpperCase() + text.slice(1);
    if (text) toastTimer = setTimeout(window.toast, ms, "");
  };

  // Moves the toast into the topmost dialog, because everything outside it is inert, or above the dock at the bottom.
  function placeToast() {
    const place = [...document.querySelectorAll("dialog[open]")].at(-1) || document.body;
    if (byId("toast").parentElement !== place) place.append(byId("toast"));
    const { top, bottom } = document.querySelector(".dock")?.getBoundingClientRect() || {};
    const isAbove = place === document.body && bottom >= innerHeight;
    byId("toast").style.bottom = isAbove ? `${innerHeight - top + 8}px` : "";
  }

  function asBase64(part) {
    return new Promise((done, failed) => {
      const reader = new FileReader();
      reader.onload = () => done(reader.result.slice(reader.result.indexOf(",") + 1));
      reader.onerror = failed;
      reader.readAsDataURL(part);
    });
  }

  // Uploads a file in parts, one after the other. An empty file is sent as one empty part, so that the server can report the problem.
  window.uploadInParts = async (address, file, onProgress = () => {}, given = {}) => {
    for (let at = 0; at === 0 || at < file.size; at += PART_BYTES) {
      await window.postJson(address, { at, part: await asBase64(file.slice(at, at + PART_BYTES)), ...given });
      onProgress(at / file.size);
    }
  };

  document.addEventListener("close", placeToast, true);
})();
