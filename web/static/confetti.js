// Who wins is celebrated, on phones and on the television: dice-coloured paper falls over the page for
// a moment. Nothing moves for who wants it calm.
"use strict";
(() => {
  const SHOWN_MS = 2600;
  const BITS = 90;
  const COLOURS = ["#0e6b4f", "#b0361b", "#1d5aa6", "#ffd24a", "#6d40a8"];
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  let won = isWon();

  function isWon() {
    return Boolean(document.querySelector(".hero.won, .tv-turn.won"));
  }

  function celebrate() {
    if (calm.matches) return;
    const canvas = Object.assign(document.createElement("canvas"), { className: "confetti", width: innerWidth, height: innerHeight });
    canvas.setAttribute("aria-hidden", "true");
    document.body.append(canvas);
    const pen = canvas.getContext("2d");
    const large = Math.max(1, innerWidth / 800);
    const bits = Array.from({ length: BITS }, (_, i) => ({
      x: innerWidth * Math.random(), y: -innerHeight * Math.random() * 0.5, speed: large * (180 + 260 * Math.random()),
      turn: 6 * Math.random(), size: large * (6 + 7 * Math.random()), colour: COLOURS[i % COLOURS.length],
    }));
    const start = performance.now();
    requestAnimationFrame(function frame(now) {
      const t = (now - start) / 1000;
      pen.clearRect(0, 0, canvas.width, canvas.height);
      for (const bit of bits) {
        pen.save();
        pen.translate(bit.x + 18 * Math.sin(3 * t + bit.turn), bit.y + bit.speed * t);
        pen.rotate(bit.turn + 4 * t);
        pen.fillStyle = bit.colour;
        pen.fillRect(-bit.size / 2, -bit.size / 3, bit.size, bit.size * 0.66);
        pen.restore();
      }
      if (now - start < SHOWN_MS) requestAnimationFrame(frame);
      else canvas.remove();
    });
  }

  document.addEventListener("swapped", () => {
    const now = isWon();
    if (now && !won) celebrate();
    won = now;
  });
})();
