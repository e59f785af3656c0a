"""The calls that bring the players of a tournament to free trays."""

import re
from collections.abc import Callable
from secrets import token_hex
from threading import RLock
from typing import Any

from game.situation import READY_FOR_MATCH
from web.club.people import People
from web.club.store import ClubStore
from web.club.tournaments import Fixture, Tournament, Tournaments
from web.club.trays import TrayStatus

_CALL_ID = re.compile(r"([0-9]{1,9})-([0-9]{1,9})-[0-9a-f]{4}")

SendCall = Callable[[str, dict[str, Any] | None], object]
"""Sends a call, with the fields of the match, to a tray; None withdraws the call."""


class TournamentCalls:
    """The calls of players to trays, stored until their match begins.

    Args:
        store: The database that holds the calls.
        people: The players of the club.
        tournaments: The tournaments.
        send: Sends a call to a tray.
    """

    def __init__(
        self, store: ClubStore, people: People, tournaments: Tournaments, send: SendCall
    ) -> None:
        self._store, self._people, self.tournaments, self._send = store, people, tournaments, send
        self._lock = RLock()

    def update(self, trays: tuple[TrayStatus, ...]) -> bool:
        """Call players to trays that are free, and return whether any call has changed."""
        with self._lock:
            if not self.tournaments.update_running():
                return False
            changes = [self._update(each, trays) for each in self.tournaments.all()]
            return any(changes)

    def _update(self, tournament: Tournament, trays: tuple[TrayStatus, ...]) -> bool:
        has_changed = False
        for fixture in tournament.fixtures:
            if fixture.tray and fixture.met:
                self.withdraw(tournament.id, fixture.pairing.number)
                has_changed = True
        busy = self._busy_players(trays)
        for tray in self._free_trays(trays):
            ready = [f for f in tournament.fixtures if f.is_open and not busy & f.pairing.players]
            if not ready:
                break
            self._call(tournament, ready[0], tray)
            busy |= ready[0].pairing.players
            tournament = self.tournaments.get(tournament.id) or tournament
            has_changed = True
        return has_changed

    def _free_trays(self, trays: tuple[TrayStatus, ...]) -> list[str]:
        rows = self._store.rows("SELECT tray FROM call WHERE NOT declined")
        called = {row["tray"] for row in rows}
        return [
            t.name
            for t in trays
            if t.online and t.situation in READY_FOR_MATCH and t.name not in called
        ]

    def _busy_players(self, trays: tuple[TrayStatus, ...]) -> set[int]:
        """Return the numbers of the players who are in the middle of a match or have been called to one."""
        busy: set[int] = set()
        for tray in trays:
            if tray.online and tray.summary and tray.summary["winner"] is None:
                names = (player["name"] for player in tray.summary["players"])
                busy |= {p for n in names if (p := self._people.find(n, tray.name)) is not None}
        for tournament in self.tournaments.all():
            for fixture in tournament.fixtures:
                if fixture.tray and not fixture.declined:
                    busy |= fixture.pairing.players
        return busy

    def _call(self, tournament: Tournament, fixture: Fixture, tray: str) -> None:
        number = fixture.pairing.number
        self._store.run("INSERT INTO call VALUES (?, ?, ?, 0)", tournament.id, number, tray)
        pair = (fixture.pairing.first, fixture.pairing.second)
        self._send(
            tray,
            {
                "id": f"{tournament.id}-{number}-{token_hex(2)}",  # a second call gets a new id
                "title": tournament.name,
                "names": [tournament.names[player] for player in pair if player],
                "rules": tournament.plan.rules,
                "target": tournament.plan.target,
            },
        )

    def on_answer(self, tray: str, call_id: str, *, accepted: bool) -> None:
        """Process the answer of the scorekeeper at a tray. A call that was declined waits for the steward.

        Args:
            tray: Name of the tray.
            call_id: The id of the call.
            accepted: Whether the match will be played there.
        """
        numbers = _CALL_ID.fullmatch(call_id)
        if numbers and not accepted:
            self._store.run(
                "UPDATE call SET declined = 1 WHERE tournament = ? AND pairing = ? AND tray = ?",
                int(numbers[1]), int(numbers[2]), tray,
            )  # fmt: skip
            self._clear(tray)

    def call_again(self, tournament: int, pairing: int) -> None:
        """Let a pairing be called again after a refusal or after its match was abandoned.

        Args:
            tournament: Number of the tournament.
            pairing: Number of the pairing.
        """
        found = self.tournaments.get(tournament)
        for fixture in found.fixtures if found else ():
            if fixture.pairing.number == pairing and fixture.met and fixture.met.winner is None:
                self.tournaments.abandon(tournament, fixture.met.match)
        self.withdraw(tournament, pairing)

    def withdraw(self, tournament: int, pairing: int) -> None:
        """Withdraw the call of a pairing, so that the tray is free and the pairing can be called again.

        Args:
            tournament: Number of the tournament.
            pairing: Number of the pairing.
        """
        row = self._store.row(
            "SELECT tray FROM call WHERE tournament = ? AND pairing = ?", tournament, pairing
        )
        if row:
            self._store.run(
                "DELETE FROM call WHERE tournament = ? AND pairing = ?", tournament, pairing
            )
            self._clear(row["tray"])

    def _clear(self, tray: str) -> None:
        """Withdraw the call at a tray, unless another pairing has been called there since."""
        with self._lock:
            if not self._store.row("SELECT 1 FROM call WHERE tray = ? AND NOT declined", tray):
                self._send(tray, None)

    def open_calls(self) -> list[tuple[Tournament, Fixture]]:
        """Return the calls whose match has not begun."""
        if not self.tournaments.has_running:
            return []
        return [
            (tournament, fixture)
            for tournament in self.tournaments.all()
            for fixture in tournament.fixtures
            if fixture.tray and not fixture.declined and not fixture.met
        ]
