// Says how many characters a name may still have, before the field takes no more.
"use strict";
(() => {
  const NEAR = 6;
  const words = JSON.parse(document.body.dataset.words);
  const note = document.createElement("small");
  note.className = "limit";
  note.setAttribute("role", "status");

  document.addEventListener("input", ({ target }) => {
    if (target.name !== "name" || target.maxLength < 0) return;
    const left = target.maxLength - target.value.length;
    const place = target.closest("li, label");
    note.textContent = left > NEAR ? "" : words.limit.replace("{most}", target.maxLength).replace("{left}", left);
    if (place && note.parentElement !== place) place.append(note);
  });
  document.addEventListener("focusout", ({ target }) => { if (target.name === "name") note.remove(); });
})();
