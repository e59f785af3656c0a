// Sends a file in parts, one after the other: the table takes only small bodies, from anybody.
"use strict";
(() => {
  const PART_BYTES = 65536;

  function asBase64(part) {
    return new Promise((done, failed) => {
      const reader = new FileReader();
      reader.onload = () => done(reader.result.slice(reader.result.indexOf(",") + 1));
      reader.onerror = failed;
      reader.readAsDataURL(part);
    });
  }

  // An empty file is one empty part: the table says what is wrong with it.
  window.sendInParts = async (address, file, sent = () => {}) => {
    for (let at = 0; at === 0 || at < file.size; at += PART_BYTES) {
      await window.postJson(address, { at, part: await asBase64(file.slice(at, at + PART_BYTES)) });
      sent(at / file.size);
    }
  };
})();
