// The tray's button on the page: down and up go to the companion; how long it was is measured here,
// as the way there may take long.
"use strict";
(() => {
  const MOST_S = 10; // of a hold
  const button = document.querySelector("[data-press]");
  let isDown = false;
  let isTaken = false;
  let downMs = 0;

  // Refused on its way down, as another finger is there, it must not let go for that one.
  function press(down) {
    if (down === isDown) return;
    isDown = down;
    button.classList.toggle("down", down);
    if (down) downMs = performance.now();
    if (down) window.post("/api/v1/button", { down }).then((ok) => { isTaken = ok; });
    else window.post("/api/v1/button", { down, seconds: secondsSince(downMs) }, () => isTaken);
  }

  const secondsSince = (ms) => Math.min((performance.now() - ms) / 1000, MOST_S);

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
