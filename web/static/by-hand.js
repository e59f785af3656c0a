// The dialog for changes by hand, filled with the current turn and scores.
"use strict";
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
