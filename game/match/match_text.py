"""A whole match as text that can be read back, for logs, bug reports and tests.

    traykeeper match 1
    rules walnut-studiolo
    option target = 5000
    player Anna
    player Ben
    113335: 333 11 5 = 550, bank    # Anna 550
    223446: farkle                  # Ben 0

Each line after the players is a turn. Text after `#` is a comment. A turn looks like this:

    113335: 333 1 = 400 | 226: farkle
    115234: ~11 = 200 | 5523: 55 = 100, bank

A line before the players, such as `series 3 90c1a5e2b7d3f468`, names the series to which the match belongs: its number
of matches, and the id that all of them share.

A throw is written as its dice, a colon, the kept dice in scoring groups, and their points. `~`
marks a keep that the companion worked out. The last throw shows how the turn ended. `take over`
precedes the first throw. `farkle` and `skip` may stand alone. An item that begins with `!` is an
event other than a throw, with seats numbered from 1: `!rename 2 Benjamin`, `!join Cleo`,
`!leave 1`, `!order 2 1`, `!score 1 500`, `!turn 2 300 4`. A keep that was decided after such an
event follows it with a colon and no dice: `115: | !join Cleo | : 11 = 200, bank`.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from game.errors import GameError, NotationError, quoted
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
    Spliced,
    Thrown,
    TookOver,
    TurnSet,
)
from game.match.match import Match, replay
from game.match.state import Series, State, Throw, Turn, TurnEnding
from game.message import Message
from game.names import clean_names
from game.rules import rule_files, scoring
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

_FIRST = "traykeeper match 1"
_HEAD_KINDS = ("traykeeper", "rules", "option", "series", "player", "first")
_COMMENT_COLUMN = 40


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


Line = tuple[int, str]
"""Number of a line, from 1, and its content."""


def to_text(match: Match) -> str:
    """Return a match as text. Undone steps are left out."""
    return "\n".join([*_head(match), *_lines(match), ""])


def _head(match: Match) -> Iterator[str]:
    start = match.start_state
    yield _FIRST
    yield f"rules {escape(match.rules.name)}"
    yield from (f"option {line}" for line in rule_files.differing_lines(match.rules))
    if start.series:
        yield f"series {start.series.best_of} {start.series.id}"
    for player in start.players:
        yield f"player{team_suffix(player.team)} {escape(player.name)}"
    if start.order[0]:
        yield f"first {start.order[0] + 1}"


def _lines(match: Match) -> Iterator[str]:
    items: list[str] = []
    for before, event, state in replay(match):
        if isinstance(event, Kept | Banked):
            _add_decision(items, _throw_item(before, state))
        else:
            is_throw = isinstance(event, Thrown)
            items.append(_throw_item(before, state) if is_throw else write_event(event))
        if len(state.turns) > len(before.turns):
            yield _with_comment(items, state)
            items.clear()
    if items:
        yield " | ".join(items)


def _add_decision(items: list[str], item: str) -> None:
    """Write a keep or bank into the item of its throw, or append it as a new item if other events came between the two.

    Args:
        items: The items of the line so far, which are changed in place.
        item: The throw with its keep or bank, in the notation. Only the keep or bank is written.
    """
    dice, _, keep = item.partition(":")
    if items and items[-1].startswith((f"{dice}:", ":")):
        items[-1] = f"{items[-1].partition(':')[0]}:{keep}"
    else:
        items.append(f":{keep}")


def _throw_item(before: State, after: State) -> str:
    """Return the last throw in the notation, as it is after an event.

    Args:
        before: State of the match before the event.
        after: State of the match after the event.
    """
    if len(after.turns) > len(before.turns):
        turn = after.turns[-1]
        return write_throw(turn.throws[-1], turn.ending)
    return write_throw(after.turn.throws[-1])


def _with_comment(items: list[str], state: State) -> str:
    player = state.players[state.turns[-1].seat]
    return f"{' | '.join(items):<{_COMMENT_COLUMN}}  # {player.name} {player.score:,}"


def from_text(text: str, where: str = "match") -> Match:
    """Return the match that a person or `to_text` wrote as text.

    Args:
        text: The text.
        where: Name of the text in error messages.

    Raises:
        NotationError: If a line cannot be read or played. The message names the line.
        RulesetError: If an option of the rules is not valid.
    """
    lines = list(_content(text))
    is_head = [_kind(line) in _HEAD_KINDS for _, line in lines]
    n = is_head.index(False) if False in is_head else len(lines)
    match = _start(lines[:n], where)
    for number, line in lines[n:]:
        with _naming_line(where, number):
            match = _play_line(match, line)
    return match


def _content(text: str) -> Iterator[Line]:
    """Yield the number of each line that is not empty, and its content without comments."""
    for number, line in enumerate(text.split("\n"), 1):
        content = line.strip() if _kind(line.strip()) == "option" else _without_comment(line)
        if content:
            yield number, content


def _without_comment(line: str) -> str:
    return line.partition("#")[0].strip()


def _kind(line: str) -> str:
    word = line.partition(" ")[0]
    return "player" if word.startswith("player/") else word


@contextmanager
def _naming_line(where: str, number: int) -> Iterator[None]:
    """Add the name of the text and the number of the line to errors that are raised in the block."""
    try:
        yield
    except GameError as error:
        raise NotationError(
            "%(file)s, line %(n)s: %(why)s", file=where, n=str(number), why=error.message
        ) from None


def _start(head: list[Line], where: str) -> Match:
    rules = _rules(head, where)
    names: list[str] = []
    teams: list[int | None] = []
    first, number = 1, 1
    series: Series | None = None
    for number, line in head:
        word, _, rest = line.partition(" ")
        with _naming_line(where, number):
            match _kind(line):
                case "traykeeper" if line != _FIRST:
                    raise NotationError(
                        "unknown line %(found)s: only %(known)s is allowed",
                        found=quoted(line),
                        known=repr(_FIRST),
                    )
                case "player":
                    names = clean_names([*names, unescape(rest)])
                    teams.append(_team(word))
                case "first":
                    first = _seat(rest, len(names))
                case "series":
                    best_of, _, series_id = rest.partition(" ")
                    series = Series(read_integer(best_of), series_id)
    with _naming_line(where, number):
        return Match.start(rules, names, first=first - 1, teams=teams, series=series)


def _rules(head: list[Line], where: str) -> Ruleset:
    """Return the rules of a match.

    If the text gives them no title, they must be a published rule set.
    """
    lines = [(number, line.partition(" ")[2]) for number, line in head if _kind(line) == "rules"]
    number, name = lines[-1] if lines else (1, "walnut-studiolo")
    name = unescape(name)
    options = _options(head)
    if "title" not in options:
        with _naming_line(where, number):
            name = rule_files.published(name).name
    return rule_files.from_differing_lines(name, options, where, check=bool(options))


def _options(head: list[Line]) -> str:
    """Return the options as TOML with unchanged line numbers, so that errors name the right line."""
    options = {n: line.removeprefix("option") for n, line in head if _kind(line) == "option"}
    return "\n".join(options.get(n, "") for n in range(1, max(options, default=0) + 1))


def _team(word: str) -> int | None:
    team = word.partition("/")[2]
    return read_integer(team) if team else None


def _seat(text: str, n_players: int) -> int:
    seat = read_integer(text)
    if not 1 <= seat <= n_players:
        raise NotationError(
            "seat %(seat)s cannot begin: only %(n)s players are named above",
            seat=seat,
            n=n_players,
        )
    return seat


def _play_line(match: Match, line: str) -> Match:
    last = match.state.turn.last
    for item in read_line(line, match.rules, last.dice if last else ()):
        match = _play_item(match, item)
    return match


def _play_item(match: Match, item: Item) -> Match:
    before = len(match.state.turns)
    for event in item.events:
        # An automatic bank has already happened, although the text states it.
        if not isinstance(event, Kept | Banked) or len(match.state.turns) <= before:
            match = match.push(event)
    if isinstance(item.events[0], Thrown | Kept | Banked):
        state = match.state
        _check(item, state.turns[-1] if len(state.turns) > before else state.turn)
    return match


def _check(item: Item, turn: Turn) -> None:
    """Check that the throw had the result that the text states."""
    if turn.ending is not item.ending:
        says = str(item.ending) if item.ending else Message("that the turn continues")
        if turn.ending is None:
            raise NotationError(
                "the line says %(says)s, but the throw does not end the turn", says=says
            )
        raise NotationError(
            "the line says %(says)s, but the throw ends the turn: %(ending)s",
            says=says,
            ending=str(turn.ending),
        )
    keep = turn.throws[-1].keep
    if keep and item.keep and keep != item.keep:
        raise NotationError(
            "the line says %(says)s, but %(dice)s = %(score)s is banked",
            says=item.keep.score,
            dice=keep.dice,
            score=keep.score,
        )


def inserted_turn(match: Match, line: str, before: int | None = None) -> Spliced:
    """Return the action that inserts a turn into a match.

    Args:
        match: The match.
        line: The turn, as a line of the notation.
        before: Index of the event that the turn precedes, in the timeline. None appends the turn.

    Raises:
        GameError: If the line cannot be read, or the turn is not possible there.
    """
    end = len(match.timeline)
    index = end if before is None else before
    base = match.push(Spliced(index, end, ()))
    after = _play_line(base, _without_comment(line))
    return Spliced(index, index, after.timeline[index:])
