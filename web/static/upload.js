// Uploads a file in parts, one after the other, because the server accepts only small bodies.
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

  // An empty file is sent as one empty part, so that the server can report the problem.
  window.uploadInParts = async (address, file, onProgress = () => {}) => {
    for (let at = 0; at === 0 || at < file.size; at += PART_BYTES) {
      await window.postJson(address, { at, part: await asBase64(file.slice(at, at + PART_BYTES)) });
      onProgress(at / file.size);
    }
  };
})();
