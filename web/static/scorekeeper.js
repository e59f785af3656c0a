// Whether this phone may change the match: as the scorekeeper, or in the turn of its own player.
"use strict";
(() => {
  const POLL_MS = 45000; // after two minutes, a scorekeeper counts as gone
  const POLL_ALONE_MS = 3000; // a page without a stream polls for requests
  const POLL_REQUEST_MS = 1000;
  const SETTLE_MS = 300;
  const API = "/api/v1/scorekeeper";
  const OWNER_API = "/api/v1/restore/"; // allowed by the PIN of the machine, not by being the scorekeeper
  const root = document.documentElement;
  const OWN_TURN = JSON.parse(document.body.dataset.own);
  const words = JSON.parse(document.body.dataset.words);
  const byId = (id) => document.getElementById(id);

  const boardState = () => byId("scorekeeper")?.querySelector("[data-holder]")?.dataset;

  // The board says which phone is the scorekeeper.
  function update() {
    const state = boardState();
    if (!state) return;
    const me = root.dataset.me;
    const players = JSON.parse(state.players);
    const isScorekeeper = Boolean(me) && state.holder === me;
    const isOwnTurn = Boolean(me) && state.own === "true" && Boolean(state.turn) && players[me] === state.turn;
    root.classList.toggle("holder", isScorekeeper);
    root.classList.toggle("watcher", !isScorekeeper && !isOwnTurn);
    root.classList.toggle("own-turn", isOwnTurn && !isScorekeeper);
    if (isScorekeeper && byId("asking").open) byId("asking").close();
    showWay(Boolean(me) && state.asking === me ? state.way : "", state.asker);
    if (!byId("menu").open) fillMenu(); // an open menu must keep what was just tapped
  }

  // Settings that only the board reports are hidden on other pages.
  function fillMenu() {
    const state = boardState();
    for (const id of ["own-turn", "coach-mode", "player"]) byId(id).closest("label").hidden = !state;
    if (!state) return;
    byId("own-turn").checked = state.own === "true";
    byId("coach-mode").value = state.coach;
    fillPlayers(JSON.parse(state.players)[root.dataset.me] || "");
  }

  // Shows how the request will be granted.
  let hasAsked = false;

  function showWay(way, asker) {
    byId("called").textContent = byId("called").dataset.called.replace("{name}", asker);
    hasAsked = hasAsked || Boolean(way);
    const now = way || (hasAsked ? "over" : "none");
    for (const each of byId("asking").querySelectorAll("[data-for]")) {
      each.hidden = !each.dataset.for.split(" ").includes(now);
    }
  }

  byId("asking").addEventListener("close", () => { hasAsked = false; });

  function fillPlayers(mine) {
    const names = [...document.querySelectorAll(".players .name:not([data-gone])")];
    const select = byId("player");
    const first = select.options[0];
    select.replaceChildren(first, ...names.map((name) => new Option(name.textContent, name.dataset.name)));
    select.value = names.some((name) => name.dataset.name === mine) ? mine : "";
    byId("who").hidden = !names.length;
  }

  let linkAnswer; // a promise; taps wait for it

  // Called by the other scripts before they send; on a watcher's phone it opens the dialog instead.
  window.mayPost = async (address) => {
    if (!isAllowed(address)) await linkAnswer;
    if (isAllowed(address)) return true;
    if (!byId("asking").open) byId("asking").showModal();
    return false;
  };

  function isAllowed(address) {
    if (root.classList.contains("holder") || address.startsWith(API) || address.startsWith(OWNER_API)) return true;
    return root.classList.contains("own-turn") && OWN_TURN.includes(address);
  }

  let sent = Promise.resolve();

  // Sends one setting after the other, so that the last answer is the one to the last tap.
  function sendInOrder(...given) {
    sent = sent.then(() => send(...given));
    return sent;
  }

  async function send(what, body, refuse = window.toast) {
    try {
      const holding = await window.postJson(`${API}/${what}`, body);
      onAnswer(holding);
      document.dispatchEvent(new Event("acted"));
      return holding;
    } catch (error) {
      refuse(error.detail || words.silent);
      return false;
    }
  }

  function onAnswer(holding) {
    root.dataset.me = holding.me;
    if (boardState()) return update();
    root.classList.toggle("holder", holding.mine);
    root.classList.toggle("watcher", !holding.mine);
    showWay(!holding.asking ? "" : holding.by_button ? "button" : "holder", holding.asker);
    showAsker(holding.mine ? holding.asker : "", holding.asking_phone);
    if (holding.mine) byId("asking").close();
    else if (holding.asking) setTimeout(pollRequest, POLL_REQUEST_MS);
    return undefined;
  }

  // Asks the scorekeeper on a page without the board.
  function showAsker(asker, phone) {
    byId("hand-over").querySelectorAll("[data-post]").forEach(({ dataset }, yes) => {
      dataset.body = JSON.stringify({ yes: Boolean(yes), phone });
    });
    byId("hand-over-title").textContent = byId("hand-over-title").dataset.asks.replace("{asker}", asker);
    if (!asker) byId("hand-over").close();
    else if (!byId("hand-over").open) {
      byId("hand-over").dataset.settling = ""; // a tap just now was meant for the page
      setTimeout(() => { delete byId("hand-over").dataset.settling; }, SETTLE_MS);
      byId("hand-over").showModal();
    }
  }

  async function get(address) {
    const answer = await fetch(address, { cache: "no-store" });
    const holding = await answer.json();
    if (!answer.ok) throw holding;
    return holding;
  }

  // Polls the request on a page without a stream.
  function pollRequest() {
    get(API).then(onAnswer, () => setTimeout(pollRequest, POLL_REQUEST_MS));
  }

  function poll() {
    if (document.hidden || !root.classList.contains("holder")) return;
    get(API).then((holding) => boardState() || onAnswer(holding), () => {}); // the next poll follows soon
  }

  const ask = window.once(() => send("ask", {}));

  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-menu]")) byId("menu").showModal();
    if (!event.target.closest("[data-scorekeeper]")) return;
    byId("menu").close();
    if (!byId("asking").open) byId("asking").showModal();
    ask();
  });

  const sendPin = window.once(async () => {
    const field = byId("pin");
    const say = (text) => { byId("pin-said").textContent = text; };
    const now = await send("pin", { pin: field.value }, say);
    if (now) say(now.mine ? "" : field.dataset.right);
    if (now.mine) {
      byId("asking").close();
      window.toast(document.body.dataset.holds);
    }
    if (byId("pin-said").textContent !== words.silent) field.value = "";
  });

  byId("pin-form").addEventListener("submit", (event) => {
    event.preventDefault();
    sendPin();
  });

  byId("coach-mode").addEventListener("change", async ({ target }) => {
    if (!await window.post("/api/v1/coach", { mode: target.value })) fillMenu();
  });

  byId("own-turn").addEventListener("change", async ({ target }) => {
    if (!await sendInOrder("own-turn", { on: target.checked })) target.checked = !target.checked;
  });
  byId("player").addEventListener("change", async ({ target }) => {
    if (!await sendInOrder("sit", { name: target.value })) fillMenu();
  });
  byId("show-pin").addEventListener("click", async () => {
    try {
      const { pin } = await get(`${API}/pin`);
      byId("the-pin").value = pin.replace(/(...)/, "$1 ");
      byId("the-pin").hidden = false;
    } catch (error) {
      window.toast(error.detail || words.silent);
    }
  });
  byId("menu").addEventListener("close", () => { byId("the-pin").hidden = true; });

  // Uses the link from the terminal. The browser does not send the part after #.
  function useLink() {
    const token = new URLSearchParams(location.hash.slice(1)).get("scorekeeper");
    if (!token) return;
    history.replaceState(null, "", location.pathname);
    linkAnswer = send("link", { token }).then(({ mine, me }) => {
      if (!mine || !boardState()) return;
      boardState().holder = me; // the stream says so later
      update();
    });
  }

  addEventListener("hashchange", useLink);
  useLink();

  byId("language").addEventListener("change", ({ target }) => {
    document.cookie = `traykeeper_language=${target.value}; path=/; max-age=31536000; samesite=lax`;
    location.reload();
  });

  document.addEventListener("swapped", update);
  setInterval(poll, boardState() ? POLL_MS : POLL_ALONE_MS);
  fillMenu();
  update();
})();
