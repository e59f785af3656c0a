// A board must not go dark. Over https there is a lock for that; over plain http a film that never
// ends does it, where the browser lets it: one grey picture behind everything.
"use strict";
(() => {
  async function lock() {
    if (document.hidden) return;
    await navigator.wakeLock.request("screen").catch(() => {});
  }

  function film() {
    const canvas = Object.assign(document.createElement("canvas"), { width: 64, height: 36 });
    const pen = canvas.getContext("2d");
    const video = Object.assign(document.createElement("video"), { muted: true, loop: true, playsInline: true });
    video.className = "awake";
    video.setAttribute("aria-hidden", "true");
    video.srcObject = canvas.captureStream(1);
    setInterval(() => pen.fillRect(0, 0, 64, 36), 1000);
    document.body.prepend(video);
    video.play().catch(() => {});
  }

  if (navigator.wakeLock) {
    lock();
    document.addEventListener("visibilitychange", lock);
  } else if (HTMLCanvasElement.prototype.captureStream) {
    film();
  }
  // A tap makes it fill the screen, as a board does.
  document.addEventListener("click", () => {
    if (!document.fullscreenElement) document.documentElement.requestFullscreen?.().catch(() => {});
  });
})();
