"""The club's copy of every match, put together from the entries that trays send."""

import json
import logging
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from threading import RLock

from game.errors import GameError
from game.journal.entry import EntryFit, WireEntry
from game.match.match import Match
from game.match.state import Series, State
from game.stats.counts import tallies
from game.stats.summary import MatchSummary, summary
from web.club.people import People, name_key
from web.club.store import ClubStore

log = logging.getLogger(__name__)

MAX_CACHED = 400
"""Matches kept in memory; others are replayed from their entries when they continue."""

MAX_CLOCK_ERROR_S = 600
"""A tray clock that is further off than this has not been set: without internet, a Pi continues from
the time when it was switched off."""


@dataclass(frozen=True, slots=True)
class StoredMatch:
    """A match as far as the club knows it.

    Attributes:
        tray: Name of the tray where it is played.
        seq: Number of its last entry, from 0.
        chain: Digest of all entries up to the last one.
        match: The match after that entry.
    """

    tray: str
    seq: int
    chain: str
    match: Match


class MatchHistory:
    """The matches of a club, replayed from their entries. Safe to use from any thread.

    Args:
        store: The database that holds the entries.
        people: The players of the club.
        clock: Returns the board's time in seconds since 1970.
    """

    def __init__(
        self, store: ClubStore, people: People, clock: Callable[[], float] = time.time
    ) -> None:
        self._store, self._people, self._clock = store, people, clock
        self._cache: OrderedDict[str, StoredMatch] = OrderedDict()
        self._lock = RLock()

    def add(self, tray: str, entry: WireEntry, *, live: bool = False) -> EntryFit:
        """Add an entry that a tray sent, for the first time or again.

        The tray that reports a match first is the authority: if it sends an entry with a known number but
        different content, the club's entries with that number and higher numbers are replaced. Entries from another
        tray, which plays the match together with this one, are left out.

        Args:
            tray: Name of the tray.
            entry: The entry.
            live: Whether the entry was made just now rather than while the tray was offline.
        """
        with self._lock:
            stored = self.get(entry.match)
            if stored and stored.tray != tray:
                return EntryFit.ELSEWHERE
            fit = self._fit(entry, stored)
            if fit is EntryFit.DIFFERENT and stored and entry.seq <= stored.seq:
                stored = self._cut(entry.match, tray, entry.seq)
                fit = self._fit(entry, stored)
            if fit is EntryFit.NEW:
                return self._append(tray, entry, stored, live=live)
            return EntryFit.GAP if fit is EntryFit.DIFFERENT and stored else fit

    def _fit(self, entry: WireEntry, stored: StoredMatch | None) -> EntryFit:
        last = stored.seq if stored else -1
        return entry.fit(last, partial(self._chain_at, entry.match))

    def _append(
        self, tray: str, entry: WireEntry, before: StoredMatch | None, *, live: bool
    ) -> EntryFit:
        if before is None and self._chain_at(entry.match, 0):
            return EntryFit.DIFFERENT  # stored, but this version cannot replay it: leave it alone
        try:
            match = entry.played(before.match if before else None)
        except GameError:
            return EntryFit.DIFFERENT
        after = StoredMatch(tray, entry.seq, entry.chain, match)
        self._write(entry, after, before, live=live)
        self._remember(entry.match, after)
        return EntryFit.NEW

    def get(self, match_id: str) -> StoredMatch | None:
        """Return a match, or None if it is unknown or this version cannot replay it."""
        with self._lock:
            if match_id in self._cache:
                self._cache.move_to_end(match_id)
                return self._cache[match_id]
            row = self._store.row("SELECT tray, seq, chain FROM match WHERE id = ?", match_id)
            match = self._replay(match_id) if row else None
            if row is None or match is None:
                return None
            return self._remember(
                match_id, StoredMatch(row["tray"], row["seq"], row["chain"], match)
            )

    def summary(self, match_id: str) -> MatchSummary | None:
        """Return the summary of a match with the score of its series; None if `get` returns None."""
        stored = self.get(match_id)
        if stored is None:
            return None
        state = stored.match.state
        if state.series:
            series = self._with_score(state.series, match_id)
            starting = [player.name for player in stored.match.start_state.players]
            series = series.after(starting, [player.name for player in state.players], ())
            state = replace(state, series=series)
        return summary(replace(stored.match, state=state))

    def last_numbers(self, tray: str) -> dict[str, int]:
        """Return the number of the last entry of each match played at a tray, by the id of the match."""
        rows = self._store.rows("SELECT id, seq FROM match WHERE tray = ?", tray)
        return {row["id"]: row["seq"] for row in rows}

    def entries(self, match_id: str) -> Iterator[WireEntry]:
        """Yield the entries of a match in order."""
        for row in self._store.rows(
            "SELECT seq, chain, body FROM entry WHERE match = ? ORDER BY seq", match_id
        ):
            yield WireEntry(match_id, row["seq"], row["chain"], json.loads(row["body"]))

    def _remember(self, match_id: str, stored: StoredMatch) -> StoredMatch:
        self._cache[match_id] = stored
        self._cache.move_to_end(match_id)
        while len(self._cache) > MAX_CACHED:
            self._cache.popitem(last=False)
        return stored

    def _replay(self, match_id: str) -> Match | None:
        match = None
        try:
            for entry in self.entries(match_id):
                match = entry.played(match)
        except GameError as error:
            log.warning("match %s cannot be replayed by this version (%s)", match_id, error)
            return None
        return match

    def _cut(self, match_id: str, tray: str, seq: int) -> StoredMatch | None:
        """Delete the entries of a match from number `seq` onwards; return the rest, if there is one."""
        self._cache.pop(match_id, None)
        with self._store.transaction():
            self._delete(match_id, seq)
            match = self._replay(match_id) if seq else None
            if match:
                self._write_results(match_id, tray, match)
        return self.get(match_id)

    def _with_score(self, series: Series, match_id: str) -> Series:
        """Return a series with its score, which all its matches other than this one give."""
        series = Series(series.best_of, series.id)
        query = (
            "SELECT id, body FROM match JOIN entry ON match = id AND entry.seq = 0 "
            "WHERE id != ? AND instr(body, ?) ORDER BY began"
        )
        for other in self._store.rows(query, match_id, series.id):
            start = json.loads(other["body"])
            if start.get("series") != series.to_json():
                continue  # the id stands in a name
            seats = self._store.rows(
                "SELECT name, won FROM seat WHERE match = ? ORDER BY seat", other["id"]
            )
            winners = [number for number, seat in enumerate(seats) if seat["won"]]
            series = series.after(start["names"], [seat["name"] for seat in seats], winners)
        return series

    def _chain_at(self, match_id: str, seq: int) -> str | None:
        row = self._store.row("SELECT chain FROM entry WHERE match = ? AND seq = ?", match_id, seq)
        return row["chain"] if row else None

    def _write(
        self, entry: WireEntry, after: StoredMatch, before: StoredMatch | None, *, live: bool
    ) -> None:
        """Write an entry and its effect on the match in one transaction.

        Args:
            entry: The entry.
            after: The match after the entry.
            before: The match before the entry; None if the entry is the first.
            live: Whether the entry was made just now rather than while the tray was offline.
        """
        state = after.match.state
        with self._store.transaction():
            if before is None:
                self._store.run(
                    "INSERT INTO match VALUES (?, ?, ?, ?, ?, ?, ?, NULL)",
                    entry.match, after.tray, self._began_s(entry, live=live),
                    state.rules.title, state.rules.target, after.seq, after.chain,
                )  # fmt: skip
            else:
                self._store.run(
                    "UPDATE match SET seq = ?, chain = ? WHERE id = ?",
                    after.seq, after.chain, entry.match,
                )  # fmt: skip
            body = json.dumps(entry.body, separators=(",", ":"))
            values = (entry.match, entry.seq, entry.chain, body)
            self._store.run("INSERT INTO entry VALUES (?, ?, ?, ?)", *values)
            if before is None or _results(before.match.state) != _results(state):
                self._write_results(entry.match, after.tray, after.match)

    def _began_s(self, entry: WireEntry, *, live: bool) -> float:
        """Return when the match began, by the tray's clock.

        If that clock is not set or plainly wrong, return the time now by the board's clock.
        """
        now_s = self._clock()
        is_wrong = live and abs(entry.began_s - now_s) > MAX_CLOCK_ERROR_S
        return now_s if is_wrong or not entry.began_s else entry.began_s

    def _delete(self, match_id: str, seq: int) -> None:
        """Delete the entries of a match from number `seq` onwards, or the whole match if `seq` is 0."""
        self._store.run("DELETE FROM entry WHERE match = ? AND seq >= ?", match_id, seq)
        if seq == 0:
            self._store.run("DELETE FROM seat WHERE match = ?", match_id)
            self._store.run("DELETE FROM match WHERE id = ?", match_id)
        else:
            self._store.run(
                "UPDATE match SET seq = ?1, chain = "
                "(SELECT chain FROM entry WHERE match = ?2 AND seq = ?1) WHERE id = ?2",
                seq - 1, match_id,
            )  # fmt: skip

    def _write_results(self, match_id: str, tray: str, match: Match) -> None:
        """Write the winner of a match and the results of its seats, which replace the earlier ones."""
        state = match.state
        winners = state.team_seats(state.winner) if state.winner is not None else ()
        rows = [
            (
                match_id, seat, player.name, name_key(player.name),
                None if player.bot else self._people.find_or_add(player.name, tray),
                player.team, player.score, seat in winners,
                tally.turns, tally.farkles, tally.hot, tally.best_turn,
                tally.banked,  # the score of a team is shared
            )
            for seat, (player, tally) in enumerate(zip(state.players, tallies(match), strict=True))
        ]  # fmt: skip
        self._store.run("UPDATE match SET winner = ? WHERE id = ?", state.winner, match_id)
        self._store.run("DELETE FROM seat WHERE match = ?", match_id)
        self._store.run_each(f"INSERT INTO seat VALUES ({', '.join('?' * 13)})", rows)  # noqa: S608


def _results(state: State) -> tuple[object, ...]:
    """Return the values that the rows of the seat table contain; most entries leave them unchanged."""
    return (state.players, state.turns, state.winner)
