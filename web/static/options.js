// House rules in the set-up of a match: what is changed is marked, and only that is sent.
"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const fields = (form) => [...form.querySelectorAll("[data-option]")];

  // What the chosen rules say of each option.
  function published(form) {
    const chosen = form.elements.rules.selectedOptions[0].dataset.options;
    return { ...JSON.parse(byId("options").dataset.defaults), ...JSON.parse(chosen) };
  }

  function valueOf(field) {
    if (field.type === "checkbox") return field.checked;
    return field.type === "number" ? Number(field.value) : field.value;
  }

  function put(field, value) {
    if (field.type === "checkbox") field.checked = value;
    else field.value = value;
  }

  window.changedOptions = (form) => {
    const usual = published(form);
    return Object.fromEntries(fields(form).map((field) => [field.dataset.option, valueOf(field)])
      .filter(([name, value]) => value !== usual[name]));
  };

  function inWords(field, value) {
    if (field.type !== "select-one") return String(value);
    return [...field.options].find((option) => option.value === value).text;
  }

  function mark() {
    const form = byId("new-match");
    if (!form) return;
    const usual = published(form);
    const changed = window.changedOptions(form);
    for (const field of fields(form)) {
      const name = field.dataset.option;
      const was = name in changed && field.type !== "checkbox";
      field.closest("label").classList.toggle("changed", name in changed);
      field.closest("label").querySelector("small").textContent = was
        ? byId("options").dataset.was.replace("{value}", inWords(field, usual[name])) : "";
    }
    // Points of their own are said by the rules alone, face by face.
    form.querySelector("[data-option=alike] [value=fixed]").hidden = usual.alike !== "fixed";
    const n = Object.keys(changed).length;
    byId("options").querySelector("summary small").textContent = n ? byId("options").dataset.count.replace("{n}", n) : "";
  }

  function asPublished() {
    const usual = published(byId("new-match"));
    for (const field of fields(byId("new-match"))) put(field, usual[field.dataset.option]);
    mark();
  }

  document.addEventListener("change", ({ target }) => {
    if (target.name === "rules" && target.form?.id === "new-match") asPublished();
    else if (target.dataset.option) mark();
  });
  document.addEventListener("click", ({ target }) => { if (target.id === "as-published") asPublished(); });
  // A field that lies folded away cannot be shown as what is missing.
  document.addEventListener("invalid", ({ target }) => target.closest("details")?.setAttribute("open", ""), true);
  document.addEventListener("swapped", mark);
  mark();
})();
