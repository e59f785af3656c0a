// The form for a new match. It may appear and disappear with the board.
"use strict";
(() => {
  const COLOURS = 10;
  const words = JSON.parse(document.body.dataset.words);
  const byId = (id) => document.getElementById(id);
  const rows = () => [...document.querySelectorAll("#names li")];
  const input = (row) => row.querySelector("input");

  // A name moves together with its team and its head start.
  const nameAndTeam = (row) => [input(row), row.querySelector(".team"), row.querySelector(".head-start")];
  const playerOf = (row) => nameAndTeam(row).map((field) => field.value);
  const seatPlayer = (row, player) => nameAndTeam(row).forEach((field, i) => { field.value = player[i]; });

  function addPlayer() {
    const row = rows().find((each) => each.hidden);
    if (!row) return window.toast(words.twenty);
    row.hidden = false;
    return input(row).focus();
  }

  const fewest = () => (byId("bot").value ? 1 : 2);

  function removePlayer(seat) {
    const shown = rows().filter((row) => !row.hidden);
    if (shown.length === fewest()) return window.toast(words.two);
    for (let i = seat; i < shown.length - 1; i++) seatPlayer(shown[i], playerOf(shown[i + 1]));
    input(shown.at(-1)).value = "";
    shown.at(-1).querySelector(".head-start").value = 0;
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
  offerRecent();

  const seated = () => rows().filter((row) => !row.hidden).map(input);

  // A bot takes the place of the second of two people. Without a bot there are two rows again.
  function chooseBot() {
    const shown = rows().filter((row) => !row.hidden);
    if (byId("bot").value && shown.length === 2) shown[1].hidden = true;
    if (!byId("bot").value && shown.length === 1) rows()[1].hidden = false;
    showBot();
  }

  function botFields() {
    const bot = byId("bot").value;
    if (!bot) return {};
    return { bot, bot_dice: byId("bot-dice").value, ...(bot === "like" ? { like: byId("bot-like").value.trim() } : {}) };
  }

  function headStarts(shown) {
    if (!byId("with-handicap").checked) return {};
    const points = shown.map((field) => Number(field.closest("li").querySelector(".head-start").value));
    if (byId("bot").value) points.push(Number(byId("bot-head-start").value));
    return points.some(Boolean) ? { head_starts: points } : {};
  }

  const seriesOf = (form) => {
    const length = Number(form.elements.best_of.value);
    return length > 1 ? { best_of: length } : {};
  };

  const rulesOf = (form) => ({
    target: Number(form.elements.target.value),
    rules: form.elements.rules.value,
    options: window.changedOptions(form),
  });

  // Gives the second of two players the points that make up for throwing second.
  async function evenChances(form) {
    const shown = seated();
    let found;
    try {
      found = await window.postJson("/api/v1/head-start", rulesOf(form));
    } catch (refusal) {
      window.toast(refusal.detail || words.silent);
      return;
    }
    const fields = shown.map((field) => field.closest("li").querySelector(".head-start"));
    if (byId("bot").value) fields.push(byId("bot-head-start"));
    fields.forEach((field, i) => { field.value = i === found.seat ? found.points : 0; });
  }

  function setUp(form) {
    const shown = seated();
    return {
      names: shown.map((field) => field.value.trim() || field.dataset.nameless),
      ...rulesOf(form),
      ...seriesOf(form),
      ...botFields(),
      ...headStarts(shown),
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
    byId("rules-summary").textContent = rules.selectedOptions[0].dataset.summary;
    rules.form.elements.target.closest("label").hidden = Number(rules.selectedOptions[0].dataset.rounds) > 0;
  }

  // The form is kept while somebody reads the rules on their own page, and when the page is loaded again.
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

  // The last match that this phone set up is offered again, with one tap.
  const LAST = "traykeeper-last-match";

  function lastMatch() {
    try { return JSON.parse(localStorage.getItem(LAST)); } catch { return null; }
  }

  function offerLastMatch() {
    const last = lastMatch();
    const button = byId("play-again");
    if (!button || !last) return;
    offerLastRules(last.match.rules);
    button.hidden = false;
    button.querySelector("small").textContent = `${last.match.names.join(", ")} · ${last.title}`;
  }

  // The rules that this phone chose last are the first of the list.
  function offerLastRules(name) {
    const { rules } = byId("new-match").elements;
    const option = [...rules.options].find((each) => each.value === name);
    if (!option || rules.querySelector(".last")) return;
    const chosen = rules.value;
    const group = Object.assign(document.createElement("optgroup"), { className: "last", label: byId("rules-summary").dataset.last });
    group.append(option);
    rules.prepend(group);
    rules.value = chosen;
  }

  // A match that the board does not show yet must not be replaced.
  async function begin(match) {
    if (byId("board")) await window.pollBoard();
    if (!byId("new-match")) return window.toast(words.dropped);
    const started = await window.post("/api/v1/match", match);
    if (started && !byId("board")) location.assign("/");
    else if (started) scrollTo(0, 0);
    return started;
  }

  const playAgain = window.once(() => begin(lastMatch().match));

  // Before all scripts have run, a tap on this button would lose what was typed.
  function allowStart() {
    if (byId("start")) byId("start").disabled = false;
  }

  for (const job of [offerLastMatch, allowStart]) {
    document.addEventListener("swapped", job);
    document.addEventListener("DOMContentLoaded", job);
  }
  document.addEventListener("click", ({ target }) => { if (target.closest("#play-again")) playAgain(); });

  const startMatch = window.once(async (form) => {
    const match = setUp(form);
    const title = form.elements.rules.selectedOptions[0].text;
    const typed = rows().filter((row) => !row.hidden).map((row) => input(row).value.trim()).filter(Boolean);
    if (!await begin(match)) return;
    remember(typed);
    try { localStorage.setItem(LAST, JSON.stringify({ match, title })); } catch { /* nothing is offered */ }
  });

  // Invites another tray, or joins its match. Only the names that were typed are players at this tray.
  const share = window.once(async (button) => {
    const form = button.form;
    const names = rows().filter((row) => !row.hidden).map((row) => input(row).value.trim()).filter(Boolean);
    if (!names.length) return window.toast(byId("other-tray").dataset.names);
    const { rules, target, options, best_of } = setUp(form);
    const joins = button.dataset.share === "join";
    const body = joins ? { invitation: byId("invitation").value.trim(), names } : { names, rules, target, options, best_of };
    const done = await window.post(`/api/v1/shared-match/${button.dataset.share}`, body);
    if (done) remember(names);
    if (done) location.assign(joins ? "/" : "/shared");
    return done;
  });

  document.addEventListener("click", ({ target }) => {
    const button = target.closest("[data-share]");
    if (button) share(button);
  });
  document.addEventListener("keydown", (event) => {
    const isName = event.target.matches("#names input");
    if (event.key !== "Enter" || !(isName || event.target.id === "invitation")) return;
    event.preventDefault(); // Enter would start a match at this tray
    if (!isName) return void share(document.querySelector("[data-share=join]"));
    const next = seated()[seated().indexOf(event.target) + 1];
    if (next) next.focus();
    else event.target.blur();
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

  function showHandicap() {
    const isOn = byId("with-handicap")?.checked;
    for (const label of document.querySelectorAll(".starts")) label.hidden = !isOn;
    if (byId("handicap")) byId("handicap").hidden = !isOn;
    showBot();
  }

  // A bot cannot play in a team, so each of the two choices rules out the other.
  function showBot() {
    if (!byId("bot")) return;
    const bot = byId("bot").value;
    byId("in-teams").disabled = Boolean(bot);
    byId("bot").disabled = byId("in-teams").checked;
    byId("not-both").hidden = !bot && !byId("in-teams").checked;
    const shows = { "bot-like": bot === "like", "bot-dice": bot, "bot-head-start": bot && byId("with-handicap")?.checked };
    for (const [id, shown] of Object.entries(shows)) {
      const label = byId(id)?.closest("label");
      if (label) label.hidden = !shown;
    }
  }

  document.addEventListener("swapped", showTeams);
  document.addEventListener("swapped", showHandicap);
  showTeams();
  showHandicap();

  document.addEventListener("click", ({ target }) => {
    const { earlier, remove } = target.closest("[data-earlier], [data-remove]")?.dataset || {};
    if (earlier) moveEarlier(Number(earlier));
    if (remove) removePlayer(Number(remove));
    if (target.id === "add-player") addPlayer();
    if (target.id === "shuffle") shuffle();
    if (earlier || remove || target.id === "add-player" || target.id === "shuffle") showTeams();
    if (target.id === "even-chances") evenChances(target.closest("form"));
    if (target.id === "to-roll-off") document.documentElement.classList.add("rolls-off");
  });
  document.addEventListener("change", ({ target }) => {
    if (target.matches("#in-teams, .team")) showTeams();
    if (target.id === "in-teams") showBot();
    if (target.id === "with-handicap") showHandicap();
    if (target.id === "bot") chooseBot();
    if (target.name === "rules") chooseRules(target);
  });
  // The script that finds rules is loaded at the first tap.
  const findRules = window.once(async (button) => {
    window.toast(words.loading, window.longestMs);
    try {
      const src = document.querySelector("[data-find-rules]").dataset.findRules;
      const load = (onload, onerror) => document.head.append(Object.assign(document.createElement("script"), { src, onload, onerror }));
      if (!window.findRules) await new Promise(load);
      await window.findRules(button);
      window.toast("");
    } catch { window.toast(words.silent); }
  });
  document.addEventListener("click", ({ target }) => { if (target.id === "find-rules") findRules(target); });
  document.addEventListener("click", ({ target }) => { if (target.id === "explained") saveDraft(target.closest("form")); });
  document.addEventListener("reloads", () => { if (byId("new-match")) saveDraft(byId("new-match")); });
  document.addEventListener("DOMContentLoaded", restoreDraft);
  document.addEventListener("submit", (event) => {
    if (event.target.id !== "new-match") return;
    event.preventDefault();
    startMatch(event.target);
  });
})();

// House rules: changed options are marked, and only these are sent.
(() => {
  const byId = (id) => document.getElementById(id);
  const fields = (form) => [...form.querySelectorAll("[data-option]")];

  // Returns the published value of each option of the chosen rules.
  function published(form) {
    const chosen = form.elements.rules.selectedOptions[0].dataset.options;
    return { ...JSON.parse(byId("options").dataset.defaults), ...JSON.parse(chosen) };
  }

  function valueOf(field) {
    if (field.type === "checkbox") return field.checked;
    return field.type === "number" ? Number(field.value) : field.value;
  }

  function setValue(field, value) {
    if (field.type === "checkbox") field.checked = value;
    else field.value = value;
  }

  window.changedOptions = (form) => {
    const defaults = published(form);
    return Object.fromEntries(fields(form).map((field) => [field.dataset.option, valueOf(field)])
      .filter(([name, value]) => value !== defaults[name]));
  };

  function valueText(field, value) {
    if (field.type !== "select-one") return String(value);
    return [...field.options].find((option) => option.value === value).text;
  }

  function markChanges() {
    const form = byId("new-match");
    if (!form) return;
    const defaults = published(form);
    const changed = window.changedOptions(form);
    for (const field of fields(form)) {
      const name = field.dataset.option;
      const hasOldValue = name in changed && field.type !== "checkbox";
      field.closest("label").classList.toggle("changed", name in changed);
      field.closest("label").querySelector("small").textContent = hasOldValue
        ? byId("options").dataset.was.replace("{value}", valueText(field, defaults[name])) : "";
    }
    // Fixed points for each face can only come from the rule set.
    form.querySelector("[data-option=alike] [value=fixed]").hidden = defaults.alike !== "fixed";
    const n = Object.keys(changed).length;
    byId("options").querySelector("summary small").textContent = n ? byId("options").dataset.count.replace("{n}", n) : "";
  }

  function resetOptions() {
    const defaults = published(byId("new-match"));
    for (const field of fields(byId("new-match"))) setValue(field, defaults[field.dataset.option]);
    markChanges();
  }

  document.addEventListener("change", ({ target }) => {
    if (target.name === "rules" && target.form?.id === "new-match") resetOptions();
    else if (target.dataset.option) markChanges();
  });
  document.addEventListener("click", ({ target }) => { if (target.id === "as-published") resetOptions(); });
  // The browser cannot point to an invalid field in a closed section.
  document.addEventListener("invalid", ({ target }) => target.closest("details")?.setAttribute("open", ""), true);
  document.addEventListener("swapped", markChanges);
  markChanges();
})();
