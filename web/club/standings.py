"""What the matches add up to: the evening, the table, head to head, and records."""

import time
from dataclasses import dataclass
from sqlite3 import Row

from web.club.store import ClubStore

EVENING_BEGINS_H = 6
"""Of the board's local day: who plays until four still plays the evening before."""

MATCHES_SHOWN = 200


@dataclass(frozen=True, slots=True)
class Seat:
    """Who sat there; `player` is None for one without a name."""

    name: str
    player: int | None
    score: int
    won: bool


@dataclass(frozen=True, slots=True)
class LeagueMatch:
    """A match; `over` once it was won."""

    id: str
    tray: str
    began_s: float
    rules: str
    target: int
    over: bool
    seats: tuple[Seat, ...]


@dataclass(frozen=True, slots=True)
class Standing:
    """A player's row of the table; only matches that were won count.

    `points` are those that the player's own turns brought.
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
        """Matches won of a hundred."""
        return round(100 * self.won / self.played)

    @property
    def average(self) -> int:
        """Points a turn."""
        return round(self.points / self.turns) if self.turns else 0


@dataclass(frozen=True, slots=True)
class Rivalry:
    """One player against another: matches both sat in, and who of them won."""

    rival: int
    name: str
    played: int
    won: int
    lost: int


@dataclass(frozen=True, slots=True)
class BestRecord:
    """The most that anyone has done of something."""

    title: str
    value: str
    player: int
    name: str
    match: str
    tray: str
    began_s: float


def evening_began_s(now_s: float | None = None) -> float:
    """When the evening that is now began, in seconds since 1970."""
    now = time.localtime(time.time() if now_s is None else now_s)
    day = now.tm_mday - (now.tm_hour < EVENING_BEGINS_H)
    return time.mktime((now.tm_year, now.tm_mon, day, EVENING_BEGINS_H, 0, 0, 0, 0, -1))


class League:
    """Asks the store; nothing is kept here."""

    def __init__(self, store: ClubStore) -> None:
        self._store = store

    def matches(
        self,
        since_s: float = 0,
        *,
        player: int | None = None,
        over: bool = False,
        limit: int = MATCHES_SHOWN,
    ) -> list[LeagueMatch]:
        """The newest first; of one player, or those that are `over`, where that is asked."""
        rows = self._store.rows(
            "SELECT * FROM match WHERE began >= ?1 AND (?2 IS NULL OR EXISTS "
            "(SELECT 1 FROM seat WHERE match = match.id AND player = ?2)) "
            "AND (NOT ?4 OR winner IS NOT NULL) ORDER BY began DESC, id LIMIT ?3",
            since_s, player, limit, over,
        )  # fmt: skip
        return [self._played(row) for row in rows]

    def match(self, match_id: str) -> LeagueMatch | None:
        row = self._store.row("SELECT * FROM match WHERE id = ?", match_id)
        return self._played(row) if row else None

    def _played(self, match: Row) -> LeagueMatch:
        seats = self._store.rows(
            "SELECT COALESCE(player.name, seat.name) AS name, player, score, won FROM seat "
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
            tuple(Seat(s["name"], s["player"], s["score"], bool(s["won"])) for s in seats),
        )

    def table(self, since_s: float = 0) -> list[Standing]:
        """Most wins first, then the larger share of them, then points a turn."""
        rows = self._store.rows(
            "SELECT player.id AS player, player.name, COUNT(*) AS played, SUM(won) AS won, "
            "SUM(COALESCE(banked, score)) AS points, MAX(best_turn) AS best_turn, SUM(farkles) AS farkles, "
            "SUM(turns) AS turns, SUM(hot) AS hot "
            "FROM seat JOIN player ON player.id = seat.player JOIN match ON match.id = seat.match "
            "WHERE winner IS NOT NULL AND began >= ? GROUP BY player.id",
            since_s,
        )
        standings = [Standing(**dict(row)) for row in rows]
        return sorted(standings, key=lambda s: (-s.won, -s.share, -s.average, s.name))

    def rivalries(self, player: int) -> list[Rivalry]:
        """Against everybody, most matches first; team mates are no rivals."""
        rows = self._store.rows(
            "SELECT other.player AS rival, player.name, COUNT(*) AS played, "
            "SUM(mine.won) AS won, SUM(other.won) AS lost "
            "FROM seat AS mine JOIN seat AS other ON other.match = mine.match "
            "JOIN match ON match.id = mine.match JOIN player ON player.id = other.player "
            "WHERE mine.player = ?1 AND other.player != ?1 AND winner IS NOT NULL "
            "AND (mine.team IS NULL OR mine.team IS NOT other.team) GROUP BY other.player "
            "ORDER BY played DESC, player.name",
            player,
        )
        return [Rivalry(**dict(row)) for row in rows]

    def records(self) -> list[BestRecord]:
        """Each once, the earliest where several are the same."""
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
    ) -> BestRecord | None:
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
        return BestRecord(
            title, value, row["player"], row["name"], row["match"], row["tray"], row["began"]
        )
