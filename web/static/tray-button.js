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
