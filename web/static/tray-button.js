// The simulated button of the tray. Presses and releases go to the server; the length of a hold is
// measured here, because the network may be slow.
"use strict";
(() => {
  const MAX_HOLD_S = 10;
  const button = document.querySelector("[data-press]");
  let isDown = false;
  let isTaken = false;
  let downMs = 0;

  // A press that was refused because the button is held elsewhere must not send a release.
  function press(down) {
    if (down === isDown) return;
    isDown = down;
    button.classList.toggle("down", down);
    if (down) downMs = performance.now();
    if (down) window.post("/api/v1/button", { down }).then((ok) => { isTaken = ok; });
    else window.post("/api/v1/button", { down, seconds: secondsSince(downMs) }, () => isTaken);
  }

  const secondsSince = (ms) => Math.min((performance.now() - ms) / 1000, MAX_HOLD_S);

  function isPressKey(event) {
    return (event.key === " " || event.key === "Enter") && !event.repeat;
  }

  if (button) {
    button.addEventListener("pointerdown", (event) => { if (event.button === 0) press(true); });
    for (const end of ["pointerleave", "pointercancel"]) {
      button.addEventListener(end, () => press(false));
    }
    button.addEventListener("keydown", (event) => { if (isPressKey(event)) press(true); });
    button.addEventListener("contextmenu", (event) => event.preventDefault());
    for (const end of ["pointerup", "keyup", "blur", "pagehide"]) {
      addEventListener(end, () => press(false));
    }
  }
})();


// Shows what the virtual camera sees while the simulated dice roll.
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
