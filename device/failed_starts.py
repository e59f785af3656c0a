"""Failed starts of the service, recorded in a small file so that the next start can leave out the failed part.

Every start records which part it has reached, so that a start that is killed leaves a trace as well. Times come
from the monotonic clock, which starts again at each boot. So a change of the date has no effect, and starts before
a reboot or a power cut do not count.
"""

import json
import logging
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from pathlib import Path
from time import monotonic
from typing import Any, Self

from device.files import read_json, write_atomically
from game.errors import reason

log = logging.getLogger(__name__)

FAILED_STARTS_FILE = "failed-starts.json"
BOOT_ID = Path("/proc/sys/kernel/random/boot_id")

LIMIT = 3
"""After this many failed starts within `WINDOW_S` seconds, the next start is in safe mode."""

WINDOW_S = 600.0
GOOD_S = 180.0
"""A start that lasts this many seconds has succeeded. Three shorter starts fit into `WINDOW_S`, pauses included."""

MOST_KEPT = 6


class StartPart(StrEnum):
    """The parts of a start, each of which may fail."""

    SETTINGS = "settings"
    JOURNAL = "journal"
    PINS = "pins"
    CAMERA = "camera"
    PAGE = "page"
    BROKER = "broker"
    RUNNING = "running"


@dataclass(frozen=True, slots=True)
class FailedStart:
    """A start of the service that failed.

    Attributes:
        began_s: When the start began, in seconds of the monotonic clock.
        part: The part that the start had reached.
        why: The error in one line; "" if the start ended without one, for instance because it was killed.
    """

    began_s: float
    part: StartPart
    why: str = ""


class StartRecord:
    """The record of failed starts, to which the current start adds itself.

    Args:
        folders: Where the record is kept; the first folder that can be written is used. Without folders, nothing
            is recorded.
        boot: Id of the current boot; records from another boot are ignored.
        clock: Monotonic clock, in seconds.

    Attributes:
        earlier: The failed starts of the last ten minutes, oldest first.
    """

    def __init__(
        self, folders: Sequence[Path], boot: str, clock: Callable[[], float] = monotonic
    ) -> None:
        self._folders, self._boot, self._clock = folders, boot, clock
        self._this = FailedStart(clock(), StartPart.SETTINGS)
        self._is_closed = not folders
        self.earlier = self._read()
        self.reach(StartPart.SETTINGS)

    @classmethod
    def of_service(cls, state: Path, environ: Mapping[str, str] = os.environ) -> Self:
        """Return the record of the service's starts; it stays empty if systemd did not start this process.

        Args:
            state: The state folder.
            environ: The environment variables, including those set by systemd.
        """
        if "NOTIFY_SOCKET" not in environ:
            return cls((), "")
        folders = [state, *map(Path, filter(None, [environ.get("RUNTIME_DIRECTORY")]))]
        try:
            boot = BOOT_ID.read_text("ascii").strip()
        except OSError:
            boot = ""
        return cls(folders, boot)

    @property
    def is_safe_mode_due(self) -> bool:
        """Whether so many starts have failed that this one must leave out the failed part."""
        return len(self.earlier) >= LIMIT

    def reach(self, part: StartPart) -> None:
        """Record the part that this start has reached."""
        self._this = replace(self._this, part=part)
        self._write((*self.earlier, self._this))

    def tick(self) -> None:
        """Forget the failed starts once the current start has lasted long enough; in safe mode, keep them."""
        if not self.is_safe_mode_due and self._clock() - self._this.began_s >= GOOD_S:
            self._forget()

    @contextmanager
    def attempt(self) -> Iterator[None]:
        """If the start in the block fails, record it; if it ends normally, forget the failed starts."""
        try:
            yield
        except BaseException as error:
            self._fail(error)
            raise
        if self._this.part is StartPart.RUNNING:
            self._forget()

    def allow_one_try(self) -> None:
        """Make the next start a normal one; if it fails, the start after it is in safe mode again."""
        last, now_s = self.earlier[1 - LIMIT :], self._clock()
        self._write([replace(s, began_s=now_s - age_s) for age_s, s in enumerate(last[::-1])])
        self._is_closed = True

    def _fail(self, error: BaseException) -> None:
        why = str(reason(error)) if isinstance(error, Exception) else f"exit {error}"
        self._this = replace(self._this, why=" ".join(why.split()) or type(error).__name__)
        self._write((*self.earlier, self._this))

    def _forget(self) -> None:
        if self._is_closed:
            return
        self._is_closed = True
        for folder in self._folders:
            with suppress(OSError):
                (folder / FAILED_STARTS_FILE).unlink(missing_ok=True)

    def _write(self, starts: Sequence[FailedStart]) -> None:
        """Replace the file without flushing it to disk, because a power cut makes the record worthless anyway."""
        if self._is_closed:
            return
        data = {"boot": self._boot, "starts": [asdict(start) for start in starts[-MOST_KEPT:]]}
        for folder in self._folders:
            try:
                write_atomically(folder / FAILED_STARTS_FILE, json.dumps(data), synced=False)
            except OSError:
                continue
            return
        log.warning("failed starts cannot be counted: no folder can be written")

    def _read(self) -> tuple[FailedStart, ...]:
        """Return the failed starts that began since the last boot and at most `WINDOW_S` seconds ago.

        A damaged file counts as empty. If more than one folder has a record, the one in the last of these folders is the
        newest, because a folder is not used until those before it have become read-only.
        """
        found: dict[float, FailedStart] = {}
        for folder in self._folders:
            starts = read_json(folder / FAILED_STARTS_FILE, self._parse) or ()
            found |= {start.began_s: start for start in starts}
        now_s = self._clock()
        return tuple(found[at] for at in sorted(found) if 0 <= now_s - at <= WINDOW_S)

    def _parse(self, data: Any) -> tuple[FailedStart, ...]:
        """Return the failed starts in the parsed file; none if it was written before the last boot."""
        starts = data["starts"] if data["boot"] == self._boot else ()
        return tuple(
            FailedStart(float(start["began_s"]), StartPart(start["part"]), str(start["why"]))
            for start in starts
        )
