"""What the board holds of every match: each entry once, in order, however it came."""

import json
import logging
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from threading import RLock

from game.errors import GameError
from game.journal.wire import WireEntry
from game.match.match import Match
from game.match.state import State, TurnEnding, n_hot
from web.club.people import People, key_of
from web.club.store import ClubStore

log = logging.getLogger(__name__)

HELD_AT_ONCE = 400
"""Matches kept folded; others are folded again from their entries when they go on."""

CLOCKS_APART_S = 600
"""A tray's clock that differs from the board's by more was never told the time: a Pi without
internet goes on where it was when it was turned off."""


class Taken(Enum):
    """What became of an entry."""

    NEW = "it is one more"
    KNOWN = "it was there already"
    GAP = "some before it are missing"
    REFUSED = "it cannot have happened"


@dataclass(frozen=True, slots=True)
class HeldMatch:
    """A match as the board has it, after its entry number `seq`."""

    tray: str
    seq: int
    chain: str
    match: Match


class MatchHistory:
    """Folds entries into matches and writes both down; any thread may ask.

    Args:
        store: where they are written.
        people: the players.
        clock: the board's, seconds since 1970.
    """

    def __init__(
        self, store: ClubStore, people: People, clock: Callable[[], float] = time.time
    ) -> None:
        self._store, self._people, self._clock = store, people, clock
        self._held: OrderedDict[str, HeldMatch] = OrderedDict()
        self._lock = RLock()
        self._count_banked()

    def take(self, tray: str, entry: WireEntry, *, live: bool = False) -> Taken:
        """One entry, as the tray said it or said it again; `live` where it happens now.

        The tray is right: where it tells a number anew with other content, what the board had
        from there on gives way.
        """
        with self._lock:
            return self._take(tray, entry, live=live)

    def _take(self, tray: str, entry: WireEntry, *, live: bool) -> Taken:
        held = self.held(entry.match)
        if held and held.tray != tray:
            return Taken.REFUSED
        if held and entry.seq <= held.seq:
            if self._chain_at(entry.match, entry.seq) == entry.chain:
                return Taken.KNOWN
            held = self._cut(entry.match, entry.seq)
        if entry.seq != (held.seq + 1 if held else 0):
            return Taken.GAP
        if not entry.follows(held.chain if held else ""):
            return Taken.GAP if held else Taken.REFUSED
        return self._add(tray, entry, held, live=live)

    def _add(self, tray: str, entry: WireEntry, held: HeldMatch | None, *, live: bool) -> Taken:
        if held is None and self._chain_at(entry.match, 0):
            return Taken.REFUSED  # it is here, but cannot be folded any more: kept as it is
        try:
            match = entry.played(held.match if held else None)
        except GameError:
            return Taken.REFUSED
        after = HeldMatch(tray, entry.seq, entry.chain, match)
        with self._store.together():
            self._write(entry, after, held, live=live)
        self._keep(entry.match, after)
        return Taken.NEW

    def held(self, match_id: str) -> HeldMatch | None:
        """The match as far as the board has it."""
        with self._lock:
            return self._find(match_id)

    def _find(self, match_id: str) -> HeldMatch | None:
        if match_id in self._held:
            self._held.move_to_end(match_id)
            return self._held[match_id]
        row = self._store.row("SELECT tray, seq, chain FROM match WHERE id = ?", match_id)
        match = self._fold(match_id) if row else None
        if row is None or match is None:
            return None
        return self._keep(match_id, HeldMatch(row["tray"], row["seq"], row["chain"], match))

    def matches_of(self, tray: str) -> dict[str, int]:
        """The number of the last entry held, by match."""
        rows = self._store.rows("SELECT id, seq FROM match WHERE tray = ?", tray)
        return {row["id"]: row["seq"] for row in rows}

    def entries(self, match_id: str) -> Iterator[WireEntry]:
        """All entries of a match, from its beginning."""
        for row in self._store.rows(
            "SELECT seq, chain, body FROM entry WHERE match = ? ORDER BY seq", match_id
        ):
            yield WireEntry(match_id, row["seq"], row["chain"], json.loads(row["body"]))

    def _keep(self, match_id: str, held: HeldMatch) -> HeldMatch:
        self._held[match_id] = held
        self._held.move_to_end(match_id)
        while len(self._held) > HELD_AT_ONCE:
            self._held.popitem(last=False)
        return held

    def _fold(self, match_id: str) -> Match | None:
        """None where the rules of today do not allow what was played then."""
        match = None
        try:
            for entry in self.entries(match_id):
                match = entry.played(match)
        except GameError as error:
            log.warning("match %s cannot be read any more (%s)", match_id, error)
            return None
        return match

    def _chain_at(self, match_id: str, seq: int) -> str | None:
        row = self._store.row("SELECT chain FROM entry WHERE match = ? AND seq = ?", match_id, seq)
        return row["chain"] if row else None

    def _cut(self, match_id: str, seq: int) -> HeldMatch | None:
        """Forget the match from this number on."""
        self._held.pop(match_id, None)
        with self._store.together():
            self._store.run("DELETE FROM entry WHERE match = ? AND seq >= ?", match_id, seq)
            if seq == 0:
                self._store.run("DELETE FROM seat WHERE match = ?", match_id)
                self._store.run("DELETE FROM match WHERE id = ?", match_id)
                return None
            self._store.run(
                "UPDATE match SET seq = ?1, chain = "
                "(SELECT chain FROM entry WHERE match = ?2 AND seq = ?1) WHERE id = ?2",
                seq - 1, match_id,
            )  # fmt: skip
        held = self.held(match_id)
        if held:
            self._write_seats(match_id, held)
        return held

    def _count_banked(self) -> None:
        """Boards of before did not write it down: once, from the entries."""
        for row in self._store.rows("SELECT DISTINCT match FROM seat WHERE banked IS NULL"):
            if match := self._fold(row["match"]):
                counted = [
                    (_banked(match.state, seat), row["match"], seat)
                    for seat in range(len(match.state.players))
                ]
                self._store.run_each(
                    "UPDATE seat SET banked = ? WHERE match = ? AND seat = ?", counted
                )

    # Writing down

    def _write(
        self, entry: WireEntry, after: HeldMatch, before: HeldMatch | None, *, live: bool
    ) -> None:
        state = after.match.state
        if before is None:
            self._store.run(
                "INSERT INTO match VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                entry.match, after.tray, self._began_s(entry, live=live),
                state.rules.title, state.rules.target, after.seq, after.chain, state.winner,
            )  # fmt: skip
        else:
            self._store.run(
                "UPDATE match SET seq = ?, chain = ?, winner = ? WHERE id = ?",
                after.seq, after.chain, state.winner, entry.match,
            )  # fmt: skip
        body = json.dumps(entry.body, separators=(",", ":"))
        values = (entry.match, entry.seq, entry.chain, body)
        self._store.run("INSERT INTO entry VALUES (?, ?, ?, ?)", *values)
        if before is None or _results(before.match.state) != _results(state):
            self._write_seats(entry.match, after)

    def _began_s(self, entry: WireEntry, *, live: bool) -> float:
        """As the tray's clock had it, unless that was not set, or is plainly wrong."""
        now_s = self._clock()
        wrong = live and abs(entry.began_s - now_s) > CLOCKS_APART_S
        return now_s if wrong or not entry.began_s else entry.began_s

    def _write_seats(self, match_id: str, held: HeldMatch) -> None:
        state = held.match.state
        won = state.mates(state.winner) if state.winner is not None else ()
        rows = []
        for seat, player in enumerate(state.players):
            turns = [turn for turn in state.turns if turn.seat == seat]
            rows.append((
                match_id, seat, player.name, key_of(player.name),
                self._people.find(player.name, held.tray), player.team, player.score, seat in won,
                len(turns), sum(turn.ending is TurnEnding.FARKLE for turn in turns),
                sum(n_hot(turn.throws) for turn in turns),
                max((t.points for t in turns if t.ending is TurnEnding.BANK), default=0),
                _banked(state, seat),
            ))  # fmt: skip
        self._store.run("DELETE FROM seat WHERE match = ?", match_id)
        self._store.run_each(f"INSERT INTO seat VALUES ({', '.join('?' * 13)})", rows)  # noqa: S608


def _results(state: State) -> tuple[object, ...]:
    """What is written of a match beside its entries; most steps leave it as it is."""
    return (state.players, state.turns, state.winner)


def _banked(state: State, seat: int) -> int:
    """What the player's own turns brought: team mates share a score, and one may be set by hand."""
    return sum(turn.points for turn in state.turns if turn.seat == seat)
