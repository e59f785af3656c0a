// Who may: this phone watches until it holds the pencil, or plays in its own turn.
"use strict";
(() => {
  const SEEN_MS = 45000; // well within the two minutes after which a holder counts as gone
  const LOOK_MS = 3000; // a page without the board's stream is not told that somebody asks
  const AGAIN_MS = 1000;
  const API = "/api/v1/pencil";
  const OWNERS = "/api/v1/restore/"; // by the machine's own PIN, not by the pencil
  const root = document.documentElement;
  const OWN_TURN = JSON.parse(document.body.dataset.own);
  const words = JSON.parse(document.body.dataset.words);
  const byId = (id) => document.getElementById(id);

  const told = () => byId("pencil")?.querySelector("[data-holder]")?.dataset;

  // The board says who holds the pencil; what this phone may do follows from its own badge.
  function look() {
    const state = told();
    if (!state) return;
    const me = root.dataset.me;
    const players = JSON.parse(state.players);
    const holds = Boolean(me) && state.holder === me;
    const plays = Boolean(me) && state.own === "true" && Boolean(state.turn) && players[me] === state.turn;
    root.classList.toggle("holder", holds);
    root.classList.toggle("watcher", !holds && !plays);
    root.classList.toggle("own-turn", plays && !holds);
    letSetUp(holds);
    if (holds && byId("asking").open) byId("asking").close();
    showWay(Boolean(me) && state.asking === me ? state.way : "");
    if (!byId("menu").open) fillMenu(); // an open one shows what was just tapped, not what was before
  }

  // Nobody fills in a form that this phone may not send.
  function letSetUp(holds) {
    byId("new-match")?.toggleAttribute("inert", !holds);
  }

  // What only the board tells cannot be set elsewhere.
  function fillMenu() {
    const state = told();
    for (const id of ["own-turn", "coach-mode", "player"]) byId(id).closest("label").hidden = !state;
    if (!state) return;
    byId("own-turn").checked = state.own === "true";
    byId("coach-mode").value = state.coach;
    fillPlayers(JSON.parse(state.players)[root.dataset.me] || "");
  }

  // The way on which it may come; once it was asked for, that this came to nothing.
  let asked = false;

  function showWay(way) {
    asked = asked || Boolean(way);
    const now = way || (asked ? "over" : "none");
    for (const each of byId("asking").querySelectorAll("[data-for]")) {
      each.hidden = !each.dataset.for.split(" ").includes(now);
    }
  }

  byId("asking").addEventListener("close", () => { asked = false; });

  function fillPlayers(mine) {
    const names = [...document.querySelectorAll(".players li:not([data-gone]) .name")];
    const select = byId("player");
    const first = select.options[0];
    select.replaceChildren(first, ...names.map((name) => new Option(name.textContent, name.dataset.name)));
    select.value = names.some((name) => name.dataset.name === mine) ? mine : "";
    byId("who").hidden = !names.length;
  }

  // The other scripts ask here before they send; a watcher is offered the pencil instead.
  window.mayPost = (address) => {
    if (root.classList.contains("holder") || address.startsWith(API) || address.startsWith(OWNERS)) return true;
    if (root.classList.contains("own-turn") && OWN_TURN.includes(address)) return true;
    byId("asking").showModal();
    return false;
  };

  async function send(what, body, refuse = window.toast) {
    try {
      const given = await window.postJson(`${API}/${what}`, body);
      know(given);
      document.dispatchEvent(new Event("acted"));
      return given;
    } catch (error) {
      refuse(error.detail || words.silent);
      return false;
    }
  }

  function know(given) {
    root.dataset.me = given.me;
    if (told()) return look();
    root.classList.toggle("holder", given.mine);
    root.classList.toggle("watcher", !given.mine);
    letSetUp(given.mine);
    showWay(!given.asking ? "" : given.by_button ? "button" : "holder");
    showAsker(given.asker);
    if (given.mine) byId("asking").close();
    else if (given.asking) setTimeout(again, AGAIN_MS);
    return undefined;
  }

  // The holder of such a page is asked here.
  function showAsker(asker) {
    const { phone, asks } = byId("hand-over-title").dataset;
    const called = /^\d+$/.test(asker) ? phone.replace("{number}", asker) : asker;
    byId("hand-over-title").textContent = asks.replace("{asker}", called);
    if (!asker) byId("hand-over").close();
    else if (!byId("hand-over").open) byId("hand-over").showModal();
  }

  async function get(address) {
    const answer = await fetch(address, { cache: "no-store" });
    const given = await answer.json();
    if (!answer.ok) throw given;
    return given;
  }

  // A page without the board's stream looks for itself how its question goes.
  function again() {
    get(API).then(know, () => setTimeout(again, AGAIN_MS));
  }

  function seen() {
    if (document.hidden || !root.classList.contains("holder")) return;
    get(API).then((given) => told() || know(given), () => {}); // it is asked again soon
  }

  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-menu]")) byId("menu").showModal();
    if (!event.target.closest("[data-pencil]")) return;
    byId("menu").close();
    if (!byId("asking").open) byId("asking").showModal();
    send("ask", {});
  });

  byId("pin-form").addEventListener("submit", async (event) => {
    event.preventDefault();
    const field = byId("pin");
    const say = (text) => { byId("pin-said").textContent = text; };
    const now = await send("pin", { pin: field.value }, say);
    if (now) say(now.mine ? "" : field.dataset.right);
    if (now.mine) {
      byId("asking").close();
      window.toast(document.body.dataset.holds);
    }
    field.value = "";
  });

  byId("coach-mode").addEventListener("change", async ({ target }) => {
    if (!await window.post("/api/v1/coach", { mode: target.value })) fillMenu();
  });

  byId("own-turn").addEventListener("change", async ({ target }) => {
    if (!await send("own-turn", { on: target.checked })) target.checked = !target.checked;
  });
  byId("player").addEventListener("change", async ({ target }) => {
    if (!await send("sit", { name: target.value })) fillMenu();
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

  // The link that the terminal shows: what stands behind the # never goes to a server by itself.
  function useLink() {
    const link = new URLSearchParams(location.hash.slice(1)).get("pencil");
    if (!link) return;
    history.replaceState(null, "", location.pathname);
    send("link", { token: link });
  }

  addEventListener("hashchange", useLink);
  useLink();

  byId("language").addEventListener("change", ({ target }) => {
    document.cookie = `traykeeper_language=${target.value}; path=/; max-age=31536000; samesite=lax`;
    location.reload();
  });

  letSetUp(root.classList.contains("holder"));
  document.addEventListener("swapped", look);
  setInterval(seen, told() ? SEEN_MS : LOOK_MS);
  fillMenu();
  look();
})();
