// Takes a picture of the dice with the phone, shrinks it, uploads it and has it read.
"use strict";
(() => {
  const API = "/api/v1/picture";
  const SMALL_BYTES = 1000000;
  const LONG_SIDE_PX = 2048;
  const QUALITY = 0.9;
  const words = JSON.parse(document.body.dataset.words);
  const input = document.getElementById("picture");

  // Only JPEG files are shrunk here; the server reports what is wrong with other files.
  async function shrink(file) {
    if (file.size < SMALL_BYTES || file.type !== "image/jpeg") return file;
    try {
      const image = await createImageBitmap(file);
      const share = Math.min(1, LONG_SIDE_PX / Math.max(image.width, image.height));
      const canvas = document.createElement("canvas");
      canvas.width = Math.round(image.width * share);
      canvas.height = Math.round(image.height * share);
      canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
      image.close();
      return await new Promise((done) => { canvas.toBlob((blob) => done(blob || file), "image/jpeg", QUALITY); });
    } catch {
      return file;
    }
  }

  let step = {}; // the step of the match when somebody tapped to take the picture

  async function send(file) {
    document.documentElement.classList.add("reads");
    window.toast(input.dataset.reading, window.longestMs);
    try {
      await window.uploadInParts(`${API}/part`, await shrink(file));
      await window.postJson(API, step);
      window.toast("");
      document.dispatchEvent(new Event("acted"));
    } catch (error) {
      window.toast(error.detail || words.silent);
    }
    document.documentElement.classList.remove("reads");
  }

  document.addEventListener("click", async ({ target }) => {
    if (!target.closest("[data-picture]") || !await window.mayPost(API)) return;
    step = window.shownStep();
    input.click();
  });

  // Clearing the input lets the same picture be chosen again after it was refused.
  input.addEventListener("change", () => {
    const [file] = input.files;
    input.value = "";
    if (file) send(file);
  });
})();
