// The backup: chosen, asked once more, sent. All else on the page is plain HTML.
"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const file = byId("restore");
  const say = (text) => { byId("toast").textContent = text; };

  document.addEventListener("acted", () => location.reload());

  file?.addEventListener("change", () => {
    if (!file.files.length) return;
    byId("sure-file").textContent = file.files[0].name;
    byId("sure").showModal();
  });

  byId("sure")?.addEventListener("close", () => { file.value = ""; });

  byId("yes")?.addEventListener("click", async () => {
    const [chosen] = file.files;
    byId("sure").close();
    say("Restoring …");
    try {
      const answer = await fetch("/api/v1/restore", {
        method: "POST",
        headers: { "Content-Type": "application/zip" },
        body: chosen,
      });
      say((await answer.json())[answer.ok ? "message" : "detail"]);
    } catch {
      say("The table does not answer. Try again in a moment.");
    }
  });
})();
