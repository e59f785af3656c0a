// Sends what was tapped, one after the other, and says what came of it.
"use strict";
(() => {
  const TOAST_MS = 7000;
  const PATIENCE = { tries: 3, ms: 20000 };
  const AGAIN_MS = 700;
  const LATE_MS = 1000;
  const words = JSON.parse(document.body.dataset.words);
  const byId = (id) => document.getElementById(id);
  let queue = Promise.resolve();
  let toastTimer = 0;
  let stalls = 0; // grows when an answer is overdue, and when it is there
  let reached = 0; // the step of the match that the last tap led to

  // One after the other: quick taps are neither lost nor overtaken.
  window.post = (address, body = {}, isWanted = "throw" in body ? always : unlessStalled()) => {
    if (!window.mayPost(address)) return Promise.resolve(false);
    queue = queue.then(() => isWanted() && send(address, body));
    return queue;
  };

  // It names the throw that it is meant for.
  const always = () => true;

  // What is tapped behind an answer that is overdue was meant for a board that nobody has seen.
  function unlessStalled() {
    const before = stalls;
    return () => {
      if (before !== stalls) window.toast(words.dropped);
      return before === stalls;
    };
  }

  // Until it is done, the same again is the second tap of an impatient finger.
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

  const newKey = () => [...crypto.getRandomValues(new Uint32Array(3))].map((n) => n.toString(36)).join("");

  // Asked again under the same key where the answer was lost: it is done once all the same.
  async function ask(address, options, { tries, ms }) {
    try {
      return await fetch(address, { ...options, signal: AbortSignal.timeout?.(ms) });
    } catch (error) {
      if (tries <= 1) throw error;
      await new Promise((done) => { setTimeout(done, AGAIN_MS); });
      return ask(address, options, { tries: tries - 1, ms });
    }
  }

  function askJson(address, body, patience = PATIENCE) {
    const headers = { "Content-Type": "application/json", "Idempotency-Key": newKey() };
    return ask(address, { method: "POST", headers, body: JSON.stringify(body) }, patience);
  }

  // What it says; thrown where it refuses, or does not answer.
  window.postJson = async (address, body, patience) => {
    const answer = await askJson(address, body, patience);
    const told = await answer.json();
    if (!answer.ok) throw told;
    return told;
  };

  async function send(address, body) {
    const overdue = setTimeout(sayLate, LATE_MS);
    const sentAt = stalls;
    try {
      const answer = await askJson(address, "step" in body ? { ...body, step: Math.max(body.step, reached) } : body);
      const told = await answer.json();
      reached = told.step || 0;
      window.toast(answer.ok ? "" : told.detail);
      document.dispatchEvent(new CustomEvent("acted", { detail: { done: answer.ok } }));
      return answer.ok;
    } catch {
      window.toast(words.silent);
      return false;
    } finally {
      clearTimeout(overdue);
      if (sentAt !== stalls) stalls += 1;
    }
  }

  function sayLate() {
    stalls += 1;
    window.toast(words.sending, window.longestMs);
  }

  window.longestMs = PATIENCE.tries * PATIENCE.ms; // until an answer is given up

  window.toast = (text, ms = TOAST_MS) => {
    clearTimeout(toastTimer);
    placeToast();
    byId("toast").textContent = text.charAt(0).toUpperCase() + text.slice(1);
    if (text) toastTimer = setTimeout(window.toast, ms, "");
  };

  // While a dialog is open nothing beside it is seen or read out; the last one open lies on top.
  function placeToast() {
    const place = [...document.querySelectorAll("dialog[open]")].at(-1) || document.body;
    if (byId("toast").parentElement !== place) place.append(byId("toast"));
  }

  document.addEventListener("close", placeToast, true);
  document.addEventListener("lost", () => { reached = 0; }); // a table that was started anew counts anew
})();
