// The page with the invitation for another tray: it opens the scoreboard as soon as the match begins.
"use strict";
(() => {
  const LOOK_MS = 2000;
  const page = document.getElementById("shared");

  async function look() {
    try {
      const { other_tray: other } = await (await fetch("/api/v1/state")).json();
      if (other?.phase === "playing") location.assign("/");
      else if ((other?.trouble ?? "") !== page.dataset.trouble) location.reload();
    } catch { /* the next look is soon */ }
  }

  if (["inviting", "joining"].includes(page.dataset.phase)) setInterval(look, LOOK_MS);

  // Pages over plain http have no navigator.clipboard.
  async function copy(button) {
    const source = document.querySelector(button.dataset.copy);
    getSelection().selectAllChildren(source);
    try {
      await navigator.clipboard.writeText(source.textContent);
    } catch {
      if (!document.execCommand("copy")) return;
    }
    button.textContent = button.dataset.done;
  }

  const share = document.querySelector("[data-share-link]");
  if (share && navigator.share) share.hidden = false;

  document.addEventListener("click", async ({ target }) => {
    const button = target.closest("button");
    if (!button) return;
    if (button.dataset.copy) await copy(button);
    if (button === share) await navigator.share({ url: document.getElementById("match-link").textContent }).catch(() => {});
    if ("setAside" in button.dataset && await window.post("/api/v1/shared-match/set-aside")) location.reload();
    if ("leave" in button.dataset && await window.post("/api/v1/shared-match/leave")) location.assign("/");
  });
})();
