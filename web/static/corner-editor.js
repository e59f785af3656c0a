// The corners of the tray on the picture, with a grid between them; moved with a finger or the arrow keys.
"use strict";
(() => {
  const WIDTH = 1000; // width of the picture in the units of the overlay
  const REACH = 62; // how close a finger must be, in these units: 24 CSS pixels on a phone
  const CELLS = 6;
  const NUDGE = 0.002;
  const LOUPE = 4;
  const SETTLE_MS = 300; // key presses that follow each other faster are one move
  const byId = (id) => document.getElementById(id);
  const words = JSON.parse(byId("calibrate").dataset.words).corners;
  const svg = byId("overlay");
  const shown = { tray: null, zone: null };
  let height = 562;
  let editable = false;
  let held = null;
  let settling = 0;
  const isMoving = () => held !== null || settling !== 0;

  // Returns the perspective transform from the unit square to four corners.
  function projection([a, b, c, d]) {
    const dx1 = b[0] - c[0]; const dx2 = d[0] - c[0]; const sx = a[0] - b[0] + c[0] - d[0];
    const dy1 = b[1] - c[1]; const dy2 = d[1] - c[1]; const sy = a[1] - b[1] + c[1] - d[1];
    const det = dx1 * dy2 - dx2 * dy1 || 1e-9;
    const g = (sx * dy2 - dx2 * sy) / det;
    const h = (dx1 * sy - sx * dy1) / det;
    return (u, v) => {
      const w = g * u + h * v + 1;
      return [
        ((b[0] - a[0] + g * b[0]) * u + (d[0] - a[0] + h * d[0]) * v + a[0]) / w,
        ((b[1] - a[1] + g * b[1]) * u + (d[1] - a[1] + h * d[1]) * v + a[1]) / w,
      ];
    };
  }

  const toOverlay = ([x, y]) => [x * WIDTH, y * height];
  const toPoints = (corners) => corners.map((corner) => toOverlay(corner).map((n) => n.toFixed(1)).join(",")).join(" ");

  function gridPath(corners) {
    const at = projection(corners);
    const line = (from, to) => `M${toOverlay(at(...from)).join(" ")}L${toOverlay(at(...to)).join(" ")}`;
    return Array.from({ length: CELLS - 1 }, (_, i) => (i + 1) / CELLS)
      .map((t) => line([t, 0], [t, 1]) + line([0, t], [1, t])).join("");
  }

  function draw() {
    svg.setAttribute("viewBox", `0 0 ${WIDTH} ${height}`);
    for (const name of ["tray", "zone"]) {
      byId(name).toggleAttribute("hidden", !shown[name]);
      byId(name).setAttribute("points", shown[name] ? toPoints(shown[name]) : "");
    }
    byId("grid").setAttribute("d", shown.tray ? gridPath(shown.tray) : "");
    const wanted = editable ? ["tray", "zone"].filter((name) => shown[name]) : [];
    const key = wanted.join();
    if (byId("handles").dataset.key !== key) makeHandles(wanted, key);
    for (const handle of byId("handles").children) {
      const [x, y] = toOverlay(shown[handle.dataset.of][Number(handle.dataset.corner)]);
      handle.setAttribute("transform", `translate(${x.toFixed(1)} ${y.toFixed(1)})`);
    }
  }

  function makeHandles(names, key) {
    byId("handles").dataset.key = key;
    byId("handles").replaceChildren(...names.flatMap((name) => words.names.map((corner, i) => handleOf(name, i, corner))));
  }

  function handleOf(name, i, corner) {
    const handle = window.createSvg("g", { class: `handle of-${name}`, tabindex: "0", role: "button", id: `${name}-${i}`,
      "aria-label": words[name].replace("{corner}", corner) });
    Object.assign(handle.dataset, { of: name, corner: i });
    handle.append(window.createSvg("circle", { class: "reach", r: REACH }), window.createSvg("circle", { class: "dot", r: name === "tray" ? 17 : 13 }));
    return handle;
  }

  window.createSvg = (tag, attributes) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    return element;
  };

  // Returns the corner nearest to the finger, because two corners may be close together.
  function nearest(event) {
    const [x, y] = toOverlay(pictureCoordinates(event));
    let best = null;
    for (const handle of byId("handles").children) {
      const [hx, hy] = toOverlay(shown[handle.dataset.of][Number(handle.dataset.corner)]);
      const away = Math.hypot(hx - x, hy - y);
      if (away < REACH && (!best || away < best.away)) best = { handle, away, off: [hx - x, hy - y] };
    }
    return best;
  }

  function pictureCoordinates(event) {
    const box = svg.getBoundingClientRect();
    return [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height];
  }

  const clamp = (share) => Math.min(1, Math.max(0, share));

  function move(handle, [x, y]) {
    shown[handle.dataset.of][Number(handle.dataset.corner)] = [clamp(x), clamp(y)];
    draw();
    document.dispatchEvent(new Event("moving"));
  }

  function announceMove() {
    clearTimeout(settling);
    settling = 0;
    document.dispatchEvent(new CustomEvent("placed", { detail: { tray: shown.tray, aside: shown.zone } }));
  }

  svg.addEventListener("pointerdown", (event) => {
    const found = event.button === 0 && nearest(event);
    if (!found) return;
    event.preventDefault();
    held = found;
    svg.setPointerCapture(event.pointerId);
    magnify(event);
  });
  svg.addEventListener("pointermove", (event) => {
    if (!held) return;
    const [x, y] = pictureCoordinates(event);
    move(held.handle, [x + held.off[0] / WIDTH, y + held.off[1] / height]);
    magnify(event);
  });
  for (const end of ["pointerup", "pointercancel"]) {
    svg.addEventListener(end, () => {
      if (!held) return;
      held = null;
      byId("loupe").hidden = true;
      announceMove();
    });
  }
  svg.addEventListener("touchstart", (event) => { if (nearest(event.touches[0])) event.preventDefault(); }, { passive: false });
  svg.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    const handle = event.target.closest(".handle");
    if (!step || !handle) return;
    event.preventDefault();
    const by = NUDGE * (event.shiftKey ? 5 : 1);
    const [x, y] = shown[handle.dataset.of][Number(handle.dataset.corner)];
    move(handle, [x + step[0] * by, y + step[1] * by * (WIDTH / height)]);
    clearTimeout(settling);
    settling = setTimeout(announceMove, SETTLE_MS);
  });
  document.addEventListener("click", () => { if (settling) announceMove(); }, true); // before the click is processed

  // Shows an enlarged view of the place under the finger beside it.
  function magnify(event) {
    const picture = byId("picture");
    const loupe = byId("loupe");
    const big = byId("loupe-picture");
    const [x, y] = shown[held.handle.dataset.of][Number(held.handle.dataset.corner)];
    loupe.hidden = false;
    loupe.style.setProperty(x > 0.5 ? "left" : "right", "0.5rem");
    loupe.style.removeProperty(x > 0.5 ? "right" : "left");
    if (big.src !== picture.src) big.src = picture.src;
    const wide = picture.clientWidth * LOUPE / 1.6;
    const tall = picture.clientHeight * LOUPE / 1.6;
    big.style.width = `${wide}px`;
    big.style.left = `${loupe.clientWidth / 2 - x * wide}px`;
    big.style.top = `${loupe.clientHeight / 2 - y * tall}px`;
    event.preventDefault();
  }

  // Draws a ring around each die in the latest reading.
  function drawRings(dice) {
    const parts = dice.flatMap((die) => {
      const [x, y] = toOverlay([die.x, die.y]);
      const ring = window.createSvg("circle", { class: `ring${die.problem ? " problem" : ""}`, cx: x.toFixed(1), cy: y.toFixed(1), r: (die.w * WIDTH * 0.72).toFixed(1) });
      const value = window.createSvg("text", { class: "ring-value", x: x.toFixed(1), y: (y - die.w * WIDTH * 1.05).toFixed(1), "font-size": 34 });
      value.textContent = die.value ?? "?";
      return [ring, value];
    });
    byId("rings").replaceChildren(...parts);
  }

  window.corners = {
    get held() { return isMoving(); },
    show(state, { edit, dice }) {
      if (isMoving()) return;
      height = WIDTH * state.height / state.width;
      shown.tray = state.tray.map((corner) => [...corner]);
      shown.zone = state.aside && state.aside.map((corner) => [...corner]);
      editable = edit;
      byId("tray").classList.toggle("unsure", state.sure === false);
      draw();
      drawRings(dice ? state.dice : []);
    },
  };
})();
