"""Tournaments and their results.

Only the draw is stored. Results are read from the history of matches each time, so that a win that
is undone at the tray is undone in the tournament too.
"""

import json
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict, dataclass

from game.errors import IllegalMove
from game.message import Message
from game.names import clean_name
from game.rules import rule_files
from web.club.draw import Pairing, TournamentKind, TournamentPlan, pairings
from web.club.match_history import MAX_CLOCK_ERROR_S
from web.club.people import People
from web.club.store import ClubStore


@dataclass(frozen=True, slots=True)
class PairingMatch:
    """The match of a pairing.

    Attributes:
        match: Id of the match.
        tray: Name of the tray.
        winner: Number of the player who won; None while the match is being played.
    """

    match: str
    tray: str
    winner: int | None


@dataclass(frozen=True, slots=True)
class Fixture:
    """A pairing, with the tray to which the two players are called and with their match.

    Attributes:
        pairing: The two players.
        met: Their match; None before it begins.
        tray: The tray to which they are called, if any.
        declined: Whether that tray declined.
    """

    pairing: Pairing
    met: PairingMatch | None
    tray: str | None
    declined: bool

    @property
    def is_open(self) -> bool:
        """Whether the players can be called to a tray now."""
        return bool(self.pairing.players) and self.met is None and self.tray is None


@dataclass(frozen=True, slots=True)
class Row:
    """A player's row in the table of a round robin."""

    player: int
    name: str
    played: int
    won: int


@dataclass(frozen=True, slots=True)
class Tournament:
    """A tournament with its results so far.

    Attributes:
        id: Number of the tournament.
        name: Name of the tournament.
        plan: The kind, the players and the rules of the tournament.
        fixtures: All pairings in the order of play.
        names: Names of the players by number.
    """

    id: int
    name: str
    plan: TournamentPlan
    fixtures: tuple[Fixture, ...]
    names: dict[int, str]

    @property
    def over(self) -> bool:
        """Whether every match has a winner."""
        return all(fixture.met and fixture.met.winner for fixture in self.fixtures)

    @property
    def champions(self) -> list[str]:
        """The winner of the final, or everyone who shares the most wins of a round robin."""
        if not self.over:
            return []
        if self.plan.kind is TournamentKind.KNOCK_OUT:
            final = self.fixtures[-1].met
            return [self.names[final.winner]] if final and final.winner else []
        rows = self.rows
        return [row.name for row in rows if row.won == rows[0].won]

    @property
    def rounds(self) -> list[list[Fixture]]:
        """The fixtures of each round."""
        last = max((fixture.pairing.round for fixture in self.fixtures), default=0)
        return [[f for f in self.fixtures if f.pairing.round == n] for n in range(1, last + 1)]

    @property
    def rows(self) -> list[Row]:
        """The table of a round robin: most wins first, then fewest matches."""
        over = [f for f in self.fixtures if f.met and f.met.winner is not None]
        rows = [
            Row(
                player,
                self.names[player],
                sum(player in f.pairing.players for f in over),
                sum(f.met is not None and f.met.winner == player for f in over),
            )
            for player in self.plan.players
        ]
        return sorted(rows, key=lambda row: (-row.won, row.played, row.name))


class Tournaments:
    """The tournaments of a club.

    Args:
        store: The database with draws and matches.
        people: The players of the club.
        clock: Returns the board's time in seconds since 1970.

    Attributes:
        has_running: Whether a tournament was running when `update_running` was last called.
    """

    def __init__(
        self, store: ClubStore, people: People, clock: Callable[[], float] = time.time
    ) -> None:
        self._store, self._people, self._clock = store, people, clock
        self._n_won, self.has_running = 0, True
        self.update_running()

    def draw(self, name: str, plan: TournamentPlan) -> int:
        """Store a new tournament and return its number. Only matches that begin later count.

        Args:
            name: Name of the tournament.
            plan: The kind, the players and the rules of the tournament.

        Raises:
            GameError: If the name, a player or the rule set is not usable.
        """
        rule_files.published(plan.rules)
        for player in plan.players:
            if self._people.person(player) is None:
                raise IllegalMove(
                    Message("a player in this tournament no longer exists: reload the list")
                )
        (newest,) = self._store.rows("SELECT COALESCE(MAX(rowid), 0) AS row FROM match")
        text = json.dumps(asdict(plan) | {"after": newest["row"], "drawn": self._clock()})
        self.has_running = True
        return self._store.run(
            "INSERT INTO tournament (name, plan) VALUES (?, ?)", clean_name(name), text
        )

    def all(self) -> list[Tournament]:
        """Return all tournaments, the newest first."""
        rows = self._store.rows("SELECT id FROM tournament ORDER BY id DESC")
        return [found for row in rows if (found := self.get(row["id"]))]

    def update_running(self) -> bool:
        """Set and return `has_running`.

        While no tournament is running, the results are read again only after a win has been undone or added.
        """
        (won,) = self._store.rows("SELECT COUNT(winner) AS n FROM match")
        if not self.has_running and won["n"] == self._n_won:
            return False
        self._n_won = won["n"]
        self.has_running = any(not tournament.over for tournament in self.all())
        return self.has_running

    def get(self, tournament: int) -> Tournament | None:
        """Return a tournament with its results so far, or None if there is no such tournament."""
        row = self._store.row("SELECT name, plan FROM tournament WHERE id = ?", tournament)
        if row is None:
            return None
        data = json.loads(row["plan"])
        plan = TournamentPlan(
            TournamentKind(data["kind"]), tuple(data["players"]), data["rules"], data["target"]
        )
        drawn_s = data.get("drawn", 0.0)  # missing from tournaments of older versions
        met = self._matches_of(
            plan, data["after"], drawn_s - MAX_CLOCK_ERROR_S, data.get("left", ())
        )
        names = {player: self._name(player) for player in plan.players}
        return Tournament(
            tournament, row["name"], plan, self._fixtures(tournament, plan, met), names
        )

    def _fixtures(
        self, tournament: int, plan: TournamentPlan, met: Mapping[frozenset[int], PairingMatch]
    ) -> tuple[Fixture, ...]:
        winners = {two: match.winner for two, match in met.items() if match.winner is not None}
        rows = self._store.rows("SELECT * FROM call WHERE tournament = ?", tournament)
        calls = {row["pairing"]: (row["tray"], bool(row["declined"])) for row in rows}
        return tuple(
            Fixture(pairing, met.get(pairing.players), *calls.get(pairing.number, (None, False)))
            for pairing in pairings(plan, winners)
        )

    def _name(self, player: int) -> str:
        person = self._people.person(player)
        return person.name if person else "?"

    def _matches_of(
        self, plan: TournamentPlan, after: int, since_s: float, abandoned: Collection[str]
    ) -> dict[frozenset[int], PairingMatch]:
        """Return the first match of each pair since the draw.

        A match counts if nobody else played in it, if the club did not know it before the draw
        (rows up to `after`), and if it did not begin before the draw (`since_s`). A match in
        `abandoned`, by its id, counts only once it is won.
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
        met: dict[frozenset[int], PairingMatch] = {}
        for row in rows:
            pair = frozenset((row["first"], row["second"]))
            if row["winner"] is None and row["id"] in abandoned:
                continue
            if pair <= set(plan.players):
                winner = row["first"] if row["won"] else row["second"]
                met.setdefault(
                    pair,
                    PairingMatch(row["id"], row["tray"], None if row["winner"] is None else winner),
                )
        return met

    def abandon(self, tournament: int, match_id: str) -> None:
        """Stop counting an unfinished match, unless somebody wins it after all.

        Args:
            tournament: Number of the tournament.
            match_id: Id of the match.
        """
        self._store.run(
            "UPDATE tournament SET plan = json_set(plan, '$.left', json_insert("
            "COALESCE(json_extract(plan, '$.left'), '[]'), '$[#]', ?)) WHERE id = ?",
            match_id, tournament,
        )  # fmt: skip
