// What a tap does: most buttons name an address and a body, the rest are dice and the tray button.
"use strict";
(() => {
  const TOAST_MS = 7000;
  const TIMEOUT_MS = 20000;
  const byId = (id) => document.getElementById(id);
  let queue = Promise.resolve();
  let toastTimer = 0;

  // One after the other: quick taps are neither lost nor overtaken.
  function post(address, body = {}, isWanted = () => true) {
    if (!window.mayPost(address)) return Promise.resolve(false);
    queue = queue.then(() => isWanted() && send(address, body));
    return queue;
  }

  async function send(address, body) {
    try {
      const answer = await fetch(address, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout?.(TIMEOUT_MS),
      });
      toast(answer.ok ? "" : (await answer.json()).detail);
      document.dispatchEvent(new Event("acted"));
      return answer.ok;
    } catch {
      toast("The table does not answer. Try again in a moment.");
      return false;
    }
  }

  function toast(text) {
    clearTimeout(toastTimer);
    byId("toast").textContent = text.charAt(0).toUpperCase() + text.slice(1);
    if (text) toastTimer = setTimeout(toast, TOAST_MS, "");
  }

  document.addEventListener("said", (event) => toast(event.detail));

  const taps = {
    post: (button) => (button.getAttribute("aria-disabled")
      ? toast(button.dataset.why)
      : post(button.dataset.post, JSON.parse(button.dataset.body || "{}"))),
    slot: (button) => (button.closest("#pad") ? takeOff(button) : correct(button)),
    seen: (die) => sayFace(die),
    enter: () => openPad(),
    face: (button) => (button.closest("#pad") ? putOn(button) : choose(Number(button.dataset.face))),
    close: (button) => button.closest("dialog").close(),
    remove: (button) => removePlayer(Number(button.dataset.remove)),
  };

  document.addEventListener("click", (event) => {
    for (const [name, act] of Object.entries(taps)) {
      const element = event.target.closest(`[data-${name}]`);
      if (element) return act(element);
    }
  });

  // Correction: the die, then its face.
  let choose = () => {};

  function correct(slot) {
    const row = slot.parentElement.dataset;
    const number = Number(slot.dataset.slot);
    const dice = JSON.parse(row.dice);
    pick(dice[number], (face) => {
      if (face === dice[number]) return;
      dice[number] = face;
      post("/api/v1/correct", { dice, index: Number(row.index) });
    });
  }

  // A die on the photo: the table knows whether it is of the throw, or in question.
  function sayFace({ dataset }) {
    const body = { photo: dataset.photo, die: Number(dataset.seen) };
    pick(Number(dataset.shows), (face) => post("/api/v1/face", { ...body, face }));
  }

  function pick(shown, then) {
    choose = (face) => {
      byId("picker").close();
      then(face);
    };
    mark(shown);
    byId("picker").showModal();
  }

  function mark(face) {
    for (const button of byId("picker").querySelectorAll("[data-face]")) {
      button.setAttribute("aria-pressed", String(Number(button.dataset.face) === face));
    }
  }

  // Dice tapped in where no camera reads them.
  const MAX_DICE = 6;

  function openPad() {
    byId("pad-dice").replaceChildren();
    byId("pad").showModal();
  }

  function putOn(button) {
    if (byId("pad-dice").children.length === MAX_DICE) return;
    const die = button.cloneNode(true);
    die.className = "slot";
    die.dataset.slot = button.dataset.face;
    delete die.dataset.face;
    byId("pad-dice").append(die);
  }

  const takeOff = (die) => die.remove();

  byId("pad-enter")?.addEventListener("click", async () => {
    const dice = [...byId("pad-dice").children].map((die) => Number(die.dataset.slot));
    if (dice.length && await post("/api/v1/dice", { dice })) byId("pad").close();
  });

  // The tray's button: down and up go to the companion, which counts the time as for a finger.
  const button = byId("tray-button");
  let isDown = false;
  let isTaken = false;

  // Refused on its way down, as another finger is there, it must not let go for that one.
  function press(down) {
    if (down === isDown) return;
    isDown = down;
    button.classList.toggle("down", down);
    if (down) post("/api/v1/button", { down }).then((ok) => { isTaken = ok; });
    else post("/api/v1/button", { down }, () => isTaken);
  }

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

  function addPlayer() {
    const row = rows().find((each) => each.hidden);
    if (!row) return toast("Twenty players are enough.");
    row.hidden = false;
    return input(row).focus();
  }

  function removePlayer(seat) {
    const shown = rows().filter((row) => !row.hidden);
    if (shown.length === 2) return toast("A match has at least two players.");
    for (let i = seat; i < shown.length - 1; i++) input(shown[i]).value = input(shown[i + 1]).value;
    input(shown.at(-1)).value = "";
    shown.at(-1).hidden = true;
    return input(shown[Math.min(seat, shown.length - 2)]).focus();
  }

  function setUp(form) {
    const shown = rows().filter((row) => !row.hidden).map(input);
    return {
      names: shown.map((field) => field.value.trim() || field.placeholder),
      target: Number(form.elements.target.value),
      rules: form.elements.rules.value,
    };
  }

  document.addEventListener("click", (event) => { if (event.target.id === "add-player") addPlayer(); });
  document.addEventListener("change", ({ target }) => {
    if (target.name === "rules") target.form.elements.target.value = target.selectedOptions[0].dataset.target;
  });
  document.addEventListener("submit", async (event) => {
    if (!event.target.dataset.submit) return;
    event.preventDefault();
    const started = await post(event.target.dataset.submit, setUp(event.target));
    if (started && !byId("board")) location.assign("/");
  });
})();
