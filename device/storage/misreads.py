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
from typing import Any, Protocol
from zipfile import ZipFile

from device.cameras.base import Image
from device.cameras.tray_picture import encode_jpeg
from device.files import write_atomically, zip_member
from device.storage.misread_labels import Truth, truth
from device.storage.photo_album import shows
from device.storage.throw_pictures import SPARE_BYTES
from game.match.events import Place
from game.match.match import Match
from game.match.state import State, Throw
from game.message import Message
from game.situation import TableError
from vision.dataset import LABELS_FILE
from vision.reading import Die, Quad, Reading
from web.contracts.misreads import MisreadStatus

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


class ReadPicture(Protocol):
    """A picture with what was read from it; the first of its zones is the tray.

    `reading_in_image` is the reading in the pixels of the image, which may be a part of what was read.
    """

    @property
    def image(self) -> Image: ...

    @property
    def reading(self) -> Reading: ...

    @property
    def reading_in_image(self) -> Reading: ...

    @property
    def zones(self) -> tuple[Quad, ...]: ...


class MisreadStore:
    """See `web.contracts.misreads.Misreads`.

    Args:
        folder: where; it is made when it is first switched on.
        most, max_bytes: of all pictures together.
    """

    def __init__(self, folder: Path, *, most: int = MOST, max_bytes: int = MAX_BYTES) -> None:
        self._folder, self._most, self._max_bytes = folder, most, max_bytes
        self._writer = ThreadPoolExecutor(1, "corrections")
        self._shown: ReadPicture | None = None
        self._truth: Truth | None = None
        self._number = 0
        self._next = max((int(path.stem) for path in self._pictures()), default=0) + 1

    def __repr__(self) -> str:
        return f"<MisreadStore {self._folder} {self.status()}>"

    def close(self) -> None:
        """After what is waiting."""
        self._writer.shutdown()

    def see(self, picture: ReadPicture, truth: Truth | None) -> None:
        """The picture in view with its reading, and what it really showed; None where that is open.

        What is put right once more, or was right after all, takes its former place. Returns at once.
        """
        if picture is not self._shown:
            self._shown, self._truth, self._number = picture, None, 0
        if truth is None:
            return
        wrong = None if truth.agrees(picture.reading) else truth
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

    def set_enabled(self, *, on: bool) -> None:
        try:
            if on:
                self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                (self._folder / SWITCH).touch()
            else:
                (self._folder / SWITCH).unlink(missing_ok=True)
        except OSError as error:
            raise TableError(
                Message("That cannot be written down (%(why)s).", why=str(error.strerror))
            ) from None

    def status(self) -> MisreadStatus:
        sizes = []
        for path in self._pictures():
            with suppress(FileNotFoundError):  # deleted meanwhile
                sizes.append(path.stat().st_size)
        return MisreadStatus(self.on, len(sizes), sum(sizes), self._most, self._max_bytes)

    def delete_all(self) -> None:
        try:
            self._writer.submit(self._delete).result()
        except OSError as error:
            raise TableError(
                Message("That cannot be deleted (%(why)s).", why=str(error.strerror))
            ) from None

    def zip_parts(self) -> Iterator[bytes]:
        """A zip in parts, no larger than a picture each: it is never whole in memory."""
        sink = _Sink()
        with ZipFile(sink, "w") as archive:
            labels = []
            for path in self._pictures():
                with suppress(FileNotFoundError):  # deleted meanwhile
                    picture, label = path.read_bytes(), path.with_suffix(".json").read_text("utf-8")
                    archive.writestr(zip_member(path.name), picture)
                    labels.append(label)
                yield sink.taken()
            archive.writestr(zip_member(LABELS_FILE), "".join(labels))
        yield sink.taken()

    # On the writer's thread

    def _write(self, number: int, picture: ReadPicture, truth: Truth) -> None:
        path = self._folder / f"{number:0{DIGITS}}.jpg"
        label = json.dumps(_label(path.name, picture, truth)) + "\n"
        data = encode_jpeg(picture.image, picture.image.shape[1], QUALITY)
        try:
            if shutil.disk_usage(self._folder).free < SPARE_BYTES:
                return
            path.with_suffix(".json").write_text(label, "utf-8")
            write_atomically(path, data)
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


def _label(name: str, picture: ReadPicture, truth: Truth) -> dict[str, Any]:
    """As `vision.dataset` reads it, and `traykeeper read --list`."""
    reading, zones = picture.reading_in_image, picture.zones
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


class MisreadCollector:
    """Looks at the match after every change; it may fail, and nobody but the log hears of it.

    Args:
        store: keeps the pictures that were read wrong.
    """

    def __init__(self, store: MisreadStore) -> None:
        self._store = store
        self._picture: ReadPicture | None = None
        self._tapped: Throw | None = None
        self._match: State | None = None
        self._stayed: tuple[Place, ...] = ()

    def saw(self, picture: ReadPicture) -> None:
        """This picture is in view now, as it was read."""
        self._picture, self._tapped = picture, None

    def tapped_in(self, before: Match, after: Match) -> None:
        """Somebody said what the picture in view shows: the throw that was added."""
        self._match, self._tapped = after.start_state, after.last_throw
        self._stayed = before.last_places

    def learn(self, match: Match) -> None:
        """What the picture in view really showed, as the match has it now."""
        throw = match.last_throw
        if not self._is_tapped(match, throw):
            self._tapped = None
        try:
            if self._picture and throw:
                self._learn(self._picture, throw)
        except Exception:
            log.exception("nothing can be learnt from a correction")

    def _learn(self, picture: ReadPicture, throw: Throw) -> None:
        reading = picture.reading
        if self._tapped:
            self._store.see(picture, truth(reading, throw, self._stayed))
        elif shows(reading, throw):
            self._store.see(picture, truth(reading, throw, throw.set_aside))

    def _is_tapped(self, match: Match, throw: Throw | None) -> bool:
        """Whether this is still the throw that was tapped in, whatever its dice are by now."""
        tapped = self._tapped
        same_match = match.start_state is self._match
        return bool(tapped and throw and same_match and throw.index == tapped.index)
