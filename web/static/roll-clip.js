// Shows how dice came to rest, slowly or frame by frame. A clip is Motion JPEG; the comment of each frame is its time.
"use strict";
(() => {
  const SLOW = 4;
  const TV_SLOW = 3;
  const LONGEST_MS = 500; // the longest time for which one frame is shown, in the time of the clip
  const TV_REST_MS = 2500;
  const LONGEST_LOAD_MS = 20000;
  const byId = (id) => document.getElementById(id);
  const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");

  // Returns where each JPEG begins: its first marker ff d8 is followed by the comment ff fe.
  function starts(data) {
    const found = [];
    for (let at = data.indexOf(0xff); at >= 0; at = data.indexOf(0xff, at + 1)) {
      if (data[at + 1] === 0xd8 && data[at + 2] === 0xff && data[at + 3] === 0xfe) found.push(at);
    }
    return found;
  }

  async function load(address) {
    const answer = await fetch(address, { signal: AbortSignal.timeout?.(LONGEST_LOAD_MS) });
    if (!answer.ok) throw await answer.json();
    const data = new Uint8Array(await answer.arrayBuffer());
    const begins = starts(data);
    return Promise.all(begins.map(async (at, number) => {
      const length = (data[at + 4] << 8) + data[at + 5];
      const ms = Number(String.fromCharCode(...data.slice(at + 6, at + 4 + length)));
      const jpeg = new Blob([data.slice(at, begins[number + 1])], { type: "image/jpeg" });
      return { ms, image: await createImageBitmap(jpeg) };
    }));
  }

  // Plays frames from one on. `show` gets the number of each frame, `done` is called after the last one.
  class Player {
    #timer = 0;

    play(frames, from, slowness, show, done) {
      this.stop();
      show(from);
      if (from >= frames.length - 1) return done();
      const ms = Math.min(frames[from + 1].ms - frames[from].ms, LONGEST_MS) * slowness;
      this.wait(ms, () => this.play(frames, from + 1, slowness, show, done));
    }

    wait(ms, then) { this.#timer = setTimeout(then, ms); }

    stop() {
      clearTimeout(this.#timer);
      this.#timer = 0;
    }

    get isPlaying() { return this.#timer !== 0; }
  }

  function draw(canvas, { image }) {
    if (canvas.width !== image.width) [canvas.width, canvas.height] = [image.width, image.height];
    canvas.getContext("2d").drawImage(image, 0, 0);
  }

  // On a phone: a dialog with a slider

  const dialog = byId("roll");
  const player = new Player();
  let frames = [];

  const shown = () => Number(byId("roll-at").value);

  function show(number) {
    const { before, rest } = dialog.dataset;
    const seconds = (-frames[number].ms / 1000).toLocaleString(document.documentElement.lang, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
    draw(byId("roll-picture"), frames[number]);
    byId("roll-at").value = number;
    byId("roll-when").textContent = frames[number].ms < 0 ? before.replace("{seconds}", seconds) : rest;
    byId("roll-at").setAttribute("aria-valuetext", byId("roll-when").textContent);
  }

  function showPlaying() {
    byId("roll-play").setAttribute("aria-pressed", String(player.isPlaying));
  }

  function play() {
    const from = shown() >= frames.length - 1 ? 0 : shown();
    const slowness = byId("roll-slow").getAttribute("aria-pressed") === "true" ? SLOW : 1;
    player.play(frames, from, slowness, show, () => { player.stop(); showPlaying(); });
    showPlaying();
  }

  function stop() {
    player.stop();
    showPlaying();
  }

  function step(by) {
    stop();
    show(Math.max(0, Math.min(frames.length - 1, shown() + by)));
  }

  async function open(address) {
    const words = JSON.parse(document.body.dataset.words);
    try {
      window.toast(words.loading, LONGEST_LOAD_MS);
      frames = await load(address);
      window.toast("");
    } catch (error) {
      return window.toast(error.detail || words.silent);
    }
    byId("roll-at").max = frames.length - 1;
    byId("roll-at").value = 0;
    dialog.showModal();
    if (reducedMotion.matches) step(frames.length);
    else play();
  }

  const taps = {
    "roll-play": () => (player.isPlaying ? stop() : play()),
    "roll-back": () => step(-1),
    "roll-on": () => step(1),
    "roll-slow": (button) => {
      button.setAttribute("aria-pressed", String(button.getAttribute("aria-pressed") !== "true"));
      if (player.isPlaying) play();
    },
  };

  if (dialog) {
    const openOnce = window.once(open);
    document.addEventListener("click", ({ target }) => {
      const again = target.closest("[data-clip]");
      if (again) return openOnce(again.dataset.clip);
      const button = target.closest("button");
      if (button && taps[button.id]) taps[button.id](button);
    });
    byId("roll-at").addEventListener("input", () => { stop(); show(shown()); });
    dialog.addEventListener("close", stop);
  }

  // Older throws: their buttons appear if their rolls are still kept

  async function showOlder() {
    const list = document.querySelector("[data-clips]");
    if (!list) return;
    const answer = await fetch(list.dataset.clips, { cache: "no-store" }).catch(() => null);
    const { clips = [] } = answer?.ok ? await answer.json() : {};
    for (const { throw: index, url } of clips) {
      const button = byId(`again-${index}`);
      if (!button) continue;
      button.dataset.clip = url;
      button.hidden = false;
    }
  }

  // On a television: once, by itself, after a throw that everybody wants to see again

  let onTelevision = "";

  async function showOnTelevision() {
    const canvas = document.querySelector("[data-roll]");
    if (!canvas) player.stop();
    if (!canvas || canvas.dataset.roll === onTelevision || reducedMotion.matches) return;
    onTelevision = canvas.dataset.roll;
    const rolled = await load(onTelevision).catch(() => []);
    const current = () => document.querySelector(`[data-roll="${onTelevision}"]`);
    if (!rolled.length || !current()) return;
    const place = (isShown) => { if (current()) current().closest("figure").hidden = !isShown; };
    player.play(rolled, 0, TV_SLOW, (number) => {
      place(true);
      if (current()) draw(current(), rolled[number]);
    }, () => player.wait(TV_REST_MS, () => place(false)));
  }

  document.addEventListener("swapped", showOnTelevision);
  document.addEventListener("swapped", showOlder);
  showOnTelevision();
  showOlder();
})();
