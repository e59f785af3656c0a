"""The whole match as text that reads back: for logs, bug reports and tests.

    traykeeper match 1
    rules walnut-studiolo
    option target = 5000
    player Anna
    player Ben
    113335: 333 11 5 = 550, bank    # Anna 550
    223446: farkle                  # Ben 0

A line is a turn, see `game.notation`. What stands after `#` is for people.
"""

from collections.abc import Iterator

from game import rulefile
from game.errors import GameError, NotationError
from game.events import Banked, Event, Kept, Spliced, Thrown
from game.match import Match
from game.notation import (
    Item,
    escape,
    read_line,
    team_suffix,
    unescape,
    write_event,
    write_throw,
)
from game.state import State
from game.step import step

_HEAD = "traykeeper match 1"
_COMMENT_COLUMN = 40
MAX_TEAM_DIGITS = 4


def to_text(match: Match) -> str:
    """The match as it stands; what was taken back is not in it."""
    return "\n".join([*_head(match), *_lines(match), ""])


def _head(match: Match) -> Iterator[str]:
    start = match.start_state
    yield _HEAD
    yield f"rules {match.rules.name}"
    yield from (f"option {line}" for line in rulefile.differences(match.rules))
    for player in start.players:
        yield f"player{team_suffix(player.team)} {escape(player.name)}"
    if start.order[0]:
        yield f"first {start.order[0] + 1}"


def _lines(match: Match) -> Iterator[str]:
    items: list[str] = []
    state = match.start_state
    for event in match.timeline:
        before, state = state, step(state, event)
        if isinstance(event, Kept | Banked):
            _decide(items, _throw_item(before, state))
        else:
            is_throw = isinstance(event, Thrown)
            items.append(_throw_item(before, state) if is_throw else write_event(event))
        if len(state.turns) > len(before.turns):
            yield _with_comment(items, state)
            items.clear()
    if items:
        yield " | ".join(items)


def _decide(items: list[str], item: str) -> None:
    """Complete the throw, or follow it where something else happened in between."""
    dice, _, keep = item.partition(":")
    if items and items[-1].startswith((f"{dice}:", ":")):
        items[-1] = f"{items[-1].partition(':')[0]}:{keep}"
    else:
        items.append(f":{keep}")


def _throw_item(before: State, after: State) -> str:
    """The last throw as it stands after the event, in the turn played or the one it ended."""
    if len(after.turns) > len(before.turns):
        turn = after.turns[-1]
        return write_throw(turn.throws[-1], turn.ending)
    return write_throw(after.turn.throws[-1])


def _with_comment(items: list[str], state: State) -> str:
    player = state.players[state.turns[-1].seat]
    return f"{' | '.join(items):<{_COMMENT_COLUMN}}  # {player.name} {player.score:,}"


def from_text(text: str) -> Match:
    """The match that `to_text` wrote, or a person.

    Raises:
        NotationError: names the line, what was found and what is expected.
    """
    match: Match | None = None
    head: list[tuple[str, str]] = []
    for number, line in enumerate(text.splitlines(), 1):
        is_option = line.startswith("option ")
        content = line.strip() if is_option else line.partition("#")[0].strip()
        if not content or (number == 1 and content == _HEAD):
            continue
        try:
            word, _, rest = content.partition(" ")
            if match is None and word.partition("/")[0] in ("rules", "option", "player", "first"):
                head.append((word, rest))
                continue
            match = match or _start(head)
            match = _play_line(match, content)
        except GameError as error:
            raise NotationError(f"line {number}: {error}") from None
    return match or _start(head)


def _start(head: list[tuple[str, str]]) -> Match:
    values: dict[str, list[str]] = {}
    for word, rest in head:
        values.setdefault(word.partition("/")[0], []).append(rest)
    name = values.get("rules", ["walnut-studiolo"])[-1]
    rules = rulefile.with_differences(name, values.get("option", []))
    teams = [word.partition("/")[2] for word, _ in head if word.startswith("player")]
    first = values.get("first", ["1"])[-1]
    players = values.get("player", [])
    seats = {str(seat + 1) for seat in range(len(players))}
    if (players and first not in seats) or not all(_is_team(team) for team in teams):
        raise NotationError("the first seat, and a team, are whole numbers: first 2, player/1 Anna")
    return Match.start(
        rules,
        [unescape(player) for player in players],
        first=int(first) - 1,
        teams=[int(team) if team else None for team in teams],
    )


def _is_team(team: str) -> bool:
    return not team or (team.isascii() and team.isdecimal() and len(team) < MAX_TEAM_DIGITS)


def _play_line(match: Match, line: str) -> Match:
    last = match.state.turn.last
    for item in read_line(line, match.rules, last.dice if last else ()):
        match = _play_item(match, item)
    return match


def _play_item(match: Match, item: Item) -> Match:
    before = len(match.state.turns)
    for event in item.events:
        if _ended_already(event, match, before):
            continue
        match = match.push(event)
    ended = match.state.turns[-1].ending if len(match.state.turns) > before else None
    if (
        item.events
        and isinstance(item.events[0], Thrown | Kept | Banked)
        and ended is not item.ending
    ):
        found = f"ends the turn: {ended}" if ended else "does not end the turn"
        raise NotationError(f"says {item.ending or 'that the turn goes on'}, but the throw {found}")
    return match


def _ended_already(event: Event, match: Match, turns_before: int) -> bool:
    """Some throws bank by themselves; the text shows the bank all the same."""
    return isinstance(event, Kept | Banked) and len(match.state.turns) > turns_before


def insertion(match: Match, line: str, before: int | None = None) -> Spliced:
    """The action that puts a turn, written as a line, into the match: now, or earlier.

    Raises:
        GameError: the line cannot be read.
    """
    index = len(match.timeline) if before is None else before
    last = match.state.turn.last if before is None else None
    items = read_line(line, match.rules, last.dice if last else ())
    return Spliced(index, index, tuple(event for item in items for event in item.events))
