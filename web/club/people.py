"""The players of a club. A name means the same player at every tray until the steward splits it."""

import json
import re
from dataclasses import dataclass

from game.errors import IllegalMove
from game.message import Message
from game.names import clean_name
from web.club.store import ClubStore

ALL_TRAYS = ""
"""Stored instead of the name of a tray: the player's name is valid at every tray that has no entry of its own."""

_UNNAMED = re.compile(r"player \d+")
"""The name that a tray gives to a player who entered none."""


@dataclass(frozen=True, slots=True)
class Person:
    """A player of the club.

    Attributes:
        id: Number of the player.
        name: The name on the pages of the club.
        names: Each name that trays use for this player, with its tray or `ALL_TRAYS`.
    """

    id: int
    name: str
    names: tuple[tuple[str, str], ...] = ()


class People:
    """The players in a club's database, who are looked up by the names that they have in matches."""

    def __init__(self, store: ClubStore) -> None:
        self._store = store

    def find_or_add(self, name: str, tray: str) -> int | None:
        """Return the number of a player, who is added if the name is new.

        Args:
            name: Name in a match. None is returned for "Player 2" and the like.
            tray: Name of the tray, or `ALL_TRAYS`.
        """
        key = name_key(name)
        if _UNNAMED.fullmatch(key):
            return None
        return self.find(name, tray) or self._new(name, key, ALL_TRAYS)

    def find(self, name: str, tray: str) -> int | None:
        """Return the number of a player, or None if nobody has that name.

        Args:
            name: Name in a match.
            tray: Name of the tray, or `ALL_TRAYS`.
        """
        row = self._store.row(
            "SELECT player FROM called WHERE key = ? AND tray IN (?, ?) ORDER BY tray DESC",
            name_key(name), tray, ALL_TRAYS,
        )  # fmt: skip
        return int(row["player"]) if row else None

    def _new(self, name: str, key: str, tray: str) -> int:
        player = self._store.run("INSERT INTO player (name) VALUES (?)", name)
        self._store.run("INSERT OR REPLACE INTO called VALUES (?, ?, ?)", key, tray, player)
        return player

    def add(self, name: str) -> int:
        """Return the number of a player, who is added if the name is new.

        Unlike with `find_or_add`, the player need not have played yet.

        Raises:
            IllegalMove: If the name is not usable.
        """
        cleaned = clean_name(name)
        found = self.find_or_add(cleaned, ALL_TRAYS)
        if found is None:
            raise IllegalMove(
                Message(
                    "%(name)s stands for a player without a name: enter a real name",
                    name=cleaned,
                )
            )
        return found

    def all(self) -> list[Person]:
        """Return all players in alphabetical order, without the names that trays use."""
        rows = self._store.rows("SELECT id, name FROM player ORDER BY name COLLATE NOCASE")
        return [Person(row["id"], row["name"]) for row in rows]

    def person(self, player: int) -> Person | None:
        """Return a player with the names that trays use, or None if there is no such player."""
        row = self._store.row("SELECT id, name FROM player WHERE id = ?", player)
        names = self._store.rows(
            "SELECT key, tray FROM called WHERE player = ? ORDER BY key, tray", player
        )
        if row is None:
            return None
        return Person(row["id"], row["name"], tuple((n["key"], n["tray"]) for n in names))

    def merge(self, player: int, into: int) -> None:
        """Make two players one person.

        Args:
            player: The player who disappears.
            into: The player who gets the names and results of both.

        Raises:
            IllegalMove: If they are the same, if one does not exist, or if both play in one
                tournament.
        """
        if player == into:
            raise IllegalMove(Message("that is the same player: choose another one"))
        self._require(player, into)
        with self._store.transaction():
            self._merge_in_draws(player, into)
            self._store.run("UPDATE called SET player = ? WHERE player = ?", into, player)
            self._store.run("UPDATE seat SET player = ? WHERE player = ?", into, player)
            self._store.run("DELETE FROM player WHERE id = ?", player)

    def _merge_in_draws(self, player: int, into: int) -> None:
        for row in self._store.rows("SELECT id, name, plan FROM tournament"):
            plan = json.loads(row["plan"])
            players = plan["players"]
            if player not in players:
                continue
            if into in players:
                raise IllegalMove(
                    Message(
                        "both play in the tournament %(name)s, so they cannot be the same person",
                        name=row["name"],
                    )
                )
            plan["players"] = [into if drawn == player else drawn for drawn in players]
            self._store.run(
                "UPDATE tournament SET plan = ? WHERE id = ?", json.dumps(plan), row["id"]
            )

    def split(self, player: int, name: str, tray: str = ALL_TRAYS) -> int:
        """Turn one name of a player into a new player and return the number of that player.

        Args:
            player: The player who loses the name.
            name: The name. All results under it move to the new player.
            tray: Name of the only tray where the name means somebody else, or `ALL_TRAYS`.

        Raises:
            IllegalMove: If the player has no results under that name there.
        """
        self._require(player)
        key = name_key(name)
        row = self._store.row(
            "SELECT COUNT(*) AS n FROM seat JOIN match ON match.id = seat.match "
            "WHERE player = ? AND key = ? AND ? IN ('', tray)",
            player, key, tray,
        )  # fmt: skip
        if not row or not row["n"]:
            raise IllegalMove(
                Message(
                    "this player has no results under the name %(name)s: choose another name "
                    "or tray",
                    name=name,
                )
            )
        cleaned = clean_name(name)
        with self._store.transaction():
            other = self._new(f"{cleaned} ({tray})" if tray else cleaned, key, tray)
            self._store.run(
                "UPDATE seat SET player = ? WHERE player = ? AND key = ? "
                "AND ? IN ('', (SELECT tray FROM match WHERE id = seat.match))",
                other, player, key, tray,
            )  # fmt: skip
        return other

    def _require(self, *players: int) -> None:
        for player in players:
            if self._store.row("SELECT 1 FROM player WHERE id = ?", player) is None:
                raise IllegalMove(Message("that player no longer exists: reload the list"))


def name_key(name: str) -> str:
    """Return a form of a name that is the same for all spellings that differ only in case or spacing."""
    return " ".join(name.casefold().split())
