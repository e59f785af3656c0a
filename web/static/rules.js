// Finds a rule set by words and by three questions, on its own page and in the form for a new match.
"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const LONGEST_MS = 20000;
  const MOST = 3; // sets that remain after three answers, the common ones first

  function narrow() {
    const finder = byId("finder");
    const words = byId("search-rules").value.toLowerCase().split(/\s+/);
    const answers = [...finder.querySelectorAll("[data-ask]")].filter((ask) => ask.value);
    const fits = (row) => answers.filter((ask) => row.dataset[ask.dataset.ask] === ask.value).length;
    const rows = [...finder.querySelectorAll("li")];
    const named = rows.filter((row) => words.every((word) => row.textContent.toLowerCase().includes(word)));
    const best = Math.max(0, ...named.map(fits));
    const shown = named.filter((row) => fits(row) === best).slice(0, answers.length === MOST ? MOST : rows.length);
    for (const row of rows) row.hidden = !shown.includes(row);
    const { all, near, none } = finder.dataset;
    byId("found").textContent = !shown.length ? none : best < answers.length ? near : all.replace("{n}", shown.length);
  }

  // Shows the finder of the rules page in a dialog, so that the form stays as it is.
  async function openFinder(button) {
    let dialog = byId("rules-dialog");
    if (!dialog) {
      const answer = await fetch("/rules", { signal: AbortSignal.timeout?.(LONGEST_MS) });
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      dialog = Object.assign(document.createElement("dialog"), { id: "rules-dialog" });
      const close = Object.assign(document.createElement("button"), { type: "button", className: "quiet", textContent: button.dataset.closing });
      close.addEventListener("click", () => dialog.close());
      dialog.append(page.getElementById("finder"), close);
      document.body.append(dialog);
    }
    dialog.showModal();
  }

  function choose(name) {
    const rules = byId("new-match").elements.rules;
    rules.value = name;
    rules.dispatchEvent(new Event("change", { bubbles: true }));
    byId("rules-dialog").close();
    byId("find-rules").focus();
  }

  document.addEventListener("input", ({ target }) => { if (target.closest("#finder")) narrow(); });
  document.addEventListener("click", (event) => {
    const chosen = event.target.closest("#rules-dialog [data-rules]");
    if (!chosen) return;
    event.preventDefault();
    choose(chosen.dataset.rules);
  });

  window.findRules = openFinder;
})();
