// The page with the invitation for another tray: it opens the scoreboard as soon as the match begins.
"use strict";
(() => {
  const LOOK_MS = 2000;
  const page = document.getElementById("shared");

  async function look() {
    try {
      const { other_tray: other } = await (await fetch("/api/v1/state")).json();
      if (page.dataset.phase !== "playing" && other?.phase === "playing") location.assign("/");
    } catch { /* the next look is soon */ }
  }

  if (["inviting", "joining"].includes(page.dataset.phase)) setInterval(look, LOOK_MS);

  document.addEventListener("click", async ({ target }) => {
    if (!target.closest("[data-leave]")) return;
    if (await window.post("/api/v1/shared-match/leave")) location.assign("/");
  });
})();
