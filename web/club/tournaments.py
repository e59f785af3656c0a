"""Tournaments: drawn once, filled by the matches that the trays tell of, called to free trays.

Only the draw and the calls are kept. Results are read from the history each time, so that a win
that is taken back at the tray is taken back here.
"""

import json
import re
import time
from collections.abc import Callable, Collection
from dataclasses import asdict, dataclass
from secrets import token_hex
from threading import RLock
from typing import Any

from game.errors import IllegalMove
from game.message import Message
from game.names import clean_name
from game.rules import rule_files
from game.situation import FREE
from web.club.draw import Pairing, TournamentKind, TournamentPlan, pairings
from web.club.match_history import CLOCKS_APART_S
from web.club.people import People
from web.club.store import ClubStore
from web.club.trays import ShownTray

_CALL_ID = re.compile(r"([0-9]{1,9})-([0-9]{1,9})-[0-9a-f]{4}")

Call = Callable[[str, dict[str, Any] | None], object]
"""Calls a match to a tray; None takes the call back."""


@dataclass(frozen=True, slots=True)
class Met:
    """A match between two players of a tournament; `winner` is None while it is played."""

    match: str
    tray: str
    winner: int | None


@dataclass(frozen=True, slots=True)
class Fixture:
    """A pairing, and what became of it."""

    pairing: Pairing
    met: Met | None
    tray: str | None
    declined: bool

    @property
    def is_open(self) -> bool:
        """Whether it can be called now."""
        return bool(self.pairing.players) and self.met is None and self.tray is None


@dataclass(frozen=True, slots=True)
class Row:
    """A player's row in a round robin."""

    player: int
    name: str
    played: int
    won: int


@dataclass(frozen=True, slots=True)
class Tournament:
    """A tournament as it stands."""

    id: int
    name: str
    plan: TournamentPlan
    fixtures: tuple[Fixture, ...]
    names: dict[int, str]

    @property
    def over(self) -> bool:
        return all(fixture.met and fixture.met.winner for fixture in self.fixtures)

    @property
    def champions(self) -> list[str]:
        """Who won the final, or most matches; several where those are as many."""
        if not self.over:
            return []
        if self.plan.kind is TournamentKind.KNOCK_OUT:
            final = self.fixtures[-1].met
            return [self.names[final.winner]] if final and final.winner else []
        rows = self.rows
        return [row.name for row in rows if row.won == rows[0].won]

    @property
    def rounds(self) -> list[list[Fixture]]:
        last = max((fixture.pairing.round for fixture in self.fixtures), default=0)
        return [[f for f in self.fixtures if f.pairing.round == n] for n in range(1, last + 1)]

    @property
    def rows(self) -> list[Row]:
        return _rows(self.plan, self.fixtures, self.names)


class Tournaments:
    """All tournaments of a board.

    Args:
        store: where draws, calls and the history are.
        people: the players.
        call: brings a call to a tray.
        clock: the board's, seconds since 1970.
    """

    def __init__(
        self,
        store: ClubStore,
        people: People,
        call: Call,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._store, self._people, self._call, self._clock = store, people, call, clock
        self._lock = RLock()
        self._running = self._any_running()

    def draw(self, name: str, plan: TournamentPlan) -> int:
        """A new tournament; matches that begin from now on count.

        Raises:
            GameError: the name, the players or the rules do not hold.
        """
        rule_files.published(plan.rules)
        for player in plan.players:
            if self._people.person(player) is None:
                raise IllegalMove(
                    Message("a player of this tournament is gone: look at the list again")
                )
        (newest,) = self._store.rows("SELECT COALESCE(MAX(rowid), 0) AS row FROM match")
        text = json.dumps(asdict(plan) | {"after": newest["row"], "drawn": self._clock()})
        self._running = True
        return self._store.run(
            "INSERT INTO tournament (name, plan) VALUES (?, ?)", clean_name(name), text
        )

    def all(self) -> list[Tournament]:
        """The newest first."""
        rows = self._store.rows("SELECT id FROM tournament ORDER BY id DESC")
        return [found for row in rows if (found := self.get(row["id"]))]

    def get(self, tournament: int) -> Tournament | None:
        row = self._store.row("SELECT name, plan FROM tournament WHERE id = ?", tournament)
        if row is None:
            return None
        data = json.loads(row["plan"])
        plan = TournamentPlan(
            TournamentKind(data["kind"]), tuple(data["players"]), data["rules"], data["target"]
        )
        drawn_s = data.get("drawn", 0.0)  # a cup drawn by an older version has none
        met = self._met(plan, data["after"], drawn_s - CLOCKS_APART_S, data.get("left", ()))
        winners = {two: match.winner for two, match in met.items() if match.winner is not None}
        calls = {
            call["pairing"]: call
            for call in self._store.rows("SELECT * FROM call WHERE tournament = ?", tournament)
        }
        fixtures = tuple(
            Fixture(
                pairing,
                met.get(pairing.players),
                calls[pairing.number]["tray"] if pairing.number in calls else None,
                bool(calls[pairing.number]["declined"]) if pairing.number in calls else False,
            )
            for pairing in pairings(plan, winners)
        )
        names = {p: self._name(p) for p in plan.players}
        return Tournament(tournament, row["name"], plan, fixtures, names)

    def _name(self, player: int) -> str:
        person = self._people.person(player)
        return person.name if person else "?"

    def _met(
        self, plan: TournamentPlan, after: int, since_s: float, left: Collection[str]
    ) -> dict[frozenset[int], Met]:
        """The first match of each two that sat alone at a tray since the draw.

        One is older if the board had it then, or if it had begun when a tray told it later. Those
        that were `left` count only once somebody has won them all the same.
        """
        rows = self._store.rows(
            "SELECT match.id, tray, winner, one.player AS first, two.player AS second, one.won "
            "FROM match JOIN seat AS one ON one.match = match.id AND one.seat = 0 "
            "JOIN seat AS two ON two.match = match.id AND two.seat = 1 "
            "WHERE match.rowid > ? AND match.began >= ? AND NOT EXISTS "
            "(SELECT 1 FROM seat WHERE match = match.id AND seat = 2) "
            "ORDER BY winner IS NULL, match.rowid",
            after, since_s,
        )  # fmt: skip
        met: dict[frozenset[int], Met] = {}
        for row in rows:
            two = frozenset((row["first"], row["second"]))
            if row["winner"] is None and row["id"] in left:
                continue
            if two <= set(plan.players):
                winner = row["first"] if row["won"] else row["second"]
                met.setdefault(
                    two, Met(row["id"], row["tray"], None if row["winner"] is None else winner)
                )
        return met

    # Calling players to trays

    def tend(self, trays: tuple[ShownTray, ...]) -> bool:
        """Call what can be called to trays that are free; gives whether anything changed."""
        if not self._running:
            return False
        with self._lock:
            self._running = self._any_running()
            called = False
            for tournament in self.all() if self._running else ():
                called = self._tend(tournament, trays) or called
            return called

    def _tend(self, tournament: Tournament, trays: tuple[ShownTray, ...]) -> bool:
        changed = False
        for fixture in tournament.fixtures:
            if fixture.tray and fixture.met:
                self.withdraw(tournament.id, fixture.pairing.number)
                changed = True
        busy = self._busy_players(trays)
        for tray in self._free(trays):
            ready = [f for f in tournament.fixtures if f.is_open and not busy & f.pairing.players]
            if not ready:
                break
            self._bring(tournament, ready[0], tray)
            busy |= ready[0].pairing.players
            tournament = self.get(tournament.id) or tournament
            changed = True
        return changed

    def _free(self, trays: tuple[ShownTray, ...]) -> list[str]:
        rows = self._store.rows("SELECT tray FROM call WHERE NOT declined")
        called = {row["tray"] for row in rows}
        return [t.name for t in trays if t.online and t.situation in FREE and t.name not in called]

    def _busy_players(self, trays: tuple[ShownTray, ...]) -> set[int]:
        """Who is called, or sits at a tray that plays."""
        busy: set[int] = set()
        for tray in trays:
            if tray.online and tray.summary and tray.summary["winner"] is None:
                names = (player["name"] for player in tray.summary["players"])
                busy |= {p for n in names if (p := self._people.known(n, tray.name)) is not None}
        for tournament in self.all():
            for fixture in tournament.fixtures:
                if fixture.tray and not fixture.declined:
                    busy |= fixture.pairing.players
        return busy

    def _bring(self, tournament: Tournament, fixture: Fixture, tray: str) -> None:
        number = fixture.pairing.number
        self._store.run("INSERT INTO call VALUES (?, ?, ?, 0)", tournament.id, number, tray)
        two = (fixture.pairing.first, fixture.pairing.second)
        self._call(
            tray,
            {
                "id": f"{tournament.id}-{number}-{token_hex(2)}",  # called again it is another
                "title": tournament.name,
                "names": [tournament.names[player] for player in two if player],
                "rules": tournament.plan.rules,
                "target": tournament.plan.target,
            },
        )

    def answered(self, tray: str, call_id: str, *, accepted: bool) -> None:
        """The pencil holder at the tray has said yes or no; a no waits for the steward."""
        named = _CALL_ID.fullmatch(call_id)
        if named and not accepted:
            self._store.run(
                "UPDATE call SET declined = 1 WHERE tournament = ? AND pairing = ? AND tray = ?",
                int(named[1]), int(named[2]), tray,
            )  # fmt: skip
            self._clear(tray)

    def call_again(self, tournament: int, pairing: int) -> None:
        """The steward wants this pairing called once more: a no, or a match that nobody ends, is over."""
        found = self.get(tournament)
        for fixture in found.fixtures if found else ():
            if fixture.pairing.number == pairing and fixture.met and fixture.met.winner is None:
                self._store.run(
                    "UPDATE tournament SET plan = json_set(plan, '$.left', json_insert("
                    "COALESCE(json_extract(plan, '$.left'), '[]'), '$[#]', ?)) WHERE id = ?",
                    fixture.met.match, tournament,
                )  # fmt: skip
        self.withdraw(tournament, pairing)

    def withdraw(self, tournament: int, pairing: int) -> None:
        """Take a call back: the tray is free, and the pairing is called again some time."""
        row = self._store.row(
            "SELECT tray FROM call WHERE tournament = ? AND pairing = ?", tournament, pairing
        )
        if row:
            self._store.run(
                "DELETE FROM call WHERE tournament = ? AND pairing = ?", tournament, pairing
            )
            self._clear(row["tray"])

    def _clear(self, tray: str) -> None:
        """What was called there is taken back, unless another pairing is called there by now."""
        with self._lock:
            if not self._store.row("SELECT 1 FROM call WHERE tray = ? AND NOT declined", tray):
                self._call(tray, None)

    def calls(self) -> list[tuple[Tournament, Fixture]]:
        """Who is called where, and has not begun."""
        if not self._running:
            return []
        return [
            (tournament, fixture)
            for tournament in self.all()
            for fixture in tournament.fixtures
            if fixture.tray and not fixture.declined and not fixture.met
        ]

    def _any_running(self) -> bool:
        return any(not tournament.over for tournament in self.all())


def _rows(plan: TournamentPlan, fixtures: tuple[Fixture, ...], names: dict[int, str]) -> list[Row]:
    over = [f for f in fixtures if f.met and f.met.winner is not None]
    rows = [
        Row(
            player,
            names[player],
            sum(player in f.pairing.players for f in over),
            sum(f.met is not None and f.met.winner == player for f in over),
        )
        for player in plan.players
    ]
    return sorted(rows, key=lambda row: (-row.won, row.played, row.name))
