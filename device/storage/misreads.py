"""Pictures of throws that were read wrongly, with the true faces. Pictures are kept only if the players allow it.

The pictures are meant for developers of the reader (`traykeeper bench vision`). A separate thread writes them, and a
failure to write one never affects the match.
"""

import json
import logging
import shutil
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from io import RawIOBase
from pathlib import Path
from typing import Any, Protocol
from zipfile import ZipFile

from device.cameras.base import Image
from device.cameras.tray_picture import encode_jpeg
from device.files import write_atomically, zip_member
from device.storage.photo_album import is_at, shows, slots
from device.storage.throw_pictures import SPARE_BYTES
from game.match.events import Place
from game.match.match import Match
from game.match.state import State, Throw
from game.message import Message
from game.rules.ruleset import Dice
from game.situation import TableError
from vision.dataset import LABELS_FILE
from vision.reading import Die, Quad, Reading, Zone
from web.contracts import MisreadStatus


@dataclass(frozen=True, slots=True)
class Truth:
    """The dice that were really in the tray.

    Attributes:
        values: All faces in the tray, sorted.
        faces: The true face of each die, in the order of the reading; None for a die whose face is not known.
        all_found: Whether the reading has as many dice as were in the tray.
    """

    values: Dice
    faces: tuple[int | None, ...]
    all_found: bool

    def agrees(self, reading: Reading) -> bool:
        """Return whether a reading was certain and correct."""
        return reading.is_sure and reading.values == self.values


def truth(reading: Reading, throw: Throw, stayed: Sequence[Place]) -> Truth | None:
    """Return the dice that really were in the tray when a reading was made, according to the match as it stands now.

    The result is None if the face of a die that had stayed in the tray could not be read.

    Args:
        reading: The camera's reading.
        throw: The throw of this reading, with its corrections.
        stayed: Places of dice from earlier throws. Their faces are taken from the reading.
    """
    slot_of = slots(reading, throw)
    faces = {i: throw.dice[slot] for i, slot in slot_of.items()}
    in_tray = [i for i, die in enumerate(reading.dice) if die.zone is Zone.TRAY]
    others = [i for i in in_tray if i not in faces]
    old = [i for i in others if any(is_at(reading.dice[i], each) for each in stayed)]
    seen = {i: value for i in old if (value := reading.dice[i].value)}
    if len(seen) < len(old):
        return None
    new = [i for i in others if i not in old]
    left = [face for slot, face in enumerate(throw.dice) if slot not in slot_of.values()]
    faces |= seen | _paired(reading, new, left)
    values = tuple(sorted((*throw.dice, *seen.values())))
    shown = tuple(faces.get(i) for i in range(len(reading.dice)))
    return Truth(values, shown, len(in_tray) == len(values))


def _paired(reading: Reading, dice: Sequence[int], faces: Sequence[int]) -> dict[int, int]:
    """Assign true faces to dice in a reading, and return the face of each die by the number of the die.

    A die that was read as one of the faces gets that face. If one die and one face remain, that die gets that face.

    Args:
        reading: The reading.
        dice: Numbers of the dice in the reading.
        faces: The true faces, 1 to 6.
    """
    found: dict[int, int] = {}
    left, rest = list(faces), []
    for i in dice:
        value = reading.dice[i].value
        if value in left:
            left.remove(value)
            found[i] = value
        else:
            rest.append(i)
    if len(left) == len(rest) == 1:
        found[rest[0]] = left[0]
    return found


log = logging.getLogger(__name__)

CORRECTIONS_FOLDER = "corrections"
SWITCH = "on"
"""Pictures are kept while this file exists in the folder."""

DIGITS = 6
"""Number of digits in the name of a picture, so that names sort in the order in which they were made."""

MAX_PICTURES, MAX_BYTES = 200, 100 * 1024 * 1024
"""Largest number of pictures and their largest total size in bytes. The oldest pictures are deleted first.

A picture of 1536x864 takes about 250 kB.
"""

QUALITY = 95
"""JPEG quality, at which all of 25 simulated throws were read from the JPEG in the same way as from the frame."""


class ReadPicture(Protocol):
    """A picture of the tray with its reading."""

    @property
    def image(self) -> Image:
        """The image, which may be a part of the frame that was read."""

    @property
    def reading(self) -> Reading:
        """The reading, in pixels of the frame."""

    @property
    def reading_in_image(self) -> Reading:
        """The same reading, in pixels of the image."""

    @property
    def zones(self) -> tuple[Quad, ...]:
        """The corners of the tray, then those of the set-aside area if there is one, in pixels of the image."""


TruthReceiver = Callable[[ReadPicture, Truth | None], object]
"""A function that receives a picture of the tray with its true dice (None if they are not known).

It is called again after every correction."""


class MisreadStore:
    """The folder of pictures that were read wrongly. Implements `web.contracts.Misreads`.

    Args:
        folder: The folder; it is created when pictures are first allowed.
        max_pictures: Largest number of pictures.
        max_bytes: Largest total size of all pictures, in bytes.
    """

    def __init__(
        self, folder: Path, *, max_pictures: int = MAX_PICTURES, max_bytes: int = MAX_BYTES
    ) -> None:
        self._folder, self._max_pictures, self._max_bytes = folder, max_pictures, max_bytes
        self._writer = ThreadPoolExecutor(1, "corrections")
        self._shown: ReadPicture | None = None
        self._truth: Truth | None = None
        self._number = 0
        self._next = max((int(path.stem) for path in self._pictures()), default=0) + 1

    def __repr__(self) -> str:
        return f"<MisreadStore {self._folder} {self.status()}>"

    def close(self) -> None:
        """Write the waiting pictures, then end the thread."""
        self._writer.shutdown()

    def record(self, picture: ReadPicture, truth: Truth | None) -> None:
        """Keep a picture if it was read wrongly, without waiting until it is written.

        A later call with the same picture replaces its stored faces. If the reading turns out to be right, the picture
        is deleted.

        Args:
            picture: The latest picture of the tray.
            truth: The dice that really were in the tray; None if they are not known.
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

    # Methods that the page calls

    @property
    def on(self) -> bool:
        """Whether the players allow pictures to be kept."""
        return (self._folder / SWITCH).exists()

    def set_enabled(self, *, on: bool) -> None:
        """Set whether pictures may be kept.

        Raises:
            TableError: If the choice cannot be saved.
        """
        try:
            if on:
                self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                (self._folder / SWITCH).touch()
            else:
                (self._folder / SWITCH).unlink(missing_ok=True)
        except OSError as error:
            raise TableError(
                Message("That cannot be saved (%(why)s).", why=str(error.strerror))
            ) from None

    def status(self) -> MisreadStatus:
        """Return how many pictures there are, and the limits."""
        sizes = []
        for path in self._pictures():
            with suppress(FileNotFoundError):  # deleted in the meantime
                sizes.append(path.stat().st_size)
        return MisreadStatus(self.on, len(sizes), sum(sizes), self._max_pictures, self._max_bytes)

    def delete_all(self) -> None:
        """Delete all pictures.

        Raises:
            TableError: If a picture cannot be deleted.
        """
        try:
            self._writer.submit(self._delete).result()
        except OSError as error:
            raise TableError(
                Message("That cannot be deleted (%(why)s).", why=str(error.strerror))
            ) from None

    def zip_parts(self) -> Iterator[bytes]:
        """Yield a zip archive of all pictures in parts, so that the whole archive is never in memory."""
        sink = _ZipSink()
        with ZipFile(sink, "w") as archive:
            labels = []
            for path in self._pictures():
                with suppress(FileNotFoundError):  # deleted in the meantime
                    picture, label = path.read_bytes(), path.with_suffix(".json").read_text("utf-8")
                    archive.writestr(zip_member(path.name), picture)
                    labels.append(label)
                yield sink.take()
            archive.writestr(zip_member(LABELS_FILE), "".join(labels))
        yield sink.take()

    # Methods that run on the writer's thread

    def _write(self, number: int, picture: ReadPicture, truth: Truth) -> None:
        path = self._folder / f"{number:0{DIGITS}}.jpg"
        label = json.dumps(_label(path.name, picture, truth)) + "\n"
        data = encode_jpeg(picture.image, picture.image.shape[1], QUALITY)
        try:
            if shutil.disk_usage(self._folder).free < SPARE_BYTES:
                return
            write_atomically(path.with_suffix(".json"), label)
            write_atomically(path, data)
            self._prune()
        except OSError as error:
            log.warning("cannot keep a corrected picture: %s", error)

    def _remove(self, number: int) -> None:
        for suffix in (".jpg", ".json"):
            (self._folder / f"{number:0{DIGITS}}{suffix}").unlink(missing_ok=True)

    def _delete(self) -> None:
        for path in self._pictures():
            self._remove(int(path.stem))

    def _prune(self) -> None:
        """Delete the oldest pictures until neither limit is exceeded."""
        left = self._max_bytes
        for rank, path in enumerate(reversed(self._pictures())):
            left -= path.stat().st_size
            if left < 0 or rank >= self._max_pictures:
                self._remove(int(path.stem))

    def _pictures(self) -> list[Path]:
        return sorted(self._folder.glob(f"{'[0-9]' * DIGITS}.jpg"))


def _label(name: str, picture: ReadPicture, truth: Truth) -> dict[str, Any]:
    """Return the true dice of a picture in the format of `vision.dataset` and `traykeeper read --list`."""
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


class _ZipSink(RawIOBase):
    """A buffer into which a zip archive is written, and from which its contents are taken part by part."""

    def __init__(self) -> None:
        self._data = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._data += data
        return len(data)

    def take(self) -> bytes:
        data = bytes(self._data)
        self._data.clear()
        return data


class MisreadCollector:
    """Compares the latest picture with the match after every change, to find misreads. Failures are only logged.

    Args:
        receivers: Receive the true faces, as the store for pictures that were read wrongly does.
    """

    def __init__(self, *receivers: TruthReceiver) -> None:
        self._receivers = receivers
        self._picture: ReadPicture | None = None
        self._entered: Throw | None = None
        self._match: State | None = None
        self._stayed: tuple[Place, ...] = ()

    def saw(self, picture: ReadPicture) -> None:
        """Set the picture of the tray with which the match is compared from now on."""
        self._picture, self._entered = picture, None

    def tapped_in(self, before: Match, after: Match) -> None:
        """Record that players entered by hand the throw that the latest picture shows.

        Args:
            before: The match before the throw.
            after: The match with the throw.
        """
        self._match, self._entered = after.start_state, after.last_throw
        self._stayed = before.last_places

    def learn(self, match: Match) -> None:
        """Work out from the match what the latest picture really shows, and keep the picture if it was read wrongly."""
        throw = match.last_throw
        if not self._is_entered(match, throw):
            self._entered = None
        try:
            if self._picture and throw:
                self._learn(self._picture, throw)
        except Exception:
            log.exception("cannot learn from a correction")

    def _learn(self, picture: ReadPicture, throw: Throw) -> None:
        reading = picture.reading
        if not self._entered and not shows(reading, throw):
            return
        found = truth(reading, throw, self._stayed if self._entered else throw.set_aside)
        for receiver in self._receivers:
            receiver(picture, found)

    def _is_entered(self, match: Match, throw: Throw | None) -> bool:
        """Return whether a throw is still the one that was entered by hand, even if its dice have been corrected."""
        entered = self._entered
        same_match = match.start_state is self._match
        return bool(entered and throw and same_match and throw.index == entered.index)
