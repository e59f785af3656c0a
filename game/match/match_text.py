"""A whole match as text that can be read back, for logs, bug reports and tests.

    traykeeper match 1
    rules walnut-studiolo
    option target = 5000
    player Anna
    player Ben
    113335: 333 11 5 = 550, bank    # Anna 550
    223446: farkle                  # Ben 0

Each line after the players is a turn in the notation of `game.match.notation`. Text after `#` is a
comment.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from game.errors import GameError, NotationError, quoted
from game.match.events import Banked, Event, Kept, Spliced, Thrown
from game.match.match import Match, replay
from game.match.notation import (
    Item,
    escape,
    read_integer,
    read_line,
    team_suffix,
    unescape,
    write_event,
    write_throw,
)
from game.match.state import State, Turn
from game.message import Message
from game.names import clean_names
from game.rules import rule_files
from game.rules.ruleset import Ruleset

_FIRST = "traykeeper match 1"
_HEAD_KINDS = ("traykeeper", "rules", "option", "player", "first")
_COMMENT_COLUMN = 40

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
    with _naming_line(where, number):
        return Match.start(rules, names, first=first - 1, teams=teams)


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
    return rule_files.from_differing_lines(name, options, where)


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
        if not _ended_already(event, match, before):
            match = match.push(event)
    if isinstance(item.events[0], Thrown | Kept | Banked):
        state = match.state
        _check(item, state.turns[-1] if len(state.turns) > before else state.turn)
    return match


def _ended_already(event: Event, match: Match, turns_before: int) -> bool:
    """Return whether a keep or bank in the text has already happened, because the bank was automatic.

    Args:
        event: The event that the text states.
        match: The match before the event.
        turns_before: Number of finished turns before the throw.
    """
    return isinstance(event, Kept | Banked) and len(match.state.turns) > turns_before


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
