"""A notation for turns, with one line for each turn, that people and programs can write and read without loss.

    113335: 333 1 = 400 | 226: farkle
    115234: ~11 = 200 | 5523: 55 = 100, bank

A throw is written as its dice, a colon, the kept dice in scoring groups, and their points. `~`
marks a keep that the companion worked out. The last throw shows how the turn ended. `take over`
precedes the first throw. `farkle` and `skip` may stand alone. An item that begins with `!` is an
event other than a throw, with seats numbered from 1: `!rename 2 Benjamin`, `!join Cleo`,
`!leave 1`, `!order 2 1`, `!score 1 500`, `!turn 2 300 4`. A keep that was decided after such an
event follows it with a colon and no dice: `115: | !join Cleo | : 11 = 200, bank`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from game.errors import NotationError, quoted
from game.match.events import (
    Banked,
    Event,
    Farkled,
    Joined,
    Kept,
    Left,
    Renamed,
    Reordered,
    ScoreSet,
    Skipped,
    Thrown,
    TookOver,
    TurnSet,
)
from game.match.state import Throw, TurnEnding
from game.rules import scoring
from game.rules.ruleset import Dice, Ruleset
from game.rules.scoring import Keep

_WORDS: dict[str, Event] = {"take over": TookOver(), "farkle": Farkled(), "skip": Skipped()}

_KEEP = re.compile(
    r"(?P<assumed>~?)(?P<groups>[1-6][1-6 ]*?) ?= ?(?P<points>[0-9][0-9,]{0,11})(?P<bank>, ?bank)?"
)

_EXAMPLE = "113335: 333 1 = 400"

_ENDED_BY_ITSELF = (TurnEnding.FARKLE, TurnEnding.RESET, TurnEnding.WIN)

_ESCAPES = {"%": "%25", "|": "%7C", "#": "%23"}
"""Characters of a name that would otherwise end the item."""


@dataclass(frozen=True, slots=True)
class Item:
    """One item of a line, such as a throw with its keep.

    Attributes:
        events: The events that the item stands for.
        ending: How the turn ended according to the item, or None if it continues.
        keep: The keep that the item names, or None.
    """

    events: tuple[Event, ...]
    ending: TurnEnding | None = None
    keep: Keep | None = None


def write_throw(throw: Throw, ending: TurnEnding | None = None) -> str:
    """Return a throw in the notation, such as `115: ~11 = 200`.

    Args:
        throw: The throw.
        ending: How the turn ended with this throw, or None if the turn continues.
    """
    dice = "".join(map(str, throw.dice))
    if throw.keep is None:
        return f"{dice}: {ending if ending in _ENDED_BY_ITSELF else ''}".rstrip()
    assumed = "~" if throw.assumed else ""
    bank = ", bank" if ending is TurnEnding.BANK else ""
    return f"{dice}: {assumed}{_groups(throw.keep)} = {throw.keep.score}{bank}"


def _groups(keep: Keep) -> str:
    groups = ["".join(map(str, combo.dice)) for combo in keep.combos if combo.dice]
    return " ".join(groups) or "".join(map(str, keep.dice))


def write_event(event: Event) -> str:
    """Return an event in the notation. Throws, keeps and banks are not allowed here."""
    words = {kind: word for word, kind in _WORDS.items()}
    if event in words:
        return words[event]
    return f"!{_write_other(event)}"


def _write_other(event: Event) -> str:
    match event:
        case Joined():
            return f"join{team_suffix(event.team)} {escape(event.name)}"
        case Left():
            return f"leave {event.seat + 1}"
        case Renamed():
            return f"rename {event.seat + 1} {escape(event.name)}"
        case Reordered():
            return f"order {' '.join(str(seat + 1) for seat in event.order)}"
        case ScoreSet():
            return f"score {event.seat + 1} {event.score}"
        case TurnSet():
            return f"turn {event.seat + 1} {event.points} {event.dice}"
    raise AssertionError(event)


def team_suffix(team: int | None) -> str:
    """Return the suffix that gives a player's team, such as `/2`, or "" for a player without a team."""
    return "" if team is None else f"/{team}"


def escape(name: str) -> str:
    """Return a name with the special characters of the notation escaped."""
    return "".join(_ESCAPES.get(letter, letter) for letter in name)


def unescape(name: str) -> str:
    """Return a name with its escapes replaced by the original characters."""
    for letter, escaped in reversed(_ESCAPES.items()):
        name = name.replace(escaped, letter)
    return name


def read_line(line: str, rules: Ruleset, last: Dice = ()) -> Iterator[Item]:
    """Yield the items of one line of the notation.

    Args:
        line: The line, without a comment.
        rules: The rules of the match.
        last: The dice of the last throw before the line; empty if there was none.

    Raises:
        NotationError: If an item cannot be read.
        ThrowError: If a throw has impossible dice.
        IllegalMove: If the kept dice are not a legal keep.
    """
    for part in line.split("|"):
        text = " ".join(part.split())
        if text in _WORDS:
            yield Item((_WORDS[text],))
        elif text.startswith("!"):
            yield Item((_read_event(text),))
        else:
            digits, rest = _split_throw(text)
            last = scoring.checked_dice(map(int, digits), rules) if digits else last
            thrown = (Thrown(last),) if digits else ()
            yield _read_throw(thrown, last, rest, rules)


def _split_throw(text: str) -> tuple[str, str]:
    digits, colon, rest = text.partition(":")
    if not colon or not re.fullmatch(r"[1-6]{0,6}", digits):
        raise NotationError(
            "%(found)s is not a throw: write it like %(example)s",
            found=quoted(text),
            example=_EXAMPLE,
        )
    return digits, rest.strip()


def _read_throw(thrown: tuple[Event, ...], dice: Dice, rest: str, rules: Ruleset) -> Item:
    if thrown and not rest:
        return Item(thrown)
    if thrown and rest in _ENDED_BY_ITSELF:
        return Item(thrown, TurnEnding(rest))
    found = _KEEP.fullmatch(rest)
    if not found or not dice:
        raise NotationError(
            "%(found)s is not a keep: write it like %(example)s",
            found=quoted(rest),
            example=_EXAMPLE,
        )
    keep = _read_keep(dice, found, rules)
    if found["bank"]:
        return Item(
            (*thrown, Banked(None if found["assumed"] else keep.dice)), TurnEnding.BANK, keep
        )
    return Item((*thrown, Kept(keep.dice, assumed=bool(found["assumed"]))), None, keep)


def _read_keep(throw: Dice, found: re.Match[str], rules: Ruleset) -> Keep:
    kept = tuple(int(face) for face in found["groups"] if face != " ")
    keep = scoring.find_keep(throw, kept, rules)
    points = int(found["points"].replace(",", ""))
    if rules.hot_dice_multiply and points and not points % keep.score:
        return scoring.multiply(keep, points // keep.score)
    if keep.score != points:
        raise NotationError(
            "%(dice)s scores %(score)s in %(rules)s, not %(points)s",
            dice=found["groups"],
            score=keep.score,
            rules=rules.title,
            points=points,
        )
    return keep


def _read_event(text: str) -> Event:
    verb, _, rest = text[1:].partition(" ")
    verb, _, team = verb.partition("/")
    try:
        match verb:
            case "join":
                return Joined(unescape(rest), read_integer(team) if team else None)
            case "rename":
                seat, _, name = rest.partition(" ")
                return Renamed(read_integer(seat) - 1, unescape(name))
            case "leave":
                return Left(read_integer(rest) - 1)
            case "order":
                return Reordered(tuple(read_integer(seat) - 1 for seat in rest.split()))
            case "score":
                seat, score = rest.split()
                return ScoreSet(read_integer(seat) - 1, read_integer(score))
            case "turn":
                on_turn, points, dice = map(read_integer, rest.split())
                return TurnSet(on_turn - 1, points, dice)
    except ValueError:
        pass
    raise NotationError(
        "%(found)s is unknown: write it like %(example)s or %(other)s",
        found=quoted(text),
        example="!rename 2 Ben",
        other="!score 1 500",
    )


def read_integer(text: str) -> int:
    """Return the whole number in a text, which may have at most nine digits.

    Raises:
        NotationError: If the text is anything else.
    """
    if not re.fullmatch(r"-?[0-9]{1,9}", text):
        raise NotationError("%(found)s is not a whole number", found=quoted(text))
    return int(text)
