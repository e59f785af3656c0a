// Pages that stand still: asks again while something is worked out, and saves the share card.
"use strict";
(() => {
  const AGAIN_MS = 1500;
  const look = () => document.getElementById("look");

  async function again() {
    try {
      const answer = await fetch(location.href, { cache: "no-store" });
      const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("look");
      if (answer.ok && fresh && fresh.innerHTML !== look().innerHTML) look().replaceWith(fresh);
    } catch {
      // The table is away: it is asked again.
    }
    wait();
  }

  function wait() {
    if (look().dataset.wait !== undefined) setTimeout(again, AGAIN_MS);
  }

  // The real photo of the luckiest throw takes the place that the curve leaves above it.
  const PLACE = { x: 860, y: 60, width: 268, height: 150 };

  function drawLucky(canvas) {
    const photo = document.getElementById("lucky");
    if (!photo?.naturalWidth) return;
    const scale = Math.max(PLACE.width / photo.naturalWidth, PLACE.height / photo.naturalHeight);
    const [width, height] = [PLACE.width / scale, PLACE.height / scale];
    const [left, top] = [(photo.naturalWidth - width) / 2, (photo.naturalHeight - height) / 2];
    canvas.getContext("2d").drawImage(photo, left, top, width, height, PLACE.x, PLACE.y, PLACE.width, PLACE.height);
  }

  // As a PNG, which every messenger shows.
  function save({ name }) {
    const shown = document.getElementById("share");
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [shown.naturalWidth, shown.naturalHeight];
    canvas.getContext("2d").drawImage(shown, 0, 0);
    drawLucky(canvas);
    canvas.toBlob((blob) => {
      const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: name });
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 60000);
    }, "image/png");
  }

  document.addEventListener("click", ({ target }) => {
    if (target.closest("#save-card")) save(target.closest("#save-card").dataset);
  });
  document.addEventListener("acted", again);
  document.addEventListener("submit", (event) => {
    if (!event.target.dataset.dice) return;
    event.preventDefault();
    window.post(event.target.dataset.dice, { name: event.target.elements.name.value });
  });
  wait();
})();
