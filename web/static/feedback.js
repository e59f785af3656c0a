// Sounds, announcer and vibration. They are off until somebody switches them on; browsers need that tap to
// allow sounds.
"use strict";
(() => {
  const NOTES = {
    throw: [[660, 0, 0.08]],
    bank: [[523, 0, 0.1], [659, 0.09, 0.1], [784, 0.18, 0.18]],
    hot: [[784, 0, 0.08], [988, 0.08, 0.08], [1175, 0.16, 0.08], [1568, 0.24, 0.25]],
    farkle: [[330, 0, 0.16], [262, 0.15, 0.16], [196, 0.3, 0.35]],
    opened: [[523, 0, 0.1], [659, 0.09, 0.1], [784, 0.18, 0.1], [1047, 0.27, 0.25]],
    lead: [[659, 0, 0.1], [784, 0.1, 0.1], [988, 0.2, 0.28]],
    last: [[440, 0, 0.18], [440, 0.24, 0.18], [587, 0.48, 0.4]],
    question: [[587, 0, 0.1], [784, 0.12, 0.14]],
    win: [[523, 0, 0.14], [659, 0.14, 0.14], [784, 0.28, 0.14], [1047, 0.42, 0.5]],
  };
  const BUZZES = { throw: [20], bank: [40], hot: [30, 40, 30, 40, 60], farkle: [160], opened: [40, 40, 80], lead: [40, 40, 80], last: [80, 80, 80, 80, 80], question: [40, 60, 40], win: [60, 60, 60, 60, 200] };
  const LOUD = 0.12;
  const KEY = "traykeeper-feel";
  const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");
  const box = document.getElementById("feel");
  let settings = read();
  let audio = null;
  let last = currentMessage();
  let lastMoment = last.moment; // a question in between must not repeat the effects of the last event

  function read() {
    try { return JSON.parse(localStorage.getItem(KEY)) || {}; } catch { return {}; }
  }

  function currentMessage() {
    const line = document.querySelector(".message");
    const { mood = "", of = "", whole = "" } = line?.dataset || {};
    return { mood, words: whole, moment: `${mood} ${of}` };
  }

  function playSound(mood) {
    if (!audio) return;
    for (const [hertz, start, length] of NOTES[mood] || []) {
      const tone = audio.createOscillator();
      const gain = audio.createGain();
      const from = audio.currentTime + start;
      tone.type = "triangle";
      tone.frequency.value = hertz;
      gain.gain.setValueAtTime(LOUD, from);
      gain.gain.exponentialRampToValueAtTime(0.001, from + length);
      tone.connect(gain).connect(audio.destination);
      tone.start(from);
      tone.stop(from + length);
    }
  }

  function speak(words) {
    if (!window.speechSynthesis) return;
    speechSynthesis.cancel();
    const speech = new SpeechSynthesisUtterance(words);
    speech.lang = document.documentElement.lang;
    speechSynthesis.speak(speech);
  }

  function glow() {
    if (reducedMotion.matches) return;
    document.documentElement.classList.add("glow");
    setTimeout(() => document.documentElement.classList.remove("glow"), 1000);
  }

  function react(mood) {
    if (settings.sounds) playSound(mood);
    if (settings.buzz) navigator.vibrate?.(BUZZES[mood] || []);
    if (["hot", "opened", "lead", "last"].includes(mood)) glow();
  }

  function onChange() {
    const now = currentMessage();
    const before = last;
    last = now;
    const hasNewWords = now.words !== before.words;
    const hasHappened = now.mood === "question" ? hasNewWords : now.moment !== lastMoment;
    if (now.mood !== "question") lastMoment = now.moment;
    if (!before.words || !now.mood) return;
    if (hasNewWords && settings.caller) speak(now.words);
    if (hasHappened) react(now.mood);
  }

  // Browsers allow sounds only after a tap.
  function unlock() {
    if (settings.sounds && !audio && window.AudioContext) audio = new AudioContext();
    audio?.resume();
  }

  for (const input of box.querySelectorAll("input")) input.checked = Boolean(settings[input.name]);
  box.hidden = false;
  if (!navigator.vibrate) box.querySelector("[name=buzz]").closest("label").hidden = true;
  box.addEventListener("change", ({ target }) => {
    settings = { ...settings, [target.name]: target.checked };
    try { localStorage.setItem(KEY, JSON.stringify(settings)); } catch { /* the choice lasts until the page is closed */ }
    unlock();
    if (target.checked && target.name === "sounds") playSound("bank");
    if (target.checked && target.name === "caller") speak(last.words || document.title);
    if (target.checked && target.name === "buzz") navigator.vibrate?.(BUZZES.bank);
  });
  document.addEventListener("pointerdown", unlock);
  document.addEventListener("swapped", onChange);
})();

// Brings an open question into view. It pulses once when it is asked again, or something else was tapped meanwhile.
(() => {
  const PULSE_MS = 1000;
  const OWN_MS = 2000;
  const question = () => document.querySelector("html:not(.watcher) .question.asked:not(.for-holder)");
  const isBoard = Boolean(document.getElementById("dock"));
  let [shown, asked] = [ids(), words()];
  let actedMs = -OWN_MS;

  // The ids of the answers, which change whenever a question is asked.
  function ids() {
    return [...question()?.querySelectorAll("[data-body]") || []].map((button) => button.dataset.body).join();
  }

  function words() {
    return question()?.querySelector("h2").textContent;
  }

  const show = () => question()?.scrollIntoView({ block: "nearest" });

  function pulse() {
    show();
    const card = question();
    card?.classList.add("pulse");
    setTimeout(() => card?.classList.remove("pulse"), PULSE_MS);
  }

  // A page of turns is read elsewhere, so it shows only a question that a tap on it has caused.
  function showChanged() {
    if (!isBoard && performance.now() - actedMs > OWN_MS) return;
    const now = ids();
    if (now && now !== shown) (words() === asked ? pulse : show)();
    else if (shown && !now) scrollTo(0, 0); // the answer changes the player and the points at the top
    shown = now;
    asked = words() || asked;
  }

  document.addEventListener("swapped", showChanged);
  document.addEventListener("held", pulse);
  document.addEventListener("acted", ({ detail }) => {
    actedMs = performance.now();
    if (detail && !detail.done) pulse();
    else showChanged();
  });
  if (isBoard) show();
})();
