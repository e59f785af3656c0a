// The dialog for changes by hand, filled with the current turn and scores.
"use strict";
(() => {
  const byId = (id) => document.getElementById(id);

  let step = {}; // the step of the match when the dialog was opened

  function openDialog() {
    step = window.shownStep();
    const players = [...document.querySelectorAll(".players .name")];
    const hero = document.querySelector(".hero");
    const onTurn = players.find((name) => name.dataset.onTurn !== undefined) || players[0];
    for (const select of byId("hand").querySelectorAll(".seats")) {
      const offered = players.filter((name) => name.dataset.gone === undefined || select.dataset.all !== undefined);
      select.replaceChildren(...offered.map((name) => new Option(name.textContent, name.dataset.seat)));
      select.value = onTurn.dataset.seat;
    }
    const [turn, score] = byId("hand").querySelectorAll("form");
    turn.elements.points.value = hero.dataset.atRisk || 0;
    turn.elements.dice.value = hero.dataset.toThrow || 6;
    score.elements.score.value = onTurn.dataset.score;
    byId("hand").querySelector(".on-turn-name").textContent = onTurn.textContent;
    for (const button of byId("hand").querySelectorAll("[data-done]")) {
      button.dataset.body = JSON.stringify({ on_turn: Number(onTurn.dataset.seat), ...step });
    }
    byId("hand").showModal();
  }

  const setByHand = window.once(async (form) => {
    const fields = [...form.elements].filter((field) => field.name);
    const body = Object.fromEntries(fields.map((field) => [field.name, field.name === "name" ? field.value.trim() : Number(field.value)]));
    const aimed = form.dataset.submit.endsWith("/turn") || form.dataset.submit.endsWith("/score") ? step : {};
    if (await window.post(form.dataset.submit, { ...body, ...aimed })) byId("hand").close();
    step = window.shownStep(); // after a refusal, the next attempt is meant for what is shown now
  });

  document.addEventListener("change", ({ target }) => {
    if (!target.closest("[data-submit$='/score']") || target.name !== "seat") return;
    target.form.elements.score.value = document.querySelector(`.players [data-seat="${target.value}"]`).dataset.score;
  });
  document.addEventListener("click", ({ target }) => { if (target.closest("[data-hand]")) openDialog(); });
  document.addEventListener("submit", (event) => {
    if (!event.target.closest("#hand")) return;
    event.preventDefault();
    setByHand(event.target);
  });
})();
