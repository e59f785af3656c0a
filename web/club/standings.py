"""The results of a club: tables, head-to-head results, and records."""

import time
from dataclasses import dataclass
from sqlite3 import Row
from typing import Any

from game.journal.entry import Result
from web.club.store import ClubStore

EVENING_BEGINS_H = 6
"""Local hour at which a new evening begins, so that a match at 4 am counts for the night before."""

MAX_MATCHES = 200


@dataclass(frozen=True, slots=True)
class Seat:
    """A player's result in one match.

    Attributes:
        name: The name in the match.
        player: Number of the player; None for a player without a name and for a bot.
        team: Number of the team; None if the player has no team.
        score: Points at the end, or so far.
        won: Whether the player or the player's team won.
    """

    name: str
    player: int | None
    team: int | None
    score: int
    won: bool


@dataclass(frozen=True, slots=True)
class LeagueMatch:
    """A match of the club and its results.

    Attributes:
        id: Sixteen hexadecimal digits.
        tray: Name of the tray.
        began_s: Start of the match in seconds since 1970.
        rules: Title of the rule set.
        target: Points to win.
        over: Whether somebody has won.
        seats: The players in the order of their seats.
    """

    id: str
    tray: str
    began_s: float
    rules: str
    target: int
    over: bool
    seats: tuple[Seat, ...]

    @property
    def result(self) -> Result:
        """The result of this match, in the same form as for a match in the journal."""
        return Result(
            tuple(seat.name for seat in self.seats),
            tuple(seat.team for seat in self.seats),
            tuple(seat.score for seat in self.seats),
            next((number for number, seat in enumerate(self.seats) if seat.won), None),
            0,
        )


@dataclass(frozen=True, slots=True)
class Standing:
    """A player's row in the table. Only matches with a winner count.

    Attributes:
        player: Number of the player.
        name: Name of the player.
        played: Number of matches.
        won: Number of matches won.
        points: Points of the player's own turns.
        best_turn: Most points banked in a turn.
        farkles: Number of farkles.
        turns: Number of turns.
        hot: How often the player had hot dice.
    """

    player: int
    name: str
    played: int
    won: int
    points: int
    best_turn: int
    farkles: int
    turns: int
    hot: int

    @property
    def share(self) -> int:
        """Percentage of matches won."""
        return round(100 * self.won / self.played)

    @property
    def average(self) -> int:
        """Points per turn, rounded."""
        return round(self.points / self.turns) if self.turns else 0


def evening_start_s(now_s: float | None = None) -> float:
    """Return the start of the evening that includes a given time (by default, now), in seconds since 1970."""
    now = time.localtime(time.time() if now_s is None else now_s)
    day = now.tm_mday - (now.tm_hour < EVENING_BEGINS_H)
    return time.mktime((now.tm_year, now.tm_mon, day, EVENING_BEGINS_H, 0, 0, 0, 0, -1))


class League:
    """The results of a club, computed from its database on each call."""

    def __init__(self, store: ClubStore) -> None:
        self._store = store

    def matches(
        self,
        since_s: float = 0,
        *,
        player: int | None = None,
        over: bool = False,
        limit: int = MAX_MATCHES,
    ) -> list[LeagueMatch]:
        """Return matches, the newest first.

        Args:
            since_s: Earliest start in seconds since 1970.
            player: Number of a player who took part; None for any.
            over: Whether to leave out matches that nobody has won yet.
            limit: Largest number of matches to return; -1 for all.
        """
        rows = self._store.rows(
            "SELECT * FROM match WHERE began >= ?1 AND (?2 IS NULL OR EXISTS "
            "(SELECT 1 FROM seat WHERE match = match.id AND player = ?2)) "
            "AND (NOT ?4 OR winner IS NOT NULL) ORDER BY began DESC, id LIMIT ?3",
            since_s, player, limit, over,
        )  # fmt: skip
        return [self._match_of(row) for row in rows]

    def match(self, match_id: str) -> LeagueMatch | None:
        """Return a match, or None if there is no match with this id."""
        row = self._store.row("SELECT * FROM match WHERE id = ?", match_id)
        return self._match_of(row) if row else None

    def _match_of(self, match: Row) -> LeagueMatch:
        seats = self._store.rows(
            "SELECT COALESCE(player.name, seat.name) AS name, player, team, score, won FROM seat "
            "LEFT JOIN player ON player.id = seat.player WHERE match = ? ORDER BY seat",
            match["id"],
        )
        return LeagueMatch(
            match["id"],
            match["tray"],
            match["began"],
            match["rules"],
            match["target"],
            match["winner"] is not None,
            tuple(
                Seat(s["name"], s["player"], s["team"], s["score"], bool(s["won"])) for s in seats
            ),
        )

    def table(self, since_s: float = 0) -> list[Standing]:
        """Return the table of the matches that began at `since_s` (in seconds since 1970) or later.

        Most wins come first, then the higher share of wins, then more points per turn.
        """
        rows = self._store.rows(
            "SELECT player.id AS player, player.name, COUNT(*) AS played, SUM(won) AS won, "
            "SUM(banked) AS points, MAX(best_turn) AS best_turn, SUM(farkles) AS farkles, "
            "SUM(turns) AS turns, SUM(hot) AS hot "
            "FROM seat JOIN player ON player.id = seat.player JOIN match ON match.id = seat.match "
            "WHERE winner IS NOT NULL AND began >= ? GROUP BY player.id",
            since_s,
        )
        standings = [Standing(**dict(row)) for row in rows]
        return sorted(standings, key=lambda s: (-s.won, -s.share, -s.average, s.name))

    def rivalries(self, player: int) -> list[Row]:
        """Return a player's record against everybody but teammates, most matches first.

        Each row has the number (`rival`) and the `name` of the other player, the number of matches that both `played`,
        and how many of them the player has `won` and `lost`.
        """
        return self._store.rows(
            "SELECT other.player AS rival, player.name, COUNT(*) AS played, "
            "SUM(mine.won) AS won, SUM(other.won) AS lost "
            "FROM seat AS mine JOIN seat AS other ON other.match = mine.match "
            "JOIN match ON match.id = mine.match JOIN player ON player.id = other.player "
            "WHERE mine.player = ?1 AND other.player != ?1 AND winner IS NOT NULL "
            "AND (mine.team IS NULL OR mine.team IS NOT other.team) GROUP BY other.player "
            "ORDER BY played DESC, player.name",
            player,
        )

    def records(self) -> list[dict[str, Any]]:
        """Return the records of the club. If several players share a record, it belongs to the first who set it.

        Each has its `title`, its `value` with the unit, the number (`player`) and the `name` of the player who holds it,
        and the `match` in which it was set, with its `tray` and its start (`began`, in seconds since 1970).
        """
        found = (
            self._record("Highest turn", "best_turn", "points"),
            self._record("Highest winning score", "score", "points", "won"),
            self._record("Quickest win", "turns", "turns", "won", order="ASC"),
            self._record("Most hot dice in a match", "hot", "times"),
            self._record("Most farkles in a match", "farkles", "farkles"),
        )
        return [record for record in found if record]

    def _record(
        self, title: str, column: str, unit: str, only: str = "1", order: str = "DESC"
    ) -> dict[str, Any] | None:
        row = self._store.row(
            f"SELECT {column} AS value, player.id AS player, player.name, match.id AS match, "  # noqa: S608 - ours
            "tray, began FROM seat JOIN player ON player.id = seat.player "
            "JOIN match ON match.id = seat.match "
            f"WHERE winner IS NOT NULL AND {column} > 0 AND {only} "
            f"ORDER BY {column} {order}, began LIMIT 1"
        )
        if row is None:
            return None
        value = f"{row['value']:,} {unit if row['value'] != 1 else unit.removesuffix('s')}"
        return dict(row) | {"title": title, "value": value}
