"""Tournaments: the draw, either a round robin or a knock-out, the results, and the calls of players to free trays.

Only the draw is stored. Results are read from the history of matches each time, so that a win that
is undone at the tray is undone in the tournament too.
"""

import json
import re
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from secrets import token_hex
from threading import RLock
from typing import Any

from game.errors import IllegalMove
from game.message import Message
from game.names import clean_name
from game.rules import rule_files
from game.situation import READY_FOR_MATCH
from web.club.match_history import MAX_CLOCK_ERROR_S
from web.club.people import People
from web.club.store import ClubStore
from web.club.tray_inbox import TrayStatus

MIN_PLAYERS, MAX_PLAYERS = 3, 64
"""Fewest and most players. Two players need no tournament; a round robin of 65 players would take weeks."""

BYE = 0
"""Player number that stands for "no opponent": the other player rests or advances."""

_CALL_ID = re.compile(r"([0-9]{1,9})-([0-9]{1,9})-[0-9a-f]{4}")


class TournamentKind(StrEnum):
    """The kinds of tournaments."""

    ROUND_ROBIN = "round robin"
    KNOCK_OUT = "knock-out"


@dataclass(frozen=True, slots=True)
class TournamentPlan:
    """The kind, the players and the rules of a tournament, which determine its pairings.

    Attributes:
        kind: Round robin or knock-out.
        players: Player numbers, strongest first or in the order of a draw.
        rules: Name of a published rule set.
        target: Points to win; None means the target of the rule set.
    """

    kind: TournamentKind
    players: tuple[int, ...]
    rules: str
    target: int | None = None

    def __post_init__(self) -> None:
        if not MIN_PLAYERS <= len(set(self.players)) == len(self.players) <= MAX_PLAYERS:
            raise IllegalMove(
                Message(
                    "a tournament needs %(least)s to %(most)s different players",
                    least=MIN_PLAYERS,
                    most=MAX_PLAYERS,
                )
            )


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
class Pairing:
    """Two players who meet in a round, their match, and the tray where they play.

    Attributes:
        number: Position in the order of play, from 0.
        round: Round of the tournament, from 1.
        first: One player's number; None while that player is not known yet.
        second: The other player's number; None while that player is not known yet.
        met: Their match; None before it begins.
        tray: The tray to which they are called, if any.
        declined: Whether that tray declined.
    """

    number: int
    round: int
    first: int | None
    second: int | None
    met: PairingMatch | None = None
    tray: str | None = None
    declined: bool = False

    @property
    def players(self) -> frozenset[int]:
        """Both players, or an empty set until both are known."""
        if self.first is None or self.second is None:
            return frozenset()
        return frozenset((self.first, self.second))

    @property
    def is_open(self) -> bool:
        """Whether the players can be called to a tray now."""
        return bool(self.players) and self.met is None and self.tray is None


def pairings(plan: TournamentPlan, winners: Mapping[frozenset[int], int]) -> tuple[Pairing, ...]:
    """Return all pairings in the order of play.

    Args:
        plan: The tournament.
        winners: The winner of each pair of players whose match is over.
    """
    drawn = (
        _round_robin(plan) if plan.kind is TournamentKind.ROUND_ROBIN else _knock_out(plan, winners)
    )
    return tuple(
        Pairing(number, round_, first, second)
        for number, (round_, first, second) in enumerate(drawn)
    )


def _round_robin(plan: TournamentPlan) -> Iterator[tuple[int, int, int]]:
    """Yield the round, from 1, and the two players of each pairing.

    This is the circle method: all players but the first move one place each round.
    """
    fixed, *others = (*plan.players, *([BYE] if len(plan.players) % 2 else []))
    for round_ in range(1, len(others) + 1):
        seats = [fixed, *others]
        for first, second in zip(seats, reversed(seats[len(seats) // 2 :]), strict=False):
            if BYE not in (first, second):
                yield round_, first, second
        others = [others[-1], *others[:-1]]


def _knock_out(
    plan: TournamentPlan, winners: Mapping[frozenset[int], int]
) -> Iterator[tuple[int, int | None, int | None]]:
    """Yield the round, from 1, and the two players of each pairing; None is a player not yet known.

    The strongest players get the byes, and meet last.
    """
    slots: list[int | None] = [
        plan.players[seed] if seed < len(plan.players) else BYE
        for seed in _seeds(len(plan.players))
    ]
    round_ = 1
    while len(slots) > 1:
        advancing: list[int | None] = []
        for first, second in zip(slots[::2], slots[1::2], strict=True):
            if second == BYE:
                advancing.append(first)
                continue
            yield round_, first, second
            known = first is not None and second is not None
            advancing.append(winners.get(frozenset((first, second))) if known else None)  # type: ignore[arg-type]
        slots, round_ = advancing, round_ + 1


def _seeds(n_players: int) -> list[int]:
    """Return the seeds in standard bracket order: 0 meets the last seed, and 1 is in the other half."""
    seeds = [0]
    while len(seeds) < n_players:
        last = 2 * len(seeds) - 1
        seeds = [seed for top in seeds for seed in (top, last - top)]
    return seeds


@dataclass(frozen=True, slots=True)
class Tournament:
    """A tournament with its results so far.

    Attributes:
        id: Number of the tournament.
        name: Name of the tournament.
        plan: The kind, the players and the rules of the tournament.
        pairings: All pairings in the order of play.
        names: Names of the players by number.
    """

    id: int
    name: str
    plan: TournamentPlan
    pairings: tuple[Pairing, ...]
    names: dict[int, str]

    @property
    def over(self) -> bool:
        """Whether every match has a winner."""
        return all(pairing.met and pairing.met.winner for pairing in self.pairings)

    @property
    def champions(self) -> list[str]:
        """The winner of the final, or everyone who shares the most wins of a round robin."""
        if not self.over:
            return []
        if self.plan.kind is TournamentKind.KNOCK_OUT:
            final = self.pairings[-1].met
            return [self.names[final.winner]] if final and final.winner else []
        rows = self.rows
        return [row["name"] for row in rows if row["won"] == rows[0]["won"]]

    @property
    def rounds(self) -> list[list[Pairing]]:
        """The pairings of each round."""
        last = max((pairing.round for pairing in self.pairings), default=0)
        return [[f for f in self.pairings if f.round == n] for n in range(1, last + 1)]

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The table of a round robin: most wins first, then fewest matches."""
        over = [f for f in self.pairings if f.met and f.met.winner is not None]
        rows = [
            {
                "player": player,
                "name": self.names[player],
                "played": sum(player in f.players for f in over),
                "won": sum(f.met is not None and f.met.winner == player for f in over),
            }
            for player in self.plan.players
        ]
        return sorted(rows, key=lambda row: (-row["won"], row["played"], row["name"]))


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

        If the newest tournament is the same and no match has begun since, its number is returned: the steward tapped twice.

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
        cleaned = clean_name(name)
        facts = json.loads(json.dumps(asdict(plan) | {"after": newest["row"]}))  # as it is stored
        last = self._store.row("SELECT id, name, plan FROM tournament ORDER BY id DESC LIMIT 1")
        if last and last["name"] == cleaned:
            stored = json.loads(last["plan"])
            del stored["drawn"]
            if stored == facts:
                return int(last["id"])
        text = json.dumps(facts | {"drawn": self._clock()})
        self.has_running = True
        return self._store.run("INSERT INTO tournament (name, plan) VALUES (?, ?)", cleaned, text)

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
        met = self._matches_of(
            plan, data["after"], data["drawn"] - MAX_CLOCK_ERROR_S, data.get("left", ())
        )
        names = {player: self._name(player) for player in plan.players}
        return Tournament(
            tournament, row["name"], plan, self._pairings(tournament, plan, met), names
        )

    def _pairings(
        self, tournament: int, plan: TournamentPlan, met: Mapping[frozenset[int], PairingMatch]
    ) -> tuple[Pairing, ...]:
        winners = {two: match.winner for two, match in met.items() if match.winner is not None}
        rows = self._store.rows("SELECT * FROM call WHERE tournament = ?", tournament)
        calls = {row["pairing"]: (row["tray"], bool(row["declined"])) for row in rows}
        return tuple(
            replace(pairing, met=met.get(pairing.players), tray=tray, declined=declined)
            for pairing in pairings(plan, winners)
            for tray, declined in (calls.get(pairing.number, (None, False)),)
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
        for pairing in tournament.pairings:
            if pairing.tray and pairing.met:
                self.withdraw(tournament.id, pairing.number)
                has_changed = True
        busy = self._busy_players(trays)
        for tray in self._free_trays(trays):
            ready = [f for f in tournament.pairings if f.is_open and not busy & f.players]
            if not ready:
                break
            self._call(tournament, ready[0], tray)
            busy |= ready[0].players
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
            for pairing in tournament.pairings:
                if pairing.tray and not pairing.declined:
                    busy |= pairing.players
        return busy

    def _call(self, tournament: Tournament, pairing: Pairing, tray: str) -> None:
        number = pairing.number
        self._store.run("INSERT INTO call VALUES (?, ?, ?, 0)", tournament.id, number, tray)
        pair = (pairing.first, pairing.second)
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

    def on_answer(self, tray: str, call_id: str, accepted: bool) -> None:  # noqa: FBT001 - the answer
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
        for each in found.pairings if found else ():
            if each.number == pairing and each.met and each.met.winner is None:
                self.tournaments.abandon(tournament, each.met.match)
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

    def open_calls(self) -> list[tuple[Tournament, Pairing]]:
        """Return the calls whose match has not begun."""
        if not self.tournaments.has_running:
            return []
        return [
            (tournament, pairing)
            for tournament in self.tournaments.all()
            for pairing in tournament.pairings
            if pairing.tray and not pairing.declined and not pairing.met
        ]
