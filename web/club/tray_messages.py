"""What a tray says of itself, checked: a topic can be written by anybody with a right to it."""

import json
from dataclasses import dataclass
from typing import Any, Self

from game.errors import JournalError
from game.journal.wire import is_match_id
from game.message import Message
from game.stats.summary import MatchSummary, PlayerSummary, ThrowSummary, TurnSummary

LARGEST = 256 * 1024
"""Bytes of a message; an answer with a hundred entries has some twenty thousand."""

MAX_SEATS = 20
MAX_WORDS = 300
MAX_POINTS = 10_000_000


def parsed(payload: bytes) -> Any:
    """The JSON of a message.

    Raises:
        JournalError: it is none, or too much of it.
    """
    if len(payload) > LARGEST:
        raise JournalError(
            Message("a message of %(n)s bytes: %(most)s are the most", n=len(payload), most=LARGEST)
        )
    try:
        return json.loads(payload)
    except (ValueError, RecursionError):
        raise JournalError(Message("a message that is no JSON")) from None


@dataclass(frozen=True, slots=True)
class TrayState:
    """A tray as it described itself last; `match` is None where none was begun."""

    match: str | None
    seq: int
    chain: str
    situation: str
    message: str
    question: str | None
    page: str
    summary: MatchSummary | None

    @classmethod
    def of(cls, payload: bytes) -> Self:
        """What the retained state says.

        Raises:
            JournalError: it is none.
        """
        data = parsed(payload)
        try:
            return cls(
                _match_id(data["match"]),
                _number(data["seq"]),
                _words(data["chain"]),
                _words(data["situation"]),
                _words(data["message"]),
                None if data["question"] is None else _words(data["question"]),
                _page(data["page"]),
                _summary(data) if data["players"] else None,
            )
        except (KeyError, TypeError, ValueError, IndexError) as error:
            raise JournalError(
                Message("not the state of a tray (%(why)s)", why=repr(error))
            ) from None


def _summary(data: dict[str, Any]) -> MatchSummary:
    players = [_player(player) for player in data["players"][:MAX_SEATS]]
    turn, throw, winner = data["turn"], data["throw"], data["winner"]
    return {
        "rules": _words(data["rules"]),
        "target": max(1, _number(data["target"])),
        "rounds": max(0, _number(data.get("rounds", 0))),  # older trays say nothing of it
        "players": players,
        "turn": _turn(turn, players) if turn else None,
        "throw": _throw(throw, players) if throw else None,
        "turns": _number(data["turns"]),
        "last_round": bool(data["last_round"]),
        "winner": None if winner is None else _seat(winner, players),
    }


def _turn(data: dict[str, Any], players: list[PlayerSummary]) -> TurnSummary:
    return {
        "seat": _seat(data["seat"], players),
        "player": _words(data["player"]),
        "points": _number(data["points"]),
        "dice": _number(data["dice"]),
    }


def _throw(data: dict[str, Any], players: list[PlayerSummary]) -> ThrowSummary:
    return {
        "seat": _seat(data["seat"], players),
        "player": _words(data["player"]),
        "dice": _dice(data["dice"]),
        "kept": None if data["kept"] is None else _dice(data["kept"]),
        "points": _number(data["points"]),
        "ending": None if data["ending"] is None else _words(data["ending"]),
    }


def _player(data: dict[str, Any]) -> PlayerSummary:
    return {
        "name": _words(data["name"]),
        "score": _number(data["score"]),
        "opened": bool(data["opened"]),
        "team": None if data["team"] is None else _number(data["team"]),
        "here": bool(data["here"]),
    }


def _words(text: Any) -> str:
    if not isinstance(text, str):
        raise TypeError(f"text expected, not {type(text).__name__}")
    return text[:MAX_WORDS]


def _number(number: Any) -> int:
    if not isinstance(number, int) or isinstance(number, bool) or abs(number) > MAX_POINTS:
        raise TypeError("a whole number expected")
    return number


def _seat(number: Any, players: list[PlayerSummary]) -> int:
    if _number(number) not in range(len(players)):
        raise ValueError("no such seat")
    return int(number)


def _dice(faces: Any) -> list[int]:
    if not isinstance(faces, list) or not set(map(_number, faces[:6])) <= set(range(1, 7)):
        raise ValueError("dice have faces 1 to 6")
    return faces[:6]


def _match_id(text: Any) -> str | None:
    if text is None:
        return None
    if not is_match_id(_words(text)):
        raise ValueError("no match is called so")
    return str(text)


def _page(address: Any) -> str:
    """An address to lead people to: nothing but the page of a tray."""
    return address if _words(address).startswith(("http://", "https://")) else ""
