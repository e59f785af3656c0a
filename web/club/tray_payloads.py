"""Checks what trays send, because any client of the broker can write to their topics."""

import json
from dataclasses import dataclass
from typing import Any, Self

from game.errors import JournalError
from game.journal.wire import is_match_id
from game.message import Message
from game.stats.summary import MatchSummary, PlayerSummary, ThrowSummary, TurnSummary

MAX_BYTES = 256 * 1024
"""Largest message, in bytes. An answer with a hundred entries is about 20,000 bytes long."""

MAX_SEATS = 20
MAX_CHARACTERS = 300
MAX_POINTS = 10_000_000


def parse_json(payload: bytes) -> Any:
    """Parse the JSON text of a message.

    Raises:
        JournalError: If the message is too large or not JSON.
    """
    if len(payload) > MAX_BYTES:
        raise JournalError(
            Message(
                "a message has %(n)s bytes, but at most %(most)s are allowed",
                n=len(payload),
                most=MAX_BYTES,
            )
        )
    try:
        return json.loads(payload)
    except (ValueError, RecursionError):
        raise JournalError(Message("a message is not JSON")) from None


@dataclass(frozen=True, slots=True)
class TrayState:
    """The last state that a tray published.

    Attributes:
        match: The match at the tray; None before the first.
        seq: Number of the last entry of that match.
        chain: Digest of the entries of that match.
        situation: A value of `game.situation.Situation`.
        message: The tray's message, in English.
        question: The open question, if any.
        page: Address of the tray's page, or "".
        summary: Summary of the match; None before the first.
    """

    match: str | None
    seq: int
    chain: str
    situation: str
    message: str
    question: str | None
    page: str
    summary: MatchSummary | None

    @classmethod
    def parse(cls, payload: bytes) -> Self:
        """Parse the state that a tray published.

        Raises:
            JournalError: If the message is not the state of a tray.
        """
        data = parse_json(payload)
        try:
            return cls(
                _match_id(data["match"]),
                _number(data["seq"]),
                _text(data["chain"]),
                _text(data["situation"]),
                _text(data["message"]),
                None if data["question"] is None else _text(data["question"]),
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
        "rules": _text(data["rules"]),
        "target": max(1, _number(data["target"])),
        "rounds": max(0, _number(data.get("rounds", 0))),  # missing from older trays
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
        "player": _text(data["player"]),
        "points": _number(data["points"]),
        "dice": _number(data["dice"]),
    }


def _throw(data: dict[str, Any], players: list[PlayerSummary]) -> ThrowSummary:
    return {
        "seat": _seat(data["seat"], players),
        "player": _text(data["player"]),
        "dice": _dice(data["dice"]),
        "kept": None if data["kept"] is None else _dice(data["kept"]),
        "points": _number(data["points"]),
        "ending": None if data["ending"] is None else _text(data["ending"]),
    }


def _player(data: dict[str, Any]) -> PlayerSummary:
    return {
        "name": _text(data["name"]),
        "score": _number(data["score"]),
        "opened": bool(data["opened"]),
        "team": None if data["team"] is None else _number(data["team"]),
        "here": bool(data["here"]),
    }


def _text(text: Any) -> str:
    if not isinstance(text, str):
        raise TypeError(f"text expected, not {type(text).__name__}")
    return text[:MAX_CHARACTERS]


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
    if not is_match_id(_text(text)):
        raise ValueError("no match is called so")
    return str(text)


def _page(address: Any) -> str:
    """Return a web address, or "" for a link that would run a script."""
    return address if _text(address).startswith(("http://", "https://")) else ""
