// Applies the options in the query of the stream overlay, such as ?size=150&place=top-right&show=scores&background=green,
// shows which of them are wrong, and makes everything small enough for the picture.
"use strict";
(() => {
  const PLACES = ["bottom-left", "bottom", "bottom-right", "top-left", "top", "top-right"];
  const NO_COLOURS = ["inherit", "initial", "revert", "unset"]; // allowed by CSS in the place of any value
  const SMALLEST_FIT = 0.1;
  const MOST_SHOWN = 40; // characters of a wrong option
  const root = document.documentElement;
  const board = document.getElementById("board");
  const wrong = document.getElementById("wrong");
  const { hints } = JSON.parse(document.body.dataset.words);

  const withHash = (text) => (/^([0-9a-f]{3}){1,2}$/i.test(text) ? `#${text}` : text);
  const isColour = (text) => /^#?[0-9a-z]+$/i.test(text) && !NO_COLOURS.includes(text.toLowerCase()) && CSS.supports("color", withHash(text));
  const isAllowed = new Map([
    ["size", (text) => Number(text) >= 25 && Number(text) <= 200],
    ["place", (text) => PLACES.includes(text)],
    ["show", (text) => ["all", "turn", "scores"].includes(text)],
    ["background", isColour],
  ]);

  const chosen = { size: 100, place: PLACES[0], show: "all", background: "transparent" };
  for (const [name, text] of new URLSearchParams(location.search)) {
    if (isAllowed.get(name)?.(text)) chosen[name] = text;
    else tellWrong(name, text);
  }
  root.style.setProperty("--size", chosen.size / 100);
  root.style.background = withHash(chosen.background);
  root.dataset.place = chosen.place;
  root.dataset.show = chosen.show;

  function tellWrong(name, text) {
    const item = document.createElement("li");
    item.textContent = `${`${name}=${text}`.slice(0, MOST_SHOWN)}: ${isAllowed.has(name) ? hints[name] : hints.other}`;
    wrong.append(item);
    wrong.hidden = false;
  }

  // Twenty long names at 150 % do not fit, so everything shrinks until nothing leaves the picture.
  function fit() {
    root.classList.add("fitting"); // a card that is still arriving is not measured in its place
    for (let share = 1; share > SMALLEST_FIT; share *= 0.95) {
      root.style.setProperty("--fit", share);
      if (![...board.querySelectorAll("section, p, li")].some(isOutside)) break;
    }
    root.classList.remove("fitting");
  }

  function isOutside(card) {
    const box = card.getBoundingClientRect();
    return box.left < 0 || box.top < 0 || box.right > innerWidth || box.bottom > innerHeight;
  }

  new MutationObserver(fit).observe(board, { childList: true, subtree: true, attributeFilter: ["hidden"] });
  addEventListener("resize", fit);
  fit();
})();
