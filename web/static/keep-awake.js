// Keeps the screen of a television board on: with a wake lock over https, and over plain http, where
// there is none, with an invisible endless video.
"use strict";
(() => {
  async function lock() {
    if (document.hidden) return;
    await navigator.wakeLock.request("screen").catch(() => {});
  }

  function playVideo() {
    const canvas = Object.assign(document.createElement("canvas"), { width: 64, height: 36 });
    const context = canvas.getContext("2d");
    const video = Object.assign(document.createElement("video"), { muted: true, loop: true, playsInline: true });
    video.className = "awake";
    video.setAttribute("aria-hidden", "true");
    video.srcObject = canvas.captureStream(1);
    setInterval(() => context.fillRect(0, 0, 64, 36), 1000);
    document.body.prepend(video);
    video.play().catch(() => {});
  }

  if (navigator.wakeLock) {
    lock();
    document.addEventListener("visibilitychange", lock);
  } else if (HTMLCanvasElement.prototype.captureStream) {
    playVideo();
  }
  // A tap switches to full screen.
  document.addEventListener("click", () => {
    if (!document.fullscreenElement) document.documentElement.requestFullscreen?.().catch(() => {});
  });
})();
