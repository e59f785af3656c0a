// Shows what the virtual camera sees while the simulated dice roll.
"use strict";
(() => {
  const PERIOD_MS = 120;
  const AFTER_THROW_MS = 2500;
  const VIEW = "/api/v1/view.jpg";
  let untilMs = 0;
  let lastPhoto = "";

  document.addEventListener("click", (event) => {
    if (event.target.closest("#throw-dice")) untilMs = Date.now() + AFTER_THROW_MS;
  });

  // A new photo on the board means that the dice were read.
  function isNewPhoto() {
    const image = document.querySelector(".throw .photo img");
    if (!image?.src.includes("/photo/") || image.src === lastPhoto) return false;
    lastPhoto = image.src;
    return true;
  }

  const isRolling = () => Date.now() < untilMs || document.querySelector("[data-rolling]");

  async function show() {
    if (isNewPhoto()) untilMs = 0;
    if (document.querySelector(".throw .photo") && isRolling() && !document.hidden) {
      const next = new Image();
      next.src = `${VIEW}?${Date.now()}`;
      await next.decode().then(() => swap(next), () => {});
    }
    setTimeout(show, PERIOD_MS);
  }

  // Replaces only the image, so that its frame keeps its size.
  function swap(next) {
    const photo = document.querySelector(".throw .photo");
    if (!photo || !isRolling()) return;
    const image = photo.querySelector("img");
    image.hidden = false;
    image.src = next.src;
    photo.classList.add("rolling");
  }

  if (document.getElementById("throw-dice")) show();
})();
