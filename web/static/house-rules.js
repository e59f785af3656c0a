// House rules in the form for a new match: changed options are marked, and only these are sent.
"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const fields = (form) => [...form.querySelectorAll("[data-option]")];

  // Returns the published value of each option of the chosen rules.
  function published(form) {
    const chosen = form.elements.rules.selectedOptions[0].dataset.options;
    return { ...JSON.parse(byId("options").dataset.defaults), ...JSON.parse(chosen) };
  }

  function valueOf(field) {
    if (field.type === "checkbox") return field.checked;
    return field.type === "number" ? Number(field.value) : field.value;
  }

  function setValue(field, value) {
    if (field.type === "checkbox") field.checked = value;
    else field.value = value;
  }

  window.changedOptions = (form) => {
    const defaults = published(form);
    return Object.fromEntries(fields(form).map((field) => [field.dataset.option, valueOf(field)])
      .filter(([name, value]) => value !== defaults[name]));
  };

  function valueText(field, value) {
    if (field.type !== "select-one") return String(value);
    return [...field.options].find((option) => option.value === value).text;
  }

  function markChanges() {
    const form = byId("new-match");
    if (!form) return;
    const defaults = published(form);
    const changed = window.changedOptions(form);
    for (const field of fields(form)) {
      const name = field.dataset.option;
      const hasOldValue = name in changed && field.type !== "checkbox";
      field.closest("label").classList.toggle("changed", name in changed);
      field.closest("label").querySelector("small").textContent = hasOldValue
        ? byId("options").dataset.was.replace("{value}", valueText(field, defaults[name])) : "";
    }
    // Fixed points for each face can only come from the rule set.
    form.querySelector("[data-option=alike] [value=fixed]").hidden = defaults.alike !== "fixed";
    const n = Object.keys(changed).length;
    byId("options").querySelector("summary small").textContent = n ? byId("options").dataset.count.replace("{n}", n) : "";
  }

  function resetOptions() {
    const defaults = published(byId("new-match"));
    for (const field of fields(byId("new-match"))) setValue(field, defaults[field.dataset.option]);
    markChanges();
  }

  document.addEventListener("change", ({ target }) => {
    if (target.name === "rules" && target.form?.id === "new-match") resetOptions();
    else if (target.dataset.option) markChanges();
  });
  document.addEventListener("click", ({ target }) => { if (target.id === "as-published") resetOptions(); });
  // The browser cannot point to an invalid field in a closed section.
  document.addEventListener("invalid", ({ target }) => target.closest("details")?.setAttribute("open", ""), true);
  document.addEventListener("swapped", markChanges);
  markChanges();
})();
