"""Files in the state folder that store the facts a tray must remember about its matches with another tray."""

import json
import logging
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from threading import Lock
from typing import Any, Self

from device.shared_match.match_code import MatchKeys, MatchSide, keys_of
from game.file_io import write_atomically
from game.journal.wire import is_match_id

log = logging.getLogger(__name__)

FOLDER = "shared"
PENDING = "pending"

MAX_LINKS = 20
"""How many of the latest shared matches are remembered. Older ones can still be viewed, but not continued together."""


@dataclass(frozen=True, slots=True)
class Link:
    """The facts that one tray remembers about a shared match.

    Attributes:
        side: The side of this tray: host or guest.
        code: The code on which the trays agreed.
        id: Id of the keys derived from the code. Messages between the trays identify the match by it.
        address: Address of the host's page, for a guest that reaches it over HTTP; otherwise "".
        names: Names of the players at this tray, as they were entered.
        rules: Name of the rules that the host chose; None means the default rules of this tray.
        target: Points to play for; None means the target of the rules.
        options: Values of rule options that differ from the rules.
        match: Id of the match; "" until it begins.
        guest_seats: The seats of the players at the guest's tray.
        is_ended: Whether this tray has continued the match alone.
    """

    side: MatchSide
    code: str = field(repr=False)
    id: str
    address: str = ""
    names: tuple[str, ...] = ()
    rules: str | None = None
    target: int | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    match: str = ""
    guest_seats: tuple[int, ...] = ()
    is_ended: bool = False

    @property
    def keys(self) -> MatchKeys:
        """The keys derived from the code."""
        return keys_of(self.code)

    def is_elsewhere(self, seat: int) -> bool:
        """Return whether the player in this seat is at the other tray. Players who join later are at the host's tray."""
        return (seat in self.guest_seats) == (self.side is MatchSide.HOST)

    @classmethod
    def from_json(cls, data: Any) -> Self:
        """Return the link described by parsed JSON.

        Raises:
            TypeError, ValueError, KeyError: If the JSON does not describe a link.
        """
        lists = {name: tuple(data[name]) for name in ("names", "guest_seats")}
        return cls(**data | lists | {"side": MatchSide(data["side"])})


class LinkStore:
    """The links of a tray: what it remembers about each of its shared matches. Thread-safe.

    Args:
        folder: Folder for the files; it is created when the first link is saved.
    """

    def __init__(self, folder: Path) -> None:
        self._folder, self._lock = folder, Lock()
        self._links = {path.stem: link for path in _newest(folder) if (link := _read(path))}

    @property
    def is_empty(self) -> bool:
        """Whether no links are stored, as on a tray that has never played with another one."""
        return not self._links

    @property
    def pending(self) -> Link | None:
        """The link of the match that has not begun yet; None if there is none."""
        return self._links.get(PENDING)

    def get(self, match: str) -> Link | None:
        """Return the link of the match with this id; None if there is none or this tray continued the match alone."""
        link = self._links.get(match)
        return link if link and link.match and not link.is_ended else None

    def find(self, keys_id: str) -> Link | None:
        """Return the link whose keys have this id, preferably of a match that has not begun yet; None if there is none."""
        pending = self.pending
        return pending if pending and pending.id == keys_id else self.begun(keys_id)

    def begun(self, keys_id: str) -> Link | None:
        """Return the latest link whose keys have this id and whose match this tray has begun, or was about to begin.

        Return None if there is no such link.
        """
        links = (link for link in self._links.values() if link.match and link.id == keys_id)
        return next(links, None)

    def save(self, link: Link) -> None:
        """Save a link.

        Raises:
            OSError: If the link cannot be written. Nothing has changed then.
        """
        name = link.match or PENDING
        with self._lock:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_atomically(self._folder / f"{name}.json", json.dumps(asdict(link)))
            self._links = {name: link} | {k: v for k, v in self._links.items() if k != name}
        for old in list(self._links)[MAX_LINKS:]:
            self._remove(old)

    def withdraw(self) -> None:
        """Forget the link of the match that has not begun yet."""
        self._remove(PENDING)

    def forget(self, match: str) -> None:
        """Forget the link of a match that did not begin after all."""
        self._remove(match)

    def end(self, match: str) -> None:
        """Record that this tray continues the match with this id alone."""
        if link := self.get(match):
            self.save(replace(link, is_ended=True))

    def _remove(self, name: str) -> None:
        with self._lock, suppress(OSError):
            self._links = {k: v for k, v in self._links.items() if k != name}
            (self._folder / f"{name}.json").unlink(missing_ok=True)


def _newest(folder: Path) -> list[Path]:
    """Return the files that contain links, newest first."""
    files = [
        path for path in folder.glob("*.json") if path.stem == PENDING or is_match_id(path.stem)
    ]
    return sorted(files, key=lambda path: path.stat().st_mtime, reverse=True)


def _read(path: Path) -> Link | None:
    try:
        return Link.from_json(json.loads(path.read_text("utf-8")))
    except (OSError, ValueError, TypeError, KeyError, RecursionError) as error:
        log.warning(
            "%s cannot be read (%s): the match will continue at this tray only", path, error
        )
        return None
