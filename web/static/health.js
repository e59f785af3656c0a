// The backup: chosen, asked once more, sent; and whether pictures are kept. All else is plain HTML.
"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const file = byId("restore");
  const PART_BYTES = 65536;
  const words = JSON.parse(document.body.dataset.words);
  const say = (text) => { byId("toast").textContent = text; };

  async function post(address, body) {
    const answer = await fetch(address, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    const told = await answer.json();
    if (!answer.ok) throw told;
    return told;
  }

  function asBase64(part) {
    return new Promise((done, failed) => {
      const reader = new FileReader();
      reader.onload = () => done(reader.result.slice(reader.result.indexOf(",") + 1));
      reader.onerror = failed;
      reader.readAsDataURL(part);
    });
  }

  document.addEventListener("acted", () => location.reload());

  byId("own")?.addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      await post("/api/v1/pencil/owner", { pin: byId("own-pin").value });
      location.reload();
    } catch (error) {
      say(error.detail || words.silent);
    }
  });

  file?.addEventListener("change", () => {
    if (!file.files.length) return;
    byId("sure-file").textContent = file.files[0].name;
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

  byId("sure")?.addEventListener("close", () => { file.value = ""; });

  byId("yes")?.addEventListener("click", async () => {
    const [chosen] = file.files;
    byId("sure").close();
    try {
      for (let at = 0; at < chosen.size; at += PART_BYTES) {
        await post("/api/v1/restore/part", { at, part: await asBase64(chosen.slice(at, at + PART_BYTES)) });
        say(file.dataset.sending.replace("{part}", `${Math.round(100 * at / chosen.size)} %`));
      }
      await post("/api/v1/restore", {});
      say(file.dataset.done);
    } catch (error) {
      say(error.detail || words.silent);
    }
  });
})();
