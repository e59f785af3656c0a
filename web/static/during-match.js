// What a match or a photo needs, and the form for a match does not: changes by hand, and photos of the dice.
"use strict";

// The dialog for changes by hand, filled with the current turn and scores.
(() => {
  const byId = (id) => document.getElementById(id);

  let step = {}; // the step of the match when the dialog was opened

  function openDialog() {
    for (const select of byId("hand").querySelectorAll(".seats")) select.replaceChildren();
    fill();
    byId("hand").showModal();
  }

  // A seat that was chosen stays chosen. If that player has left, the browser asks for another one.
  function fill() {
    step = window.shownStep();
    const players = [...document.querySelectorAll(".players .name")];
    const hero = document.querySelector(".hero");
    const current = players.find((name) => name.dataset.onTurn !== undefined) || players[0];
    const [turn, score] = byId("hand").querySelectorAll("form");
    for (const select of byId("hand").querySelectorAll(".seats")) {
      const offered = players.filter((name) => name.dataset.gone === undefined || select.dataset.all !== undefined);
      const chosen = select.form !== turn && select.options.length ? select.value : current.dataset.seat;
      select.replaceChildren(...offered.map((name) => new Option(name.textContent, name.dataset.seat)));
      select.value = chosen;
      select.required = true;
    }
    turn.elements.points.value = hero.dataset.atRisk || 0;
    turn.elements.dice.value = hero.dataset.toThrow || 6;
    fillScore(score);
    byId("hand").querySelector(".on-turn-name").textContent = current.textContent;
    for (const button of byId("hand").querySelectorAll("[data-done]")) {
      button.dataset.body = JSON.stringify({ on_turn: Number(current.dataset.seat), ...step });
    }
  }

  function fillScore({ elements: { seat, score } }) {
    score.value = document.querySelector(`.players [data-seat="${seat.value}"]`)?.dataset.score;
  }

  const setByHand = window.once(async (form) => {
    const fields = [...form.elements].filter((field) => field.name);
    const body = Object.fromEntries(fields.map((field) => [field.name, field.name === "name" ? field.value.trim() : Number(field.value)]));
    const given = "name" in body ? {} : step; // a name does not depend on what was thrown
    if (await window.post(form.dataset.submit, { ...body, ...given })) byId("hand").close();
    else if (window.shownStep().step !== step.step) fill(); // the match has moved on: another turn, other scores
  });

  document.addEventListener("change", ({ target }) => {
    if (target.closest("[data-submit$='/score']") && target.name === "seat") fillScore(target.form);
  });
  document.addEventListener("click", ({ target }) => { if (target.closest("[data-hand]")) openDialog(); });
  document.addEventListener("submit", (event) => {
    if (!event.target.closest("#hand")) return;
    event.preventDefault();
    setByHand(event.target);
  });
})();

// Takes a picture of the dice with the phone, shrinks it, uploads it and has it read.
(() => {
  const API = "/api/v1/picture";
  const SMALL_BYTES = 1000000;
  const LONG_SIDE_PX = 2048;
  const QUALITY = 0.9;
  const words = JSON.parse(document.body.dataset.words);
  const input = document.getElementById("picture");
  if (!input) return; // a page without the dice

  // Only JPEG files are shrunk here; the server reports what is wrong with other files.
  async function shrink(file) {
    if (file.size < SMALL_BYTES || file.type !== "image/jpeg") return file;
    try {
      const image = await createImageBitmap(file);
      const share = Math.min(1, LONG_SIDE_PX / Math.max(image.width, image.height));
      const canvas = document.createElement("canvas");
      canvas.width = Math.round(image.width * share);
      canvas.height = Math.round(image.height * share);
      canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
      image.close();
      return await new Promise((done) => { canvas.toBlob((blob) => done(blob || file), "image/jpeg", QUALITY); });
    } catch {
      return file;
    }
  }

  let step = {}; // the step of the match when somebody tapped to take the picture

  async function send(file) {
    document.documentElement.classList.add("reads");
    window.toast(input.dataset.reading, window.longestMs);
    const upload = { upload: window.newKey() }; // two photos may be on their way at the same time
    try {
      await window.uploadInParts(`${API}/part`, await shrink(file), undefined, upload);
      await window.postJson(API, { ...step, ...upload });
      window.toast("");
      document.dispatchEvent(new Event("acted"));
    } catch (error) {
      window.toast(error.detail || words.silent);
    }
    document.documentElement.classList.remove("reads");
  }

  document.addEventListener("click", async ({ target }) => {
    if (!target.closest("[data-picture]") || !await window.mayPost(API)) return;
    step = window.shownStep();
    input.click();
  });

  // Clearing the input lets the same picture be chosen again after it was refused.
  input.addEventListener("change", () => {
    const [file] = input.files;
    input.value = "";
    if (file) send(file);
  });
})();

(() => {
  const byId = (id) => document.getElementById(id);

  // Shows the photo cropped to its dice, as large as the screen allows. Two fingers enlarge it further.
  function enlarge() {
    const image = document.querySelector(".photo img");
    const spots = [...document.querySelectorAll(".photo .spot")].map(({ cx, cy, r }) => [cx, cy, r].map((each) => each.baseVal.value));
    const [width, height] = [Number(image.getAttribute("width")), Number(image.getAttribute("height"))];
    const edge = (axis, sign, limit) => {
      const edges = spots.map((spot) => spot[axis] + sign * 1.5 * spot[2]);
      if (!edges.length) return sign < 0 ? 0 : limit;
      return sign < 0 ? Math.max(0, Math.min(...edges)) : Math.min(limit, Math.max(...edges));
    };
    const [left, right, top, bottom] = [edge(0, -1, width), edge(0, 1, width), edge(1, -1, height), edge(1, 1, height)];
    const picture = byId("enlarged").querySelector("svg");
    picture.setAttribute("viewBox", `${left} ${top} ${right - left} ${bottom - top}`);
    const copy = picture.querySelector("image");
    for (const [name, value] of Object.entries({ href: image.src, width, height })) copy.setAttribute(name, value);
    byId("enlarged").showModal();
  }

  document.addEventListener("click", ({ target }) => { if (target.closest("[data-enlarge]")) enlarge(); });
})();
