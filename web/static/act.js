// What a tap does: most buttons name an address and a body, the rest are dice and the tray button.
"use strict";
(() => {
  const TOAST_MS = 7000;
  const TIMEOUT_MS = 20000;
  const AGAIN_MS = 700;
  const TRIES = 3;
  const LATE_MS = 1000;
  const MOST_S = 10; // of a hold
  const words = JSON.parse(document.body.dataset.words);
  const byId = (id) => document.getElementById(id);
  let queue = Promise.resolve();
  let toastTimer = 0;
  let stalls = 0; // grows when an answer is overdue, and when it is there
  let reached = 0; // the step of the match that the last tap led to

  // One after the other: quick taps are neither lost nor overtaken.
  function post(address, body = {}, isWanted = "throw" in body ? always : unlessStalled()) {
    if (!window.mayPost(address)) return Promise.resolve(false);
    queue = queue.then(() => isWanted() && send(address, body));
    return queue;
  }

  // It names the throw that it is meant for.
  const always = () => true;

  // What is tapped behind an answer that is overdue was meant for a board that nobody has seen.
  function unlessStalled() {
    const before = stalls;
    return () => {
      if (before !== stalls) toast(words.dropped);
      return before === stalls;
    };
  }

  // Until it is done, the same again is the second tap of an impatient finger.
  function once(job) {
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
  }

  const newKey = () => [...crypto.getRandomValues(new Uint32Array(3))].map((n) => n.toString(36)).join("");

  // Asked again under the same key where the answer was lost: it is done once all the same.
  async function ask(address, options, tries) {
    try {
      return await fetch(address, { ...options, signal: AbortSignal.timeout?.(TIMEOUT_MS) });
    } catch (error) {
      if (tries <= 1) throw error;
      await new Promise((done) => { setTimeout(done, AGAIN_MS); });
      return ask(address, options, tries - 1);
    }
  }

  async function send(address, body) {
    const overdue = setTimeout(sayLate, LATE_MS);
    const sentAt = stalls;
    const headers = { "Content-Type": "application/json", "Idempotency-Key": newKey() };
    const text = JSON.stringify("step" in body ? { ...body, step: Math.max(body.step, reached) } : body);
    try {
      const answer = await ask(address, { method: "POST", headers, body: text }, TRIES);
      const told = await answer.json();
      reached = told.step || 0;
      toast(answer.ok ? "" : told.detail);
      document.dispatchEvent(new Event("acted"));
      return answer.ok;
    } catch {
      toast(words.silent);
      return false;
    } finally {
      clearTimeout(overdue);
      if (sentAt !== stalls) stalls += 1;
    }
  }

  function sayLate() {
    stalls += 1;
    toast(words.sending, TRIES * TIMEOUT_MS);
  }

  function toast(text, ms = TOAST_MS) {
    clearTimeout(toastTimer);
    placeToast();
    byId("toast").textContent = text.charAt(0).toUpperCase() + text.slice(1);
    if (text) toastTimer = setTimeout(toast, ms, "");
  }

  // While a dialog is open nothing beside it is seen or read out; the last one open lies on top.
  function placeToast() {
    const place = [...document.querySelectorAll("dialog[open]")].at(-1) || document.body;
    if (byId("toast").parentElement !== place) place.append(byId("toast"));
  }

  document.addEventListener("close", placeToast, true);
  document.addEventListener("lost", () => { reached = 0; }); // a table that was started anew counts anew
  document.addEventListener("said", (event) => toast(event.detail));

  const taps = {
    post: (button) => {
      if (button.getAttribute("aria-disabled")) return toast(button.dataset.why);
      if (button.dataset.done !== undefined) button.closest("dialog").close();
      const done = post(button.dataset.post, JSON.parse(button.dataset.body || "{}"));
      if (button.dataset.home === undefined) return done;
      return done.then((ok) => { if (ok && !byId("board")) location.assign("/"); else scrollTo(0, 0); });
    },
    undo: () => post("/api/v1/undo", shownStep()),
    slot: (button) => (button.closest("#pad") ? takeOff(button) : toggle(button)),
    seen: (button) => lookClosely(button),
    spot: (spot) => byId(spot.dataset.spot)?.click(),
    enlarge: () => enlarge(),
    more: (button) => showMore(button),
    whole: (line) => toast(line.dataset.whole),
    fix: (button) => fix(Number(button.dataset.fix)),
    missed: () => openPad(readFaces()),
    edit: (button) => editThrow(button.dataset),
    enter: () => openPad(),
    hand: () => openHand(),
    face: (button) => tapIn(button),
    close: (button) => button.closest("dialog").close(),
    earlier: (button) => moveEarlier(Number(button.dataset.earlier)),
    remove: (button) => removePlayer(Number(button.dataset.remove)),
  };

  byId("coach-mode").addEventListener("change", ({ target }) => post("/api/v1/coach", { mode: target.value }));

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
    if (keep) post("/api/v1/keep", JSON.parse(keep.button.dataset.body));
  }

  // Two taps: the die, then its face. Where the photo shows the die, the photo says it, too.
  function fix(face) {
    const [slot] = chosen();
    const { dataset } = slot;
    if (dataset.slot !== undefined && face === faceOf(slot)) return toggle(slot);
    if (dataset.photo) return post("/api/v1/face", { photo: dataset.photo, die: Number(dataset.seen), face });
    const row = slot.parentElement.dataset;
    const dice = JSON.parse(row.dice);
    dice[Number(dataset.slot)] = face;
    return post("/api/v1/correct", { dice, index: Number(row.index) });
  }

  // The faces that were read, without the die of that number.
  function readFaces(leftOut) {
    return [...document.querySelectorAll(".slot.seen")]
      .filter((slot) => slot.dataset.seen !== leftOut && slot.dataset.shows !== "0")
      .map((slot) => Number(slot.dataset.shows));
  }

  // As many as are to be thrown are the throw; else the rest is tapped in.
  function enterOrAsk(dice) {
    if (dice.length === wanted()) asThrow()(dice);
    else openPad(dice);
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
      const done = await post("/api/v1/dice", { dice, ...step });
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
    openPad(JSON.parse(dice), (thrown) => post("/api/v1/correct", { dice: thrown, index: Number(index) }));
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

  const enterDice = once(async () => {
    const dice = padDice();
    if (dice.length && await enterPad(dice)) byId("pad").close();
  });

  byId("pad-enter")?.addEventListener("click", enterDice);

  // The tray's button: down and up go to the companion; how long it was is measured here, as the
  // way there may take long.
  const button = byId("tray-button");
  let isDown = false;
  let isTaken = false;
  let downMs = 0;

  // Refused on its way down, as another finger is there, it must not let go for that one.
  function press(down) {
    if (down === isDown) return;
    isDown = down;
    button.classList.toggle("down", down);
    if (down) downMs = performance.now();
    if (down) post("/api/v1/button", { down }).then((ok) => { isTaken = ok; });
    else post("/api/v1/button", { down, seconds: secondsSince(downMs) }, () => isTaken);
  }

  const secondsSince = (ms) => Math.min((performance.now() - ms) / 1000, MOST_S);

  function isPressKey(event) {
    return (event.key === " " || event.key === "Enter") && !event.repeat;
  }

  if (button) {
    button.addEventListener("pointerdown", (event) => { if (event.button === 0) press(true); });
    for (const end of ["pointerleave", "pointercancel"]) {
      button.addEventListener(end, () => press(false));
    }
    button.addEventListener("keydown", (event) => { if (isPressKey(event)) press(true); });
    button.addEventListener("contextmenu", (event) => event.preventDefault());
    for (const end of ["pointerup", "keyup", "blur", "pagehide"]) {
      addEventListener(end, () => press(false));
    }
  }

  // The set-up of a match; the form may come and go with the board.
  const rows = () => [...document.querySelectorAll("#names li")];
  const input = (row) => row.querySelector("input");

  // Name and team go together.
  const nameAndTeam = (row) => [input(row), row.querySelector(".team")];
  const playerOf = (row) => nameAndTeam(row).map((field) => field.value);
  const seatPlayer = (row, player) => nameAndTeam(row).forEach((field, i) => { field.value = player[i]; });

  function addPlayer() {
    const row = rows().find((each) => each.hidden);
    if (!row) return toast(words.twenty);
    row.hidden = false;
    return input(row).focus();
  }

  function removePlayer(seat) {
    const shown = rows().filter((row) => !row.hidden);
    if (shown.length === 2) return toast(words.two);
    for (let i = seat; i < shown.length - 1; i++) seatPlayer(shown[i], playerOf(shown[i + 1]));
    input(shown.at(-1)).value = "";
    shown.at(-1).hidden = true;
    return input(shown[Math.min(seat, shown.length - 2)]).focus();
  }

  function moveEarlier(seat) {
    const [before, row] = [rows()[seat - 1], rows()[seat]];
    const [first, player] = [before, row].map(playerOf);
    seatPlayer(before, player);
    seatPlayer(row, first);
    (before.querySelector("[data-earlier]") || row.querySelector("[data-earlier]")).focus();
  }

  // Fisher and Yates: every order is as likely.
  function shuffle() {
    const shown = rows().filter((row) => !row.hidden);
    const players = shown.map(playerOf);
    for (let i = players.length - 1; i > 0; i--) {
      const j = Math.floor(Math.random() * (i + 1));
      [players[i], players[j]] = [players[j], players[i]];
    }
    shown.forEach((row, i) => seatPlayer(row, players[i]));
  }

  // Who played from this phone before: offered while a name is typed.
  const RECENT = "traykeeper-players";
  const MOST_RECENT = 30;

  function recent() {
    try { return JSON.parse(localStorage.getItem(RECENT)) || []; } catch { return []; }
  }

  function offerRecent() {
    byId("recent")?.replaceChildren(...recent().map((name) => new Option(name, name)));
  }

  function remember(names) {
    const all = [...new Set([...names, ...recent()])].slice(0, MOST_RECENT);
    try { localStorage.setItem(RECENT, JSON.stringify(all)); } catch { /* not even asked to keep it */ }
  }

  document.addEventListener("swapped", offerRecent);
  // A board that was opened during a match knows nothing of house rules.
  document.addEventListener("swapped", () => { if (byId("options") && !window.changedOptions) location.reload(); });
  offerRecent();

  function setUp(form) {
    const shown = rows().filter((row) => !row.hidden).map(input);
    return {
      names: shown.map((field) => field.value.trim() || field.dataset.nameless),
      target: Number(form.elements.target.value),
      rules: form.elements.rules.value,
      options: window.changedOptions(form),
      ...(byId("in-teams").checked ? { teams: shown.map((field) => Number(field.closest("li").querySelector(".team").value)) } : {}),
    };
  }

  document.addEventListener("click", ({ target }) => {
    if (target.id === "add-player") addPlayer();
    if (target.id === "shuffle") shuffle();
    if (target.closest("#keep-chosen")) keepChosen();
    if (target.closest("#not-a-die")) enterOrAsk(readFaces(chosen()[0]?.dataset.seen));
  });
  document.addEventListener("change", ({ target }) => {
    if (target.name === "rules") byId("explained").href = `/rules/${target.value}`;
    if (target.name !== "rules") return;
    const { target: points, rounds } = target.selectedOptions[0].dataset;
    target.form.elements.target.value = points;
    target.form.elements.target.closest("label").hidden = Number(rounds) > 0;
  });
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!form.dataset.submit) return;
    event.preventDefault();
    if (form.closest("#hand")) setByHand(form);
    else startMatch(form);
  });

  const startMatch = once(async (form) => {
    const match = setUp(form);
    const typed = rows().filter((row) => !row.hidden).map((row) => input(row).value.trim()).filter(Boolean);
    const started = await post(form.dataset.submit, match);
    if (started) remember(typed);
    if (started && !byId("board")) location.assign("/");
    else if (started) scrollTo(0, 0);
  });

  function showTeams() {
    const isOn = byId("in-teams")?.checked;
    for (const select of document.querySelectorAll(".team")) select.hidden = !isOn;
  }

  document.addEventListener("change", ({ target }) => { if (target.id === "in-teams") showTeams(); });
  document.addEventListener("swapped", showTeams);
  showTeams();

  // What nobody saw: filled with how things stand, so that only what is wrong has to be typed.
  function openHand() {
    const players = [...document.querySelectorAll(".players li")];
    const hero = document.querySelector(".hero");
    const onTurn = players.find((row) => row.getAttribute("aria-current")) || players[0];
    for (const select of byId("hand").querySelectorAll(".seats")) {
      select.replaceChildren(...players.map((row) => new Option(row.querySelector(".name").textContent, row.dataset.seat)));
      select.value = onTurn.dataset.seat;
    }
    const [turn, score] = byId("hand").querySelectorAll("form");
    turn.elements.points.value = hero.dataset.atRisk || 0;
    turn.elements.dice.value = hero.dataset.toThrow || 6;
    score.elements.score.value = onTurn.dataset.score;
    byId("hand").querySelector(".on-turn-name").textContent = onTurn.querySelector(".name").textContent;
    for (const button of byId("hand").querySelectorAll("[data-done]")) {
      button.dataset.body = JSON.stringify({ on_turn: Number(onTurn.dataset.seat) });
    }
    byId("hand").showModal();
  }

  const setByHand = once(async (form) => {
    const fields = [...form.elements].filter((field) => field.name);
    const body = Object.fromEntries(fields.map((field) => [field.name, field.name === "name" ? field.value.trim() : Number(field.value)]));
    if (await post(form.dataset.submit, body)) byId("hand").close();
  });

  document.addEventListener("change", ({ target }) => {
    if (!target.closest("[data-submit$='/score']") || target.name !== "seat") return;
    target.form.elements.score.value = document.querySelector(`.players [data-seat="${target.value}"]`).dataset.score;
  });
})();
