// Applies the options in the query of the stream overlay: ?size=150&place=top-right&show=scores&background=00ff00
"use strict";
(() => {
  const PLACES = ["bottom-left", "bottom", "bottom-right", "top-left", "top", "top-right"];
  const options = new URLSearchParams(location.search);
  const root = document.documentElement;
  const size = Number(options.get("size"));
  if (size > 0) root.style.setProperty("--size", Math.min(Math.max(size, 25), 200) / 100);
  root.dataset.place = PLACES.includes(options.get("place")) ? options.get("place") : PLACES[0];
  root.dataset.show = ["turn", "scores"].includes(options.get("show")) ? options.get("show") : "all";
  const background = options.get("background") ?? "";
  if (/^[0-9a-f]{6}$/i.test(background)) root.style.background = `#${background}`;
})();
