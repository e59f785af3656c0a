// What taps do. Most buttons name an address and a body; the others concern dice.
"use strict";
(() => {
  const byId = (id) => document.getElementById(id);

  const taps = {
    post: (button) => {
      if (isHeld(button)) return undefined;
      if (button.dataset.done !== undefined) button.closest("dialog").close();
      const done = window.post(button.dataset.post, JSON.parse(button.dataset.body || "{}"));
      if (button.dataset.goto) return done.then((ok) => { if (ok) location.assign(button.dataset.goto); });
      if (button.dataset.home === undefined) return done;
      return done.then((ok) => { if (ok && !byId("board")) location.assign("/"); else scrollTo(0, 0); });
    },
    undo: (button) => (isHeld(button) ? undefined : window.post("/api/v1/undo", shownStep())),
    slot: (button) => (button.closest("#pad") ? tapPadDie(button) : toggle(button)),
    seen: (button) => selectSeenDie(button),
    spot: (spot) => byId(spot.dataset.spot)?.click(),
    more: (button) => toggleMore(button),
    whole: (line) => window.toast(line.dataset.whole),
    fix: (button) => correctDie(Number(button.dataset.fix)),
    missed: () => openPad(readFaces()),
    edit: (button) => editThrow(button.dataset),
    enter: (button) => {
      button.closest("dialog")?.close(); // the pad must not cover another dialog
      openPad();
    },
    face: (button) => tapFace(button),
    print: () => window.print(),
    close: (button) => button.closest("dialog").close(),
  };

  document.addEventListener("click", (event) => {
    for (const [name, act] of Object.entries(taps)) {
      const element = event.target.closest(`[data-${name}]`);
      if (element) return act(element);
    }
  });

  // One key for each button of the dock, as its tooltip says. The menu of the page can switch the keys off.
  const KEYS = { t: "throw-dice", r: "press", b: "bank", u: "undo" };
  const KEYS_OFF = "traykeeper-keys-off";

  function areKeysOn() {
    try { return !localStorage.getItem(KEYS_OFF); } catch { return true; }
  }

  document.addEventListener("keydown", ({ key, target, ctrlKey, altKey, metaKey, repeat }) => {
    const isElsewhere = target.closest("input, select, textarea, dialog") || ctrlKey || altKey || metaKey || repeat;
    if (!isElsewhere && areKeysOn()) byId(KEYS[key])?.click();
  });
  byId("keys")?.addEventListener("change", ({ target }) => {
    try {
      if (target.checked) localStorage.removeItem(KEYS_OFF);
      else localStorage.setItem(KEYS_OFF, "1");
    } catch { /* the keys stay on */ }
  });
  if (byId("keys")) byId("keys").checked = areKeysOn();

  // Returns whether a button takes no tap now, and says why if it has a reason.
  function isHeld(button) {
    if (button.getAttribute("aria-disabled")) {
      window.toast(button.dataset.why);
      document.dispatchEvent(new Event("held"));
    } else if (button.id === "bank" && isReadingPhoto()) window.toast(byId("picture").dataset.reading);
    else return Boolean(button.closest("[data-settling]"));
    return true;
  }

  const isReadingPhoto = () => document.documentElement.classList.contains("reads");

  // The dice that are tapped: the page shows their score as a keep, or for a single die its faces.
  const selectedSlots = () => [...document.querySelectorAll(".big-dice .slot[aria-pressed=true]")];
  const faceOf = (slot) => JSON.parse(slot.parentElement.dataset.dice)[Number(slot.dataset.slot)];
  const faceKey = (faces) => [...faces].sort().join("");

  function toggle(slot) {
    slot.setAttribute("aria-pressed", String(slot.getAttribute("aria-pressed") !== "true"));
    selection = { row: rowKey(slot.parentElement), ids: selectedSlots().map(({ id }) => id) };
    showSelection();
  }

  // If the same throw is drawn again while somebody is selecting dice, the selection is restored.
  let selection = { row: "", ids: [] };
  const rowKey = (row) => JSON.stringify([row.dataset, [...row.children].map((slot) => slot.className)]);

  function restoreSelection() {
    const row = document.querySelector(".big-dice[data-dice]");
    const asks = row && document.querySelector(".question.asked"); // the question takes the place of the selection
    if (!row || asks || rowKey(row) !== selection.row) selection = { row: "", ids: [] };
    if (asks) for (const slot of selectedSlots()) slot.setAttribute("aria-pressed", "false");
    if (asks) showSelection();
    if (!selection.ids.length || selectedSlots().length) return;
    for (const id of selection.ids) byId(id).setAttribute("aria-pressed", "true");
    showSelection();
  }

  document.addEventListener("swapped", restoreSelection);

  // The die of an uncertain reading that was tapped stays selected until it is corrected or the dice lie elsewhere.
  let seen = {};
  const places = () => [...document.querySelectorAll(".spot")].map(({ cx, cy }) => [cx.baseVal.value, cy.baseVal.value]).join();

  function restoreSeenDie() {
    if (seen.places !== places()) seen = {};
    if (byId(seen.id)) selectSeenDie(byId(seen.id));
  }

  document.addEventListener("swapped", restoreSeenDie);

  // Shows one die of an uncertain reading beside the six faces.
  function selectSeenDie(slot) {
    seen = { id: slot.id, places: places() };
    for (const other of selectedSlots()) other.setAttribute("aria-pressed", "false");
    slot.setAttribute("aria-pressed", "true");
    byId("chosen").hidden = false;
    showCloseUp(slot, Number(slot.dataset.shows));
  }

  function showCloseUp(slot, face) {
    const image = byId("chosen").querySelector(".close-up");
    image.hidden = !slot.dataset.closeUp;
    if (slot.dataset.closeUp) image.src = slot.dataset.closeUp;
    for (const button of byId("chosen").querySelectorAll("[data-fix]")) {
      button.setAttribute("aria-pressed", String(Number(button.dataset.fix) === face));
    }
    highlightSpots([slot]);
  }

  function highlightSpots(slots) {
    for (const spot of document.querySelectorAll(".spot")) {
      spot.classList.toggle("picked", slots.some((slot) => slot.id === spot.dataset.spot));
    }
  }

  function toggleMore(button) {
    const more = byId(button.dataset.more);
    more.hidden = !more.hidden;
    button.setAttribute("aria-expanded", String(!more.hidden));
  }

  function legalKeeps() {
    return [...document.querySelectorAll(".keep")].map((button) => ({
      key: faceKey(JSON.parse(button.dataset.body).dice), button, score: button.dataset.score, effect: button.dataset.effect,
      points: Number(button.dataset.score.replace(/\D/g, "")),
    }));
  }

  function showSelection() {
    const slots = selectedSlots();
    const faces = slots.map(faceOf);
    byId("chosen").hidden = !slots.length;
    byId("chosen").querySelector(".fix").hidden = slots.length !== 1;
    if (slots.length === 1) showCloseUp(slots[0], faces[0]);
    else highlightSpots(slots);
    const keep = legalKeeps().find(({ key }) => key === faceKey(faces));
    byId("keep-chosen").hidden = !keep;
    const score = byId("keep-chosen").querySelector("span");
    if (keep && score) score.textContent = keep.score;
    const says = byId("chosen").querySelector(".says");
    says.textContent = keep ? keep.effect : !slots.length || !legalKeeps().length ? "" : explainRefusal(faces, says.dataset);
  }

  // Explains why dice are not a keep: which of them score, and which do not.
  function explainRefusal(faces, words) {
    const [best] = legalKeeps().filter(({ key }) => without(faces, key)).sort((a, b) => b.points - a.points);
    const text = (dice) => [...dice].join(" ");
    if (!best) return words.nothing.replace("{dice}", text(faceKey(faces)));
    return words.part.replace("{part}", text(best.key)).replace("{score}", best.score)
      .replace("{rest}", text(without(faces, best.key)));
  }

  // Returns the faces without those of a keep, or null if the keep is not among them.
  function without(faces, key) {
    const left = [...faces].map(String);
    for (const face of key) {
      if (!left.includes(face)) return null;
      left.splice(left.indexOf(face), 1);
    }
    return left;
  }

  function keepChosen() {
    const keep = legalKeeps().find(({ key }) => key === faceKey(selectedSlots().map(faceOf)));
    if (keep && !isHeld(byId("keep-chosen"))) window.post("/api/v1/keep", JSON.parse(keep.button.dataset.body));
  }

  // A tap on a value just after the page has selected another die by itself was not meant for that die.
  function dieToCorrect() {
    const [slot] = selectedSlots();
    return slot?.matches("[data-settling] .seen") && slot.id !== seen.id ? undefined : slot;
  }

  // Corrects a die in two taps: the die, then its face. A die on a photo is corrected on the photo.
  function correctDie(face) {
    const slot = dieToCorrect();
    if (!slot) return undefined;
    const { dataset } = slot;
    if (dataset.slot !== undefined && face === faceOf(slot)) return toggle(slot);
    seen = {};
    if (dataset.photo) return window.post("/api/v1/face", { photo: dataset.photo, die: Number(dataset.seen), face });
    const row = slot.parentElement.dataset;
    const dice = JSON.parse(row.dice);
    dice[Number(dataset.slot)] = face;
    return window.post("/api/v1/correct", { dice, index: Number(row.index), ...shownStep() });
  }

  // The faces that the camera read.
  function readFaces() {
    return [...document.querySelectorAll(".slot.seen")]
      .filter((slot) => slot.dataset.shows !== "0")
      .map((slot) => Number(slot.dataset.shows));
  }

  // Dismisses a foreign object that was ringed as a possible die.
  function dismissObject() {
    const slot = dieToCorrect();
    if (slot) window.post("/api/v1/not-a-die", { photo: slot.dataset.photo, die: Number(slot.dataset.seen) });
  }

  // The step of the match that this page shows. What people do is meant for that step, even if it arrives later.
  function shownStep() {
    const shown = document.querySelector("[data-step]");
    return shown ? { step: Number(shown.dataset.step) } : {};
  }

  window.shownStep = shownStep;

  // After a refusal because the match moved on, the next attempt is meant for the step now shown.
  function throwEntry(address = "/api/v1/dice", body = {}) {
    let step = shownStep();
    return async (dice) => {
      const done = await window.post(address, { dice, ...body, ...step });
      step = shownStep();
      return done;
    };
  }

  const diceToThrow = () => Number(document.querySelector("[data-to-throw]")?.dataset.toThrow || 0);

  // The pad for tapping in dice.
  const maxDice = () => (document.querySelector(".plain-dice") ? 20 : 6);

  let enterPad = null;
  let corrects = false; // an earlier throw: a tap on a die and one on its face correct it
  const padDice = () => [...byId("pad-dice").children].map((die) => Number(die.dataset.slot));

  function openPad(dice = [], enter = throwEntry(), title = "", photo = "") {
    enterPad = enter;
    byId("pad-photo").hidden = !photo;
    if (photo) byId("pad-photo").src = photo;
    corrects = Boolean(title);
    byId("pad-title").textContent = title || byId("pad-title").dataset.which;
    byId("pad-dice").replaceChildren();
    for (const face of dice) addPadDie(byId("pad").querySelector(`[data-face="${face}"]`));
    byId("pad").dataset.begun = String(dice.length);
    byId("pad").showModal();
    countPadDice();
  }

  // Says what to do on the pad, or how many of the dice in hand are tapped in.
  function countPadDice() {
    const { none, count, edit } = byId("pad-hint").dataset;
    const n = padDice().length;
    const all = document.querySelector("[data-to-throw]") ? diceToThrow() : 0;
    byId("pad-hint").textContent = corrects ? edit : n && all ? count.replace("{n}", n).replace("{all}", all) : n ? "" : none;
    byId("pad-enter").toggleAttribute("aria-disabled", !n);
    if (n && all && !corrects) addPoints();
  }

  // Adds the points of the dice so far, once the server has worked them out.
  async function addPoints() {
    const dice = padDice().join("");
    const answer = await fetch(`/api/v1/points/${dice}`).catch(() => null);
    if (!answer?.ok || padDice().join("") !== dice) return;
    const { points } = await answer.json();
    byId("pad-hint").append(` · ${byId("pad-hint").dataset.points.replace("{n}", points.toLocaleString(document.documentElement.lang))}`);
  }

  // Opens the pad with the dice of an earlier throw, and its photo if the roll was recorded.
  function editThrow({ index, dice, edit }) {
    const photo = byId(`again-${index}`)?.dataset.clip?.replace(".mjpeg", ".jpg");
    openPad(JSON.parse(dice), throwEntry("/api/v1/correct", { index: Number(index) }), edit, photo);
  }

  function addPadDie(button) {
    const die = button.cloneNode(true);
    die.className = "slot";
    die.dataset.slot = button.dataset.face;
    delete die.dataset.face;
    byId("pad-dice").append(die);
    return die;
  }

  const pickedPadDie = () => byId("pad-dice").querySelector("[aria-pressed=true]");

  function tapPadDie(die) {
    const picked = pickedPadDie();
    picked?.setAttribute("aria-pressed", "false");
    if (!corrects || picked === die) die.remove();
    else die.setAttribute("aria-pressed", "true");
    countPadDice();
  }

  // If the pad was opened for one missed die, that die completes the throw without a further tap.
  function tapFace(button) {
    const picked = pickedPadDie();
    if (picked) {
      picked.replaceWith(addPadDie(button));
      return enterDice();
    }
    if (padDice().length >= maxDice()) return undefined;
    const begun = Number(byId("pad").dataset.begun);
    addPadDie(button);
    countPadDice();
    if (begun && begun + 1 === diceToThrow() && padDice().length === diceToThrow()) return enterDice();
    return undefined;
  }

  const enterDice = window.once(async () => {
    const dice = padDice();
    if (!dice.length) window.toast(byId("pad-hint").dataset.none);
    else if (await enterPad(dice)) byId("pad").close();
  });

  byId("pad-enter")?.addEventListener("click", enterDice);

  document.addEventListener("click", ({ target }) => {
    if (target.closest("#keep-chosen")) keepChosen();
    if (target.closest("#not-a-die")) dismissObject();
  });
})();

// Says how many characters a name may still have, before the field takes no more.
(() => {
  const NEAR = 6;
  const words = JSON.parse(document.body.dataset.words);
  const note = document.createElement("small");
  note.className = "limit";
  note.setAttribute("role", "status");

  document.addEventListener("input", ({ target }) => {
    if (target.name !== "name" || target.maxLength < 0) return;
    const left = target.maxLength - target.value.length;
    const place = target.closest("li, label");
    note.textContent = left > NEAR ? "" : words.limit.replace("{most}", target.maxLength).replace("{left}", left);
    if (place && note.parentElement !== place) place.append(note);
  });
  document.addEventListener("focusout", ({ target }) => { if (target.name === "name") note.remove(); });
})();
