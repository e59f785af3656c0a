// Replays the throws of a match, with a slider or automatically.
"use strict";
(() => {
  const THROW_MS = 1400;
  const byId = (id) => document.getElementById(id);
  let timer = 0;
  let rolls = new Map(); // address of the clip of each throw whose roll was recorded

  const all = () => JSON.parse(byId("replay").dataset.frames);

  function die(face, kept) {
    const drawn = byId("replay-faces").children[face - 1].cloneNode(true);
    drawn.classList.toggle("kept", kept);
    return drawn;
  }

  function show() {
    const { dataset } = byId("replay");
    const frame = all()[Number(byId("replay-at").value)];
    const left = [...frame.kept];
    const keeps = (face) => left.includes(face) && left.splice(left.indexOf(face), 1).length > 0;
    byId("replay-dice").replaceChildren(...frame.dice.map((face) => die(face, keeps(face))));
    for (const row of byId("replay-who").children) {
      const seats = JSON.parse(row.dataset.seats);
      row.classList.toggle("on-turn", seats.includes(frame.seat));
      row.querySelector("b").textContent = frame.scores[seats[0]]?.toLocaleString(document.documentElement.lang) ?? "";
    }
    const kind = frame.ending === "bank" && !frame.points ? "over" : frame.ending;
    const ending = kind === null ? "" : dataset[kind].replace("{points}", frame.points.toLocaleString(document.documentElement.lang));
    byId("replay-roll").hidden = !rolls.has(frame.index);
    byId("replay-roll").dataset.clip = rolls.get(frame.index) ?? "";
    byId("replay-says").textContent = [dataset.turn.replace("{n}", frame.turn), ending].filter(Boolean).join(": ");
  }

  async function findRolls() {
    const answer = await fetch(byId("replay").dataset.rolls).catch(() => null);
    if (!answer?.ok) return;
    rolls = new Map((await answer.json()).clips.map(({ throw: index, url }) => [index, url]));
    show();
  }

  function stop() {
    clearInterval(timer);
    timer = 0;
    byId("replay-play")?.setAttribute("aria-pressed", "false");
  }

  function next() {
    const slider = byId("replay-at");
    if (!slider || Number(slider.value) >= Number(slider.max)) return stop();
    slider.value = String(Number(slider.value) + 1);
    return show();
  }

  document.addEventListener("click", ({ target }) => {
    if (target.closest("#replay-roll")) return stop();
    if (!target.closest("#replay-play")) return;
    if (timer) return stop();
    const slider = byId("replay-at");
    if (slider.value === slider.max) slider.value = "0";
    show();
    byId("replay-play").setAttribute("aria-pressed", "true");
    timer = setInterval(next, THROW_MS);
  });
  document.addEventListener("input", ({ target }) => { if (target.id === "replay-at") { stop(); show(); } });
  if (byId("replay")) {
    show();
    findRolls();
  }
})();
