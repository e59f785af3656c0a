"""Pictures that were read wrong, with what they really showed: kept only where that is wanted.

They are for `traykeeper bench vision`, and for whoever makes the reader better. A thread of its own
writes them; it is never the cause of anything.
"""

import json
import logging
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from io import RawIOBase
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from device.eye import Seen
from device.frames import SPARE_BYTES
from device.photos import jpeg
from device.truth import Truth
from vision.labelled import LABELS
from vision.reading import Die
from web.corrections import MisreadsKept
from web.table import TableError

log = logging.getLogger(__name__)

FOLDER = "corrections"
SWITCH = "on"
"""While this file stands in the folder, pictures are kept."""

DIGITS = 6
"""Of a picture's name; they sort as they were made."""

MOST, MAX_BYTES = 200, 100 * 1024 * 1024
"""A picture of 1536x864 is some 250 kB. The oldest make room."""

QUALITY = 95
"""Of the JPEG: 25 of 25 simulated throws were read the same from it as from the frame."""


class MisreadStore:
    """See `web.corrections.Misreads`.

    Args:
        folder: where; it is made when it is first switched on.
        most, max_bytes: of all pictures together.
    """

    def __init__(self, folder: Path, *, most: int = MOST, max_bytes: int = MAX_BYTES) -> None:
        self._folder, self._most, self._max_bytes = folder, most, max_bytes
        self._writer = ThreadPoolExecutor(1, "corrections")
        self._shown: Seen | None = None
        self._truth: Truth | None = None
        self._number = 0
        self._next = max((int(path.stem) for path in self._pictures()), default=0) + 1

    def __repr__(self) -> str:
        return f"<Corrections {self._folder} {self.store()}>"

    def close(self) -> None:
        """After what is waiting."""
        self._writer.shutdown()

    def see(self, picture: Seen, truth: Truth | None) -> None:
        """The picture in view with its reading, and what it really showed; None where that is open.

        What is put right once more, or was right after all, takes its former place. Returns at once.
        """
        if picture is not self._shown:
            self._shown, self._truth, self._number = picture, None, 0
        if truth is None:
            return
        wrong = None if truth.agrees(picture.sight.reading) else truth
        if wrong == self._truth or not self.on:
            return
        self._truth = wrong
        if not self._number:
            self._number, self._next = self._next, self._next + 1
        if wrong:
            self._writer.submit(self._write, self._number, picture, wrong)
        else:
            self._writer.submit(self._remove, self._number)

    # What the page asks for

    @property
    def on(self) -> bool:
        return (self._folder / SWITCH).exists()

    def switch(self, *, on: bool) -> None:
        try:
            if on:
                self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                (self._folder / SWITCH).touch()
            else:
                (self._folder / SWITCH).unlink(missing_ok=True)
        except OSError as error:
            raise TableError(f"That cannot be written down ({error.strerror}).") from None

    def store(self) -> MisreadsKept:
        sizes = []
        for path in self._pictures():
            with suppress(FileNotFoundError):  # deleted meanwhile
                sizes.append(path.stat().st_size)
        return MisreadsKept(self.on, len(sizes), sum(sizes), self._most, self._max_bytes)

    def delete(self) -> None:
        try:
            self._writer.submit(self._delete).result()
        except OSError as error:
            raise TableError(f"That cannot be deleted ({error.strerror}).") from None

    def packed(self) -> Iterator[bytes]:
        """A zip in parts, no larger than a picture each: it is never whole in memory."""
        sink = _Sink()
        with ZipFile(sink, "w") as archive:
            labels = []
            for path in self._pictures():
                with suppress(FileNotFoundError):  # deleted meanwhile
                    picture, label = path.read_bytes(), path.with_suffix(".json").read_text("utf-8")
                    archive.writestr(path.name, picture)
                    labels.append(label)
                yield sink.taken()
            archive.writestr(LABELS, "".join(labels))
        yield sink.taken()

    # On the writer's thread

    def _write(self, number: int, picture: Seen, truth: Truth) -> None:
        path = self._folder / f"{number:0{DIGITS}}.jpg"
        label = json.dumps(_label(path.name, picture, truth)) + "\n"
        data = jpeg(picture.image, picture.image.shape[1], QUALITY)
        try:
            if shutil.disk_usage(self._folder).free < SPARE_BYTES:
                return
            path.with_suffix(".json").write_text(label, "utf-8")
            part = path.with_suffix(".part")
            part.write_bytes(data)
            part.replace(path)
            self._prune()
        except OSError as error:
            log.warning("a corrected picture cannot be kept: %s", error)

    def _remove(self, number: int) -> None:
        for suffix in (".jpg", ".json"):
            (self._folder / f"{number:0{DIGITS}}{suffix}").unlink(missing_ok=True)

    def _delete(self) -> None:
        for path in self._pictures():
            self._remove(int(path.stem))

    def _prune(self) -> None:
        """The newest stay, until they are too many or too many bytes."""
        left = self._max_bytes
        for place, path in enumerate(reversed(self._pictures())):
            left -= path.stat().st_size
            if left < 0 or place >= self._most:
                self._remove(int(path.stem))

    def _pictures(self) -> list[Path]:
        return sorted(self._folder.glob(f"{'[0-9]' * DIGITS}.jpg"))


def _label(name: str, picture: Seen, truth: Truth) -> dict[str, Any]:
    """As `vision.labelled` reads it, and `traykeeper read --list`."""
    reading, zones = picture.sight.reading, picture.zones
    boxes = zip(map(_box, reading.dice), truth.faces, strict=True)
    return {
        "file": name,
        "tray": [_tenths(*corner) for corner in zones[0].corners] if zones else None,
        "values": list(truth.values),
        "boxes": [[*box, face] for box, face in boxes],
        "all_found": truth.all_found,
        "read": reading.to_json(),
    }


def _box(die: Die) -> list[float]:
    return _tenths(die.x - die.w / 2, die.y - die.h / 2, die.w, die.h)


def _tenths(*px: float) -> list[float]:
    return [round(each, 1) for each in px]


class _Sink(RawIOBase):
    """Takes what a zip writes, to be handed on."""

    def __init__(self) -> None:
        self._data = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._data += data
        return len(data)

    def taken(self) -> bytes:
        data = bytes(self._data)
        self._data.clear()
        return data
