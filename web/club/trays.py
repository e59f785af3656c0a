"""The current state of every tray of a club, published in versions."""

from dataclasses import dataclass, replace
from threading import Condition
from time import monotonic, time

from game.stats.summary import MatchSummary

MAX_TRAYS = 1_000
"""Largest number of trays that are shown. A broker that reports more is flooded with made-up names."""

MIN_REDRAW_S = 0.2
"""Shortest time between two updates of a screen, in seconds. People cannot follow faster ones."""


@dataclass(frozen=True, slots=True)
class TrayStatus:
    """A tray as the screen shows it.

    Attributes:
        name: Name of the tray.
        online: Whether the tray is connected to the broker.
        match: The last match that began there; None before the first.
        seq: Number of the match's last entry in the club's history; -1 if only the tray knows the match.
        summary: Summary of the match, from the club's history if it has the match.
        situation: A value of `game.situation.Situation`.
        message: The tray's message, in English.
        page: Address of the tray's page, or "".
    """

    name: str
    online: bool = False
    match: str | None = None
    seq: int = -1
    summary: MatchSummary | None = None
    situation: str = ""
    message: str = ""
    page: str = ""


@dataclass(frozen=True, slots=True)
class TraysSnapshot:
    """The state of all trays at one moment.

    Attributes:
        version: A number that increases with every change.
        trays: The trays in the order of their names.
        broker_lost_s: When the connection to the broker was lost, in seconds since 1970; None while there is one.
    """

    version: int
    trays: tuple[TrayStatus, ...]
    broker_lost_s: float | None = None


class Trays:
    """The state of every tray. Safe to use from any thread; screens can wait for a change."""

    def __init__(self) -> None:
        self._trays: dict[str, TrayStatus] = {}
        self._changed = Condition()
        self._version = 1
        self._broker_lost_s: float | None = time()
        self._snapshot = TraysSnapshot(1, (), self._broker_lost_s)
        self._snapshot_s = 0.0

    def snapshot(self) -> TraysSnapshot:
        """Return all trays as they are now."""
        with self._changed:
            if self._snapshot.version != self._version:
                trays = sorted(self._trays.values(), key=lambda tray: tray.name)
                self._snapshot = TraysSnapshot(self._version, tuple(trays), self._broker_lost_s)
                self._snapshot_s = monotonic()
            return self._snapshot

    def wait(self, after: int, timeout_s: float) -> TraysSnapshot | None:
        """Wait for a newer snapshot and return it, or None after the timeout.

        Args:
            after: Version of the snapshot that the caller has.
            timeout_s: Longest wait in seconds.
        """
        with self._changed:
            if not self._changed.wait_for(lambda: self._version > after, timeout_s):
                return None
            pause_s = self._snapshot_s + MIN_REDRAW_S - monotonic()
            if pause_s > 0:
                self._changed.wait_for(lambda: False, pause_s)
        return self.snapshot()

    def refresh(self) -> None:
        """Publish a new version of the snapshot, so that every screen is updated."""
        with self._changed:
            self._version += 1
            self._changed.notify_all()

    def get(self, name: str) -> TrayStatus:
        """Return the status of a tray. A tray with an unknown name counts as offline."""
        return self._trays.get(name) or TrayStatus(name)

    def has_room_for(self, name: str) -> bool:
        """Return whether the tray is known or can still be added."""
        return name in self._trays or len(self._trays) < MAX_TRAYS

    def put(self, tray: TrayStatus) -> None:
        """Replace or add a tray."""
        with self._changed:
            self._trays[tray.name] = tray
            self.refresh()

    def remove(self, name: str) -> None:
        """Remove a tray that no longer exists."""
        with self._changed:
            self._trays.pop(name, None)
            self.refresh()

    def set_broker(self, *, is_connected: bool) -> None:
        """Note that the connection to the broker was made or lost. Every tray counts as offline until it reports."""
        with self._changed:
            if is_connected:
                self._broker_lost_s = None
            elif self._broker_lost_s is None:
                self._broker_lost_s = time()
            self.refresh()
        for tray in list(self._trays.values()):
            self.put(replace(tray, online=False))
