// Pages of past matches: reload while the coach is working, and save the share card.
"use strict";
(() => {
  const RELOAD_MS = 1500;
  const content = () => document.getElementById("look");

  async function reload() {
    try {
      const answer = await fetch(location.href, { cache: "no-store" });
      const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("look");
      if (answer.ok && fresh && fresh.innerHTML !== content().innerHTML) {
        content().replaceWith(fresh);
        makeSortable();
      }
    } catch {
      // The server cannot be reached: try again later.
    }
    scheduleReload();
  }

  function scheduleReload() {
    if (content().dataset.wait !== undefined) setTimeout(reload, RELOAD_MS);
  }

  // The photo of the luckiest throw is drawn into the free space above the curve.
  const PHOTO_AREA = { x: 860, y: 60, width: 268, height: 150 };

  function drawPhoto(canvas) {
    const photo = document.getElementById("lucky");
    if (!photo?.naturalWidth) return;
    const scale = Math.max(PHOTO_AREA.width / photo.naturalWidth, PHOTO_AREA.height / photo.naturalHeight);
    const [width, height] = [PHOTO_AREA.width / scale, PHOTO_AREA.height / scale];
    const [left, top] = [(photo.naturalWidth - width) / 2, (photo.naturalHeight - height) / 2];
    canvas.getContext("2d").drawImage(photo, left, top, width, height, PHOTO_AREA.x, PHOTO_AREA.y, PHOTO_AREA.width, PHOTO_AREA.height);
  }

  // Saves a PNG, which every messenger can show.
  function save({ name }) {
    const shown = document.getElementById("share");
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [shown.naturalWidth, shown.naturalHeight];
    canvas.getContext("2d").drawImage(shown, 0, 0);
    drawPhoto(canvas);
    canvas.toBlob((blob) => {
      const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: name });
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 60000);
    }, "image/png");
  }

  document.addEventListener("click", ({ target }) => {
    if (target.closest("#save-card")) save(target.closest("#save-card").dataset);
  });
  // A table is sorted by a column when its heading is chosen: the largest number first, then the smallest.
  function makeSortable() {
    for (const head of document.querySelectorAll("[data-sortable] thead th:not(:has(button))")) {
      const button = Object.assign(document.createElement("button"), { type: "button", textContent: head.textContent });
      head.replaceChildren(button);
    }
  }

  function sortBy(head) {
    const table = head.closest("table");
    const column = [...head.parentNode.children].indexOf(head);
    const isName = column === 0;
    const ascends = head.ariaSort ? head.ariaSort === "descending" : isName;
    const of = (row) => (isName ? row.cells[0].textContent : Number(row.cells[column].dataset.value));
    const compare = (one, other) => (isName ? of(one).localeCompare(of(other)) : of(one) - of(other));
    const rows = [...table.tBodies[0].rows].sort((one, other) => (ascends ? compare(one, other) : compare(other, one)));
    for (const each of table.querySelectorAll("thead th")) each.removeAttribute("aria-sort");
    head.ariaSort = ascends ? "ascending" : "descending";
    table.tBodies[0].append(...rows);
  }

  // A drill: the first choice counts, and shows what every choice costs. The next position follows.
  function choose(button) {
    const position = button.closest(".drill");
    if (position.dataset.done !== undefined) return;
    position.dataset.done = "";
    button.ariaPressed = "true";
    for (const answer of position.querySelectorAll("[hidden]")) answer.hidden = false;
    position.querySelector("[data-next]").focus();
  }

  function showNext(position) {
    position.hidden = true;
    const next = position.nextElementSibling;
    next.hidden = false;
    const result = next.querySelector("[data-result]");
    if (!result) return;
    const right = document.querySelectorAll(".drill [data-right][aria-pressed=true]").length;
    const all = document.querySelectorAll(".drill[data-done]").length;
    result.textContent = result.dataset.result.replace("{right}", right).replace("{all}", all);
  }

  makeSortable();
  document.addEventListener("click", ({ target }) => {
    if (target.closest("[data-choice]")) choose(target.closest("[data-choice]"));
    if (target.closest("[data-next]")) showNext(target.closest(".drill"));
    const head = target.closest("[data-sortable] thead th");
    if (head) sortBy(head);
  });
  document.addEventListener("acted", reload);
  document.addEventListener("submit", (event) => {
    if (!event.target.dataset.dice) return;
    event.preventDefault();
    window.post(event.target.dataset.dice, { name: event.target.elements.name.value });
  });
  scheduleReload();
})();
