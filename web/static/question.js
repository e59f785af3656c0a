// Brings an open question into view. It pulses once when it is asked again, or something else was tapped meanwhile.
"use strict";
(() => {
  const PULSE_MS = 1000;
  const question = () => document.querySelector("#question .asked");
  let [shown, asked] = [ids(), words()];

  // The ids of the answers, which change whenever a question is asked.
  function ids() {
    return [...question()?.querySelectorAll("[data-body]") || []].map((button) => button.dataset.body).join();
  }

  function words() {
    return question()?.querySelector("h2").textContent;
  }

  const show = () => question()?.scrollIntoView({ block: "nearest" });

  function pulse() {
    show();
    const card = question();
    card?.classList.add("pulse");
    setTimeout(() => card?.classList.remove("pulse"), PULSE_MS);
  }

  document.addEventListener("swapped", () => {
    const now = ids();
    if (now && now !== shown) (words() === asked ? pulse : show)();
    shown = now;
    asked = words() || asked;
  });
  document.addEventListener("held", pulse);
  document.addEventListener("acted", ({ detail }) => { if (detail && !detail.done) pulse(); });
  show();
})();
