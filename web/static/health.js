// Restoring a backup, unlocking backups, and keeping pictures of corrections.
"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const file = byId("restore");
  const words = JSON.parse(document.body.dataset.words);
  const RESTORE_MS = 130000; // restoring may take two minutes
  const say = (text) => window.toast(text, RESTORE_MS);
  let isSending = false;

  const post = window.postJson;

  document.addEventListener("acted", ({ detail }) => { if (detail?.done && !isSending) location.reload(); });

  byId("own")?.addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      await post("/api/v1/scorekeeper/owner", { pin: byId("own-pin").value });
      location.reload();
    } catch (error) {
      say(error.detail || words.silent);
    }
  });

  let chosen = null;
  file?.addEventListener("change", () => {
    if (!file.files.length) return;
    [chosen] = file.files;
    file.value = ""; // the same file may be chosen again
    byId("sure-file").textContent = chosen.name;
    byId("sure").showModal();
  });

  byId("keep-corrections")?.addEventListener("change", async ({ target }) => {
    try {
      await post("/api/v1/corrections/switch", { on: target.checked });
    } catch (error) {
      target.checked = !target.checked;
      say(error.detail || words.silent);
    }
  });

  document.addEventListener("click", ({ target }) => byId(target.dataset.opens)?.showModal());

  byId("yes")?.addEventListener("click", async () => {
    byId("sure").close();
    isSending = true;
    try {
      await window.uploadInParts("/api/v1/restore/part", chosen, (share) => {
        say(file.dataset.sending.replace("{part}", `${Math.round(100 * share)} %`));
      });
      await post("/api/v1/restore", {}, { tries: 1, ms: RESTORE_MS });
      say(file.dataset.done);
    } catch (error) {
      say(error.detail || words.silent);
    }
    isSending = false;
  });
})();
