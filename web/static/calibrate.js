// The steps of the calibration. Each shows a part of one state that the server keeps.
"use strict";
(() => {
  const API = "/api/v1/calibration";
  const ASK_MS = 1000;
  const PICTURE_MS = 700;
  const CHECK_MS = 3000;
  const ANSWER_MS = 60000; // longer than the slowest step takes on a small Pi
  const TELL_MS = 400; // a quick answer needs no explanation
  const STEPS = ["tray", "checks", "parts", "dice", "test", "save"];
  const LISTENS = { parts: "button", dice: "learn", test: "test" };
  const byId = (id) => document.getElementById(id);
  const words = JSON.parse(byId("calibrate").dataset.words);
  const fill = (text, holes) => text.replace(/\{(\w+)\}/g, (hole, name) => holes[name] ?? hole);
  const isScorekeeper = () => document.documentElement.classList.contains("holder");
  const section = (name) => document.querySelector(`[data-step="${name}"]`);
  let state = null;
  let step = 0;
  let checkedMs = 0;
  let sent = 0; // requests sent; only the answer to the last one is shown
  let waiting = 0; // taps whose answer is still missing
  let telling = 0; // the timer that says why buttons do nothing
  let queue = Promise.resolve();

  async function ask(what, body) {
    try {
      const options = body && { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
      const answer = await fetch(API + what, { cache: "no-store", signal: AbortSignal.timeout?.(ANSWER_MS), ...options });
      const result = await answer.json();
      if (answer.ok) return result;
      window.toast(result.detail);
    } catch {
      window.toast(words.silent);
    }
    return null;
  }

  // Sends requests one after the other, and shows only the newest answer.
  function post(what, body = {}, taps = 1) {
    sent += 1;
    const number = sent;
    setWaiting(waiting + taps);
    queue = queue.then(async () => {
      const fresh = await ask(`/${what}`, body);
      setWaiting(waiting - taps);
      if (fresh && number === sent) show(fresh);
      return fresh;
    });
    return queue;
  }

  function setWaiting(n) {
    waiting = n;
    for (const button of document.querySelectorAll(".tools button")) {
      button.classList.toggle("busy", n > 0);
      if (n > 0) button.setAttribute("aria-disabled", "true"); else button.removeAttribute("aria-disabled");
    }
    clearTimeout(telling);
    if (n > 0) telling = setTimeout(() => { byId("waits").textContent = words.waits; }, TELL_MS);
    else byId("waits").textContent = "";
  }

  async function refresh() {
    if (isScorekeeper() && !document.hidden && !waiting && !window.corners.held) {
      const newest = sent;
      const fresh = await ask("");
      if (fresh && newest === sent) show(fresh);
      if (STEPS[step] === "checks" && Date.now() - checkedMs > CHECK_MS) runCheck();
    }
    setTimeout(refresh, ASK_MS);
  }

  // The check runs by itself, so it must not block the buttons.
  async function runCheck() {
    checkedMs = Infinity;
    await post("check", {}, 0);
    checkedMs = Date.now();
  }

  // Shows the camera picture, and requests the next one as soon as it has loaded.
  function refreshPicture() {
    const next = new Image();
    const again = () => setTimeout(refreshPicture, document.hidden ? ASK_MS * 3 : PICTURE_MS);
    next.addEventListener("load", () => {
      if (!window.corners.held) byId("picture").src = next.src;
      byId("nothing").hidden = true;
      again();
    });
    next.addEventListener("error", () => { byId("nothing").hidden = false; again(); });
    if (isScorekeeper()) next.src = `${API}/picture.jpg?at=${Date.now()}`;
    else again();
  }

  // Showing the state

  function show(fresh) {
    state = fresh;
    const name = STEPS[step];
    window.corners.show(state, { edit: name === "tray", dice: name === "dice" || name === "test" });
    byId("words").textContent = state.drift ? `${state.words} ${state.drift}` : state.words;
    showAside();
    replaceList("findings", state.checks.map((check) => finding(check.ok, check.verdict, check.advice)));
    showParts(state.parts);
    showDice(state.learning);
    showTrials();
    showSummary();
    document.querySelectorAll(".throw").forEach((button) => { button.hidden = !state.simulated; });
    const known = [state.sure !== false, state.checks.length > 0, state.parts.pressed, state.learning.learnt, passed() >= state.needed, !state.unsaved && state.made];
    document.querySelectorAll("[data-go]").forEach((button, i) => {
      button.classList.toggle("done", Boolean(known[i]));
      if (i === step) button.setAttribute("aria-current", "step"); else button.removeAttribute("aria-current");
    });
  }

  // Replaces a list only if it has changed, so that a screen reader does not repeat it.
  function replaceList(name, items) {
    const fresh = items.map((item) => item.outerHTML).join("");
    if (byId(name).innerHTML !== fresh) byId(name).replaceChildren(...items);
  }

  function finding(ok, what, more) {
    const item = document.createElement("li");
    item.className = ok === null ? "" : ok ? "good" : "bad";
    const bold = document.createElement("b");
    bold.textContent = what;
    item.append(bold);
    if (more) {
      const span = document.createElement("span");
      span.textContent = more;
      item.append(span);
    }
    return item;
  }

  function showAside() {
    const on = state.aside !== null;
    byId("aside").setAttribute("aria-pressed", String(on));
    byId("aside").textContent = on ? words.zone.on : words.zone.off;
    byId("aside-words").textContent = on ? words.zone.why : state.room ? words.zone.without : words.zone.no_room;
  }

  function showParts(parts) {
    byId("part-press").className = parts.pressed ? "good" : "";
    byId("part-hold").className = parts.held ? "good" : "";
    byId("no-button").hidden = parts.real_button;
    for (const button of document.querySelectorAll("[data-show]")) {
      const said = parts.lamp[button.dataset.show];
      button.classList.toggle("good", said === true);
      button.classList.toggle("bad", said === false);
      button.setAttribute("aria-pressed", String(parts.showing === button.dataset.show));
    }
    byId("lamp-answer").hidden = !parts.showing;
    byId("lamp-question").textContent = parts.showing ? fill(words.lamp.is, { colour: words.lamp[parts.showing] }) : words.lamp.tap;
    const wrong = Object.keys(parts.lamp).filter((colour) => parts.lamp[colour] === false).map((colour) => words.lamp[colour]);
    byId("lamp-advice").textContent = wrong.length ? fill(words.lamp.wrong, { colours: wrong.join(", ") }) : "";
  }

  function showDice(learning) {
    byId("dice-progress").value = Math.min(learning.looked_at, learning.needed);
    byId("dice-progress").max = learning.needed;
    byId("dice-words").textContent = learning.learnt ? fill(words.dice.known, { dice: learning.words })
      : learning.looked_at ? fill(words.dice.more, { n: learning.looked_at, all: learning.needed }) : words.dice.unknown;
  }

  const passed = () => state.trials.filter((trial) => trial.passed).length;

  function showTrials() {
    const rows = Array.from({ length: state.needed }, (_, i) => {
      const trial = state.trials[i];
      const item = document.createElement("li");
      item.className = trial ? (trial.passed ? "good" : "bad") : "";
      if (trial?.passed) item.append(...trial.values.map(die));
      else item.textContent = trial ? trial.words : fill(words.test.throw, { n: i + 1 });
      return item;
    });
    if (passed() >= state.needed) rows.push(finding(true, words.test.ready));
    replaceList("trials", rows);
  }

  function die(value) {
    const svg = window.createSvg("svg", { viewBox: "0 0 100 100", class: "die", role: "img", "aria-label": value });
    svg.append(window.createSvg("use", { href: `#d${value}` }));
    return svg;
  }

  function showSummary() {
    const bad = state.checks.filter((check) => check.ok === false);
    replaceList("summary", [
      finding(state.sure === false ? null : true, state.sure === false ? words.sum.no_corners : words.sum.corners),
      finding(state.aside ? true : null, state.aside ? words.sum.zone : words.sum.no_zone),
      finding(state.checks.length ? !bad.length : null, state.checks.length ? (bad.length ? bad[0].verdict : words.sum.picture) : words.sum.no_picture, bad[0]?.advice),
      finding(state.learning.learnt ? true : null, state.learning.learnt ? fill(words.sum.dice, { dice: state.learning.words }) : words.sum.no_dice),
      finding(passed() >= state.needed ? true : null, fill(words.sum.test, { n: passed(), all: state.needed })),
    ]);
    byId("save-title").textContent = state.unsaved || !state.made ? words.save.ask : words.save.saved;
    const when = state.made && new Date(state.made).toLocaleString(document.documentElement.lang);
    byId("saved-words").textContent = when ? fill(words.save.last, { when }) : words.save.nothing;
    if (STEPS[step] === "save") byId("next").textContent = state.unsaved || !state.made ? words.save.do : words.save.leave;
  }

  // Moving between the steps

  function go(to) {
    step = Math.max(0, Math.min(STEPS.length - 1, to));
    const name = STEPS[step];
    for (const each of STEPS) section(each).hidden = each !== name;
    byId("next").textContent = section(name).dataset.next;
    byId("back").hidden = step === 0;
    scrollTo({ top: 0 });
    ask("/listen", { to: LISTENS[name] || "" }); // before anything else, because the button may be pressed at any moment
    if (name === "checks") runCheck();
    if (name === "tray" && state && !state.made && !state.unsaved) post("find");
  }

  async function next() {
    const to = step + 1;
    if (STEPS[step] !== "save") {
      if (STEPS[step] === "tray" && !await post("place", { tray: state.tray, aside: state.aside })) return;
      go(to);
    } else if (state.unsaved || !state.made) {
      const fresh = await post("save");
      if (fresh) window.toast(words.save.done);
    } else {
      location.assign("/");
    }
  }

  byId("next").addEventListener("click", next);
  byId("back").addEventListener("click", () => go(step - 1));
  byId("aside").addEventListener("click", () => (state.aside ? post("place", { tray: state.tray, aside: null }) : post("propose")));
  document.addEventListener("placed", (event) => {
    state = { ...state, ...event.detail };
    post("place", event.detail);
  });
  document.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    const { ask: what, go: to, show: colour, said } = button.dataset;
    if (to) go(Number(to));
    if (waiting) {
      if (button.closest(".tools")) byId("waits").textContent = words.waits;
      return;
    }
    if (what) post(what);
    if (colour) post("show", { colour });
    if (said) post("lamp", { colour: state.parts.showing, seen: said === "true" });
  });

  addEventListener("pagehide", () => navigator.sendBeacon?.(`${API}/listen`, new Blob(['{"to": ""}'], { type: "application/json" })));

  // Waits until this phone is the scorekeeper.
  async function begin() {
    if (!isScorekeeper()) return setTimeout(begin, ASK_MS);
    const fresh = await ask("");
    if (fresh) show(fresh);
    go(0);
    refresh();
    return refreshPicture();
  }

  begin();
})();
