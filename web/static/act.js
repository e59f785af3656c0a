// What a tap does: most buttons name an address and a body, the rest are dice and the tray button.
"use strict";
(() => {
  const byId = (id) => document.getElementById(id);

  const taps = {
    post: (button) => {
      if (button.getAttribute("aria-disabled")) return window.toast(button.dataset.why);
      if (button.dataset.done !== undefined) button.closest("dialog").close();
      const done = window.post(button.dataset.post, JSON.parse(button.dataset.body || "{}"));
      if (button.dataset.home === undefined) return done;
      return done.then((ok) => { if (ok && !byId("board")) location.assign("/"); else scrollTo(0, 0); });
    },
    undo: () => window.post("/api/v1/undo", shownStep()),
    slot: (button) => (button.closest("#pad") ? takeOff(button) : toggle(button)),
    seen: (button) => lookClosely(button),
    spot: (spot) => byId(spot.dataset.spot)?.click(),
    enlarge: () => enlarge(),
    more: (button) => showMore(button),
    whole: (line) => window.toast(line.dataset.whole),
    fix: (button) => fix(Number(button.dataset.fix)),
    missed: () => openPad(readFaces()),
    edit: (button) => editThrow(button.dataset),
    enter: (button) => {
      button.closest("dialog")?.close(); // the pad, and what it leads to, lie over nothing
      openPad();
    },
    face: (button) => tapIn(button),
    close: (button) => button.closest("dialog").close(),
  };

  document.addEventListener("click", (event) => {
    for (const [name, act] of Object.entries(taps)) {
      const element = event.target.closest(`[data-${name}]`);
      if (element) return act(element);
    }
  });

  // Dice of the throw that are tapped: what they would score together, and for one, its face.
  const chosen = () => [...document.querySelectorAll(".big-dice .slot[aria-pressed=true]")];
  const faceOf = (slot) => JSON.parse(slot.parentElement.dataset.dice)[Number(slot.dataset.slot)];
  const keyOf = (faces) => [...faces].sort().join("");

  function toggle(slot) {
    slot.setAttribute("aria-pressed", String(slot.getAttribute("aria-pressed") !== "true"));
    picked = { row: looks(slot.parentElement), ids: chosen().map(({ id }) => id) };
    weigh();
  }

  // The throw was drawn anew while somebody chose: where it is the same, the choice stands.
  let picked = { row: "", ids: [] };
  const looks = (row) => JSON.stringify([row.dataset, [...row.children].map((slot) => slot.className)]);

  function pickAgain() {
    const row = document.querySelector(".big-dice[data-dice]");
    if (!row || looks(row) !== picked.row) picked = { row: "", ids: [] };
    if (!picked.ids.length || chosen().length) return;
    for (const id of picked.ids) byId(id).setAttribute("aria-pressed", "true");
    weigh();
  }

  document.addEventListener("swapped", pickAgain);

  // One die of a picture in question, beside the six faces.
  function lookClosely(slot) {
    for (const other of chosen()) other.setAttribute("aria-pressed", "false");
    slot.setAttribute("aria-pressed", "true");
    byId("chosen").hidden = false;
    showClosely(slot, Number(slot.dataset.shows));
  }

  function showClosely(slot, face) {
    const image = byId("chosen").querySelector(".close-up");
    image.hidden = !slot.dataset.closeUp;
    if (slot.dataset.closeUp) image.src = slot.dataset.closeUp;
    for (const button of byId("chosen").querySelectorAll("[data-fix]")) {
      button.setAttribute("aria-pressed", String(Number(button.dataset.fix) === face));
    }
    markSpots([slot]);
  }

  function markSpots(slots) {
    for (const spot of document.querySelectorAll(".spot")) {
      spot.classList.toggle("picked", slots.some((slot) => slot.id === spot.dataset.spot));
    }
  }

  function enlarge() {
    byId("enlarged").querySelector("img").src = document.querySelector(".photo img").src;
    byId("enlarged").showModal();
  }

  function showMore(button) {
    const more = byId(button.dataset.more);
    more.hidden = !more.hidden;
    button.setAttribute("aria-expanded", String(!more.hidden));
  }

  function legalKeeps() {
    return [...document.querySelectorAll(".keep")].map((button) => ({
      key: keyOf(JSON.parse(button.dataset.body).dice), button, score: button.dataset.score,
      points: Number(button.dataset.score.replace(/\D/g, "")),
    }));
  }

  function weigh() {
    const slots = chosen();
    const faces = slots.map(faceOf);
    byId("chosen").hidden = !slots.length;
    byId("chosen").querySelector(".fix").hidden = slots.length !== 1;
    if (slots.length === 1) showClosely(slots[0], faces[0]);
    else markSpots(slots);
    const keep = legalKeeps().find(({ key }) => key === keyOf(faces));
    byId("keep-chosen").hidden = !keep;
    if (keep) byId("keep-chosen").querySelector("span").textContent = keep.score;
    const says = byId("chosen").querySelector(".says");
    says.textContent = keep || !slots.length || !legalKeeps().length ? "" : refusal(faces, says.dataset);
  }

  // Why these dice are no keep: which of them count, and which add nothing.
  function refusal(faces, words) {
    const [best] = legalKeeps().filter(({ key }) => without(faces, key)).sort((a, b) => b.points - a.points);
    const text = (dice) => [...dice].join(" ");
    if (!best) return words.nothing.replace("{dice}", text(keyOf(faces)));
    return words.part.replace("{part}", text(best.key)).replace("{score}", best.score)
      .replace("{rest}", text(without(faces, best.key)));
  }

  // The faces that are left once these are taken out; null if they are not all there.
  function without(faces, key) {
    const left = [...faces].map(String);
    for (const face of key) {
      if (!left.includes(face)) return null;
      left.splice(left.indexOf(face), 1);
    }
    return left;
  }

  function keepChosen() {
    const keep = legalKeeps().find(({ key }) => key === keyOf(chosen().map(faceOf)));
    if (keep) window.post("/api/v1/keep", JSON.parse(keep.button.dataset.body));
  }

  // Two taps: the die, then its face. Where the photo shows the die, the photo says it, too.
  function fix(face) {
    const [slot] = chosen();
    const { dataset } = slot;
    if (dataset.slot !== undefined && face === faceOf(slot)) return toggle(slot);
    if (dataset.photo) return window.post("/api/v1/face", { photo: dataset.photo, die: Number(dataset.seen), face });
    const row = slot.parentElement.dataset;
    const dice = JSON.parse(row.dice);
    dice[Number(dataset.slot)] = face;
    return window.post("/api/v1/correct", { dice, index: Number(row.index) });
  }

  // The faces that were read.
  function readFaces() {
    return [...document.querySelectorAll(".slot.seen")]
      .filter((slot) => slot.dataset.shows !== "0")
      .map((slot) => Number(slot.dataset.shows));
  }

  // What is ringed and no die is dropped: the throw goes on without it.
  function isNothing() {
    const [slot] = chosen();
    if (slot) window.post("/api/v1/not-a-die", { photo: slot.dataset.photo, die: Number(slot.dataset.seen) });
  }

  // Where the match stands on this page: undo and dice are meant for that, whenever they are there.
  function shownStep() {
    const shown = document.querySelector("[data-step]");
    return shown ? { step: Number(shown.dataset.step) } : {};
  }

  // Refused as the match went on, it is entered again by whoever has seen that.
  function asThrow() {
    let step = shownStep();
    return async (dice) => {
      const done = await window.post("/api/v1/dice", { dice, ...step });
      step = shownStep();
      return done;
    };
  }

  const wanted = () => Number(document.querySelector("[data-to-throw]")?.dataset.toThrow || 0);

  // Dice tapped in where no camera reads them.
  const mostDice = () => (document.querySelector(".plain-dice") ? 20 : 6);

  let enterPad = null;
  const padDice = () => [...byId("pad-dice").children].map((die) => Number(die.dataset.slot));

  function openPad(dice = [], enter = asThrow()) {
    enterPad = enter;
    byId("pad-dice").replaceChildren();
    for (const face of dice) putOn(byId("pad").querySelector(`[data-face="${face}"]`));
    byId("pad").dataset.begun = String(dice.length);
    byId("pad").showModal();
  }

  // A throw of long ago: its dice, to be taken off and put on.
  function editThrow({ index, dice }) {
    openPad(JSON.parse(dice), (thrown) => window.post("/api/v1/correct", { dice: thrown, index: Number(index) }));
  }

  function putOn(button) {
    const die = button.cloneNode(true);
    die.className = "slot";
    die.dataset.slot = button.dataset.face;
    delete die.dataset.face;
    byId("pad-dice").append(die);
  }

  const takeOff = (die) => die.remove();

  // The one die that was missed completes the throw: two taps are enough.
  function tapIn(button) {
    if (padDice().length >= mostDice()) return;
    const begun = Number(byId("pad").dataset.begun);
    putOn(button);
    if (begun && begun + 1 === wanted() && padDice().length === wanted()) enterDice();
  }

  const enterDice = window.once(async () => {
    const dice = padDice();
    if (dice.length && await enterPad(dice)) byId("pad").close();
  });

  byId("pad-enter")?.addEventListener("click", enterDice);

  document.addEventListener("click", ({ target }) => {
    if (target.closest("#keep-chosen")) keepChosen();
    if (target.closest("#not-a-die")) isNothing();
  });
})();
