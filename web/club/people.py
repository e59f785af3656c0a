"""Who is who: a player is known by name, at every tray, until somebody says otherwise."""

import json
import re
from dataclasses import dataclass

from game.errors import IllegalMove
from game.message import Message
from game.names import clean_name
from web.club.store import ClubStore

EVERYWHERE = ""
"""In place of a tray: the name means this player at all trays that say nothing else."""

_NOBODY = re.compile(r"player \d+")
"""What a tray calls those who gave no name."""


@dataclass(frozen=True, slots=True)
class Person:
    """A player of the club; `names` are what trays call them, each with the tray or everywhere."""

    id: int
    name: str
    names: tuple[tuple[str, str], ...] = ()


class People:
    """The players of a board, found by the names in matches; merged and split by people."""

    def __init__(self, store: ClubStore) -> None:
        self._store = store

    def find(self, name: str, tray: str) -> int | None:
        """Who is called so at this tray; a new player where nobody is. None for "Player 2"."""
        key = key_of(name)
        if _NOBODY.fullmatch(key):
            return None
        return self.known(name, tray) or self._new(name, key, EVERYWHERE)

    def known(self, name: str, tray: str) -> int | None:
        """Who is called so at this tray, if anybody is."""
        row = self._store.row(
            "SELECT player FROM called WHERE key = ? AND tray IN (?, ?) ORDER BY tray DESC",
            key_of(name), tray, EVERYWHERE,
        )  # fmt: skip
        return int(row["player"]) if row else None

    def _new(self, name: str, key: str, tray: str) -> int:
        player = self._store.run("INSERT INTO player (name) VALUES (?)", name)
        self._store.run("INSERT OR REPLACE INTO called VALUES (?, ?, ?)", key, tray, player)
        return player

    def add(self, name: str) -> int:
        """The player of this name, who may not have played yet."""
        shown = clean_name(name)
        found = self.find(shown, EVERYWHERE)
        if found is None:
            raise IllegalMove(
                Message(
                    "%(name)s is what trays call somebody without a name: take a real one",
                    name=shown,
                )
            )
        return found

    def all(self) -> list[Person]:
        """Everybody, by name."""
        rows = self._store.rows("SELECT id, name FROM player ORDER BY name COLLATE NOCASE")
        return [Person(row["id"], row["name"]) for row in rows]

    def person(self, player: int) -> Person | None:
        row = self._store.row("SELECT id, name FROM player WHERE id = ?", player)
        names = self._store.rows(
            "SELECT key, tray FROM called WHERE player = ? ORDER BY key, tray", player
        )
        if row is None:
            return None
        return Person(row["id"], row["name"], tuple((n["key"], n["tray"]) for n in names))

    def merge(self, player: int, into: int) -> None:
        """The two were one person all along."""
        if player == into:
            raise IllegalMove(Message("a player is the same as themselves already: choose another"))
        self._expect(player, into)
        with self._store.together():
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
                    Message("both play in %(name)s: there they cannot be one", name=row["name"])
                )
            plan["players"] = [into if drawn == player else drawn for drawn in players]
            self._store.run(
                "UPDATE tournament SET plan = ? WHERE id = ?", json.dumps(plan), row["id"]
            )

    def split(self, player: int, name: str, tray: str = EVERYWHERE) -> int:
        """Who is called `name` (at that tray alone, if one is named) is somebody else.

        Gives the new player, who takes what was played under that name there.
        """
        self._expect(player)
        key = key_of(name)
        known = self._store.row(
            "SELECT COUNT(*) AS n FROM seat JOIN match ON match.id = seat.match "
            "WHERE player = ? AND key = ? AND ? IN ('', tray)",
            player, key, tray,
        )  # fmt: skip
        if not known or not known["n"]:
            raise IllegalMove(Message("nobody of that name has played there: %(name)s", name=name))
        shown = clean_name(name)
        with self._store.together():
            other = self._new(f"{shown} ({tray})" if tray else shown, key, tray)
            self._store.run(
                "UPDATE seat SET player = ? WHERE player = ? AND key = ? "
                "AND ? IN ('', (SELECT tray FROM match WHERE id = seat.match))",
                other, player, key, tray,
            )  # fmt: skip
        return other

    def _expect(self, *players: int) -> None:
        for player in players:
            if self._store.row("SELECT 1 FROM player WHERE id = ?", player) is None:
                raise IllegalMove(Message("that player is gone: look at the list again"))


def key_of(name: str) -> str:
    """Names that differ only in case are one."""
    return " ".join(name.casefold().split())
