// Celebrates a person's win with confetti for a moment. With reduced motion nothing moves.
"use strict";
(() => {
  const SHOWN_MS = 2600;
  const PIECES = 90;
  const COLOURS = ["#0e6b4f", "#b0361b", "#1d5aa6", "#ffd24a", "#6d40a8"];
  const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");
  let won = isWon();

  function isWon() {
    return Boolean(document.querySelector(".won[data-cheer]"));
  }

  function celebrate() {
    if (reducedMotion.matches) return;
    const canvas = Object.assign(document.createElement("canvas"), { className: "confetti", width: innerWidth, height: innerHeight });
    canvas.setAttribute("aria-hidden", "true");
    document.body.append(canvas);
    const context = canvas.getContext("2d");
    const large = Math.max(1, innerWidth / 800);
    const pieces = Array.from({ length: PIECES }, (_, i) => ({
      x: innerWidth * Math.random(), y: -innerHeight * Math.random() * 0.5, speed: large * (180 + 260 * Math.random()),
      turn: 6 * Math.random(), size: large * (6 + 7 * Math.random()), colour: COLOURS[i % COLOURS.length],
    }));
    const start = performance.now();
    requestAnimationFrame(function frame(now) {
      const t = (now - start) / 1000;
      context.clearRect(0, 0, canvas.width, canvas.height);
      for (const piece of pieces) {
        context.save();
        context.translate(piece.x + 18 * Math.sin(3 * t + piece.turn), piece.y + piece.speed * t);
        context.rotate(piece.turn + 4 * t);
        context.fillStyle = piece.colour;
        context.fillRect(-piece.size / 2, -piece.size / 3, piece.size, piece.size * 0.66);
        context.restore();
      }
      if (now - start < SHOWN_MS && canvas.isConnected) requestAnimationFrame(frame);
      else canvas.remove();
    });
  }

  document.addEventListener("swapped", () => {
    const now = isWon();
    if (now && !won) celebrate();
    if (!now) document.querySelector(".confetti")?.remove(); // the next match has begun, or the win was undone
    won = now;
  });
})();
