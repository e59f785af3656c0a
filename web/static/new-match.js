// The form for a new match. It may appear and disappear with the board.
"use strict";
(() => {
  const COLOURS = 10;
  const words = JSON.parse(document.body.dataset.words);
  const byId = (id) => document.getElementById(id);
  const rows = () => [...document.querySelectorAll("#names li")];
  const input = (row) => row.querySelector("input");

  // A name moves together with its team.
  const nameAndTeam = (row) => [input(row), row.querySelector(".team")];
  const playerOf = (row) => nameAndTeam(row).map((field) => field.value);
  const seatPlayer = (row, player) => nameAndTeam(row).forEach((field, i) => { field.value = player[i]; });

  function addPlayer() {
    const row = rows().find((each) => each.hidden);
    if (!row) return window.toast(words.twenty);
    row.hidden = false;
    return input(row).focus();
  }

  function removePlayer(seat) {
    const shown = rows().filter((row) => !row.hidden);
    if (shown.length === 2) return window.toast(words.two);
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

  // The Fisher-Yates shuffle, in which every order is equally likely.
  function shuffle() {
    const shown = rows().filter((row) => !row.hidden);
    const players = shown.map(playerOf);
    for (let i = players.length - 1; i > 0; i--) {
      const j = Math.floor(Math.random() * (i + 1));
      [players[i], players[j]] = [players[j], players[i]];
    }
    shown.forEach((row, i) => seatPlayer(row, players[i]));
  }

  // Names that were used on this phone before are offered while somebody types.
  const RECENT = "traykeeper-players";
  const MAX_RECENT = 30;

  function recent() {
    try { return JSON.parse(localStorage.getItem(RECENT)) || []; } catch { return []; }
  }

  function offerRecent() {
    byId("recent")?.replaceChildren(...recent().map((name) => new Option(name, name)));
  }

  function remember(names) {
    const all = [...new Set([...names, ...recent()])].slice(0, MAX_RECENT);
    try { localStorage.setItem(RECENT, JSON.stringify(all)); } catch { /* nothing is remembered */ }
  }

  document.addEventListener("swapped", offerRecent);
  // A board that was opened during a match has not loaded the script for house rules.
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

  // Takes the target of the chosen rules.
  function chooseRules(rules) {
    rules.form.elements.target.value = rules.selectedOptions[0].dataset.target;
    showRules(rules);
  }

  function showRules(rules) {
    byId("explained").href = `/rules/${rules.value}`;
    rules.form.elements.target.closest("label").hidden = Number(rules.selectedOptions[0].dataset.rounds) > 0;
  }

  // The form is kept while somebody reads the rules on their own page.
  const DRAFT = "traykeeper-draft";
  const value = (field) => (field.type === "checkbox" ? field.checked : field.value);

  function saveDraft(form) {
    try { sessionStorage.setItem(DRAFT, JSON.stringify([...form.elements].map(value))); } catch { /* the form will be empty */ }
  }

  function loadDraft() {
    try {
      const draft = JSON.parse(sessionStorage.getItem(DRAFT));
      sessionStorage.removeItem(DRAFT);
      return draft || [];
    } catch { return []; }
  }

  function restoreDraft() {
    const form = byId("new-match");
    if (!form) return;
    const draft = loadDraft();
    if (draft.length !== form.elements.length) return;
    [...form.elements].forEach((field, i) => {
      if (field.type === "checkbox") field.checked = draft[i];
      else field.value = draft[i];
    });
    const last = rows().findLastIndex((row) => input(row).value);
    rows().forEach((row, i) => { row.hidden = row.hidden && i > last; });
    showRules(form.elements.rules);
    document.dispatchEvent(new Event("swapped"));
  }

  const startMatch = window.once(async (form) => {
    const match = setUp(form);
    const typed = rows().filter((row) => !row.hidden).map((row) => input(row).value.trim()).filter(Boolean);
    const started = await window.post(form.dataset.submit, match);
    if (started) remember(typed);
    if (started && !byId("board")) location.assign("/");
    else if (started) scrollTo(0, 0);
  });

  // Each team has the colour that it will have in the match: the colour of its first player.
  function showTeams() {
    const isOn = byId("in-teams")?.checked;
    const selects = rows().filter((row) => !row.hidden).map((row) => row.querySelector(".team"));
    for (const select of document.querySelectorAll(".team")) select.hidden = !isOn;
    for (const select of selects) {
      const first = selects.findIndex((each) => each.value === select.value);
      select.className = `team seat-${first % COLOURS}`;
    }
  }

  document.addEventListener("swapped", showTeams);
  showTeams();

  document.addEventListener("click", ({ target }) => {
    const { earlier, remove } = target.closest("[data-earlier], [data-remove]")?.dataset || {};
    if (earlier) moveEarlier(Number(earlier));
    if (remove) removePlayer(Number(remove));
    if (target.id === "add-player") addPlayer();
    if (target.id === "shuffle") shuffle();
    if (earlier || remove || target.id === "add-player" || target.id === "shuffle") showTeams();
  });
  document.addEventListener("change", ({ target }) => {
    if (target.matches("#in-teams, .team")) showTeams();
    if (target.name === "rules") chooseRules(target);
  });
  document.addEventListener("click", ({ target }) => { if (target.id === "explained") saveDraft(target.closest("form")); });
  document.addEventListener("DOMContentLoaded", restoreDraft);
  document.addEventListener("submit", (event) => {
    if (event.target.id !== "new-match") return;
    event.preventDefault();
    startMatch(event.target);
  });
})();
