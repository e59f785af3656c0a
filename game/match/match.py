"""A match: players, turns, banking and endings. Every step can be undone and redone.

A `Match` is immutable. Each move returns a new one:

    >>> from game.rules import rule_files
    >>> match = Match.start(rule_files.load("walnut-studiolo"), ["Anna", "Ben"])
    >>> match = match.throw([1, 1, 3, 3, 3, 5]).bank()
    >>> match.state.players[0].score
    550
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, takewhile
from typing import Self

from game.errors import GameError, IllegalMove, LaterStepError
from game.match.apply_event import apply_event, check_sides, clean_team
from game.match.events import (
    UNKNOWN_FACE,
    Action,
    Banked,
    Bot,
    Corrected,
    Event,
    Farkled,
    Kept,
    ManualEvent,
    Place,
    Redone,
    Revision,
    Spliced,
    Thrown,
    Undone,
)
from game.match.state import Player, Series, State, Throw, Turn
from game.message import Message
from game.names import clean_names
from game.rules.ruleset import Ruleset
from game.rules.scoring import keep_table

MAX_EVENTS = 5_000
"""Largest number of events in a match, ten times as many as in a long one. The memory that the undo of all of them needs
grows with the square of their number: 5,000 take 220 MB."""


@dataclass(frozen=True, slots=True)
class Match:
    """The timeline of a match, its current state, and the steps to undo and redo.

    Attributes:
        start_state: The state before the first event.
        timeline: The events of the match in order, without those that were undone.
        state: The state after all events of the timeline.
        before: The match one step ago, for undo.
        after: The states of the match that were undone. Redo restores the last of them first.
    """

    start_state: State
    timeline: tuple[Event, ...]
    state: State
    before: "Match | None" = field(default=None, repr=False, compare=False)
    after: tuple["Match", ...] = field(default=(), repr=False, compare=False)

    @classmethod
    def start(
        cls,
        rules: Ruleset,
        names: Sequence[str],
        *,
        first: int = 0,
        teams: Sequence[int | None] | None = None,
        bots: Sequence[Bot | None] | None = None,
        series: Series | None = None,
    ) -> Self:
        """Return a new match.

        Args:
            rules: The rules to play by.
            names: The players' names, by seat. Surrounding spaces are removed.
            first: The seat that begins, from 0.
            teams: The team number of each seat, or None for a player without a team. If this
                argument is None, nobody has a team.
            bots: The bot that plays each seat, or None for a seat played by a person. If this
                argument is None, people play all seats.
            series: The series to which the match belongs, or None.

        Raises:
            IllegalMove: If there are fewer than 2 or more than 20 players, two names are equal,
                all players are in one team or are bots, or `first` is not a seat.
        """
        n = len(names)
        teams = teams or [None] * n
        if len(teams) != n:
            raise IllegalMove(
                "there are %(n)s players, but %(teams)s team numbers: give one for each player",
                n=n,
                teams=len(teams),
            )
        seats = zip(clean_names(names), map(clean_team, teams), bots or [None] * n, strict=True)
        players = tuple(Player(name, team=team, bot=bot) for name, team, bot in seats)
        order = tuple((first + i) % n for i in range(n))
        check_sides(players, order)
        if first not in range(n):
            raise IllegalMove(
                "seat %(seat)s does not exist: there are %(n)s players", seat=first + 1, n=n
            )
        state = State(rules, players, order, Turn(order[0]), series=series)
        return cls(state, (), state)

    @property
    def rules(self) -> Ruleset:
        """The rules of the match."""
        return self.state.rules

    @property
    def last_throw(self) -> Throw | None:
        """The newest throw, in the current turn or a finished one; None before the first throw."""
        turns = (self.state.turn, *reversed(self.state.turns))
        return next((turn.last for turn in turns if turn.last), None)

    @property
    def last_places(self) -> tuple[Place, ...]:
        """The places of the dice when the camera last saw a throw.

        The dice of throws that were entered by hand since then are included.
        """
        places: list[Place] = []
        for event in reversed(self.timeline):
            if isinstance(event, Thrown):
                places.extend(event.places)
                if any(place.seen for place in event.places):
                    break
        return tuple(places)

    @property
    def can_undo(self) -> bool:
        """Whether there is a step to undo."""
        return self.before is not None

    @property
    def can_redo(self) -> bool:
        """Whether there is a step to redo."""
        return bool(self.after)

    def throw(self, dice: Iterable[int], places: tuple[Place, ...] = ()) -> "Match":
        """Return the match after the current player throws.

        Args:
            dice: The faces, in any order.
            places: The places of the dice, if a camera saw them.
        """
        return self.push(Thrown(tuple(dice), places))

    def keep(self, dice: Iterable[int], *, assumed: bool = False) -> "Match":
        """Return the match after dice from the last throw are set aside.

        Args:
            dice: The faces to keep.
            assumed: Whether the companion worked out the keep. If it is False, a person stated it.
        """
        return self.push(Kept(tuple(dice), assumed))

    def bank(self, dice: Iterable[int] | None = None) -> "Match":
        """Return the match after the turn is banked.

        Args:
            dice: The faces to keep from the last throw. None means the best keep.
        """
        return self.push(Banked(None if dice is None else tuple(dice)))

    def correct(self, dice: Iterable[int], index: int | None = None) -> "Match":
        """Return the match with the dice of a throw replaced.

        Args:
            dice: The faces that the throw really showed.
            index: Index of the throw in the timeline. None means the newest throw.

        Raises:
            LaterStepError: If the correction makes a later step impossible.
        """
        if index is None:
            if self.last_throw is None:
                raise IllegalMove("there is no throw to correct yet")
            index = self.last_throw.index
        return self.push(Corrected(index, tuple(dice)))

    def undo(self) -> "Match":
        """Return the match before its last step."""
        return self.push(Undone())

    def redo(self) -> "Match":
        """Return the match with the last undone step restored."""
        return self.push(Redone())

    def push(self, *actions: Action) -> "Match":
        """Return the match after these actions. Undo takes back consecutive events as one step.

        Raises:
            GameError: If an action is not possible now. None of the actions is applied.
        """
        match = self
        events: list[Event] = []
        for action in actions:
            if isinstance(action, Revision):
                match = _revise(_play(match, events), action)
                events.clear()
            else:
                events.append(action)
        return _play(match, events)


def _play(match: Match, events: Sequence[Event]) -> Match:
    if not events:
        return match
    if len(match.timeline) + len(events) > MAX_EVENTS:
        raise IllegalMove(
            "a match can have at most %(most)s events: start a new one", most=MAX_EVENTS
        )
    state = match.state
    for event in events:
        state = apply_event(state, event)
    timeline = (*match.timeline, *events)
    return replace(match, timeline=timeline, state=state, before=match, after=())


def _revise(match: Match, action: Revision) -> Match:
    match action:
        case Undone():
            if match.before is None:
                raise IllegalMove("there is nothing to undo")
            return replace(match.before, after=(*match.after, match))
        case Redone():
            if not match.after:
                raise IllegalMove("there is nothing to redo")
            return replace(match.after[-1], after=match.after[:-1])
        case Corrected():
            return _correct(match, action)
        case Spliced():
            return _splice(match, action)


def _correct(match: Match, action: Corrected) -> Match:
    old = throw_at(match, action.index)
    events = list(match.timeline)
    events[action.index] = Thrown(action.dice, forget_faces(old, action.dice))
    _rework_assumed_keep(events, action, match.rules)
    return _with_timeline(match, events, range(action.index, action.index + 1))


def throw_at(match: Match, index: int) -> Thrown:
    """Return the throw at an index of the timeline.

    Args:
        match: The match.
        index: The index.

    Raises:
        IllegalMove: If there is no throw at this index.
    """
    event = match.timeline[index] if 0 <= index < len(match.timeline) else None
    if not isinstance(event, Thrown):
        raise IllegalMove("event %(n)s is not a throw", n=index)
    return event


def _splice(match: Match, action: Spliced) -> Match:
    if not 0 <= action.start <= action.stop <= len(match.timeline):
        n = len(match.timeline)
        raise IllegalMove(
            "there are no events %(start)s to %(stop)s, only %(n)s in all",
            start=action.start,
            stop=action.stop,
            n=n,
        )
    events = (*match.timeline[: action.start], *action.events, *match.timeline[action.stop :])
    return _with_timeline(match, events, range(action.start, action.start + len(action.events)))


def _with_timeline(match: Match, events: Sequence[Event], changed: range) -> Match:
    """Replay a match with another timeline.

    Args:
        match: The match before the change.
        events: The new timeline.
        changed: Indices of the events that the change has added or replaced.

    Raises:
        GameError: If one of these events is not possible.
        LaterStepError: If another event is no longer possible. The event is described as it was
            before the change, with the player who made it.
    """
    state = match.start_state
    moved = len(events) - len(match.timeline)
    for i, event in enumerate(events):
        try:
            state = apply_event(state, event)
        except GameError as error:
            if i in changed:
                raise
            was, *_ = next(islice(replay(match), i - moved, None))
            raise LaterStepError(describe_event(was, event), error.message) from None
    return replace(match, timeline=tuple(events), state=state, before=match, after=())


def replay(match: Match) -> Iterator[tuple[State, Event, State]]:
    """Yield each event of a match, between the state before it and the state after it."""
    state = match.start_state
    for event in match.timeline:
        before, state = state, apply_event(state, event)
        yield before, event, state


def _rework_assumed_keep(events: list[Event], action: Corrected, rules: Ruleset) -> None:
    """Replace an assumed keep of the corrected throw with the best keep of the same number of dice.

    Args:
        events: The timeline after the correction, which is changed in place.
        action: The correction.
        rules: The rules.
    """
    found = keep_after(events, action.index)
    if found is None or not found[1].assumed:
        return
    i, kept = found
    keeps = keep_table(rules).get(tuple(sorted(action.dice)), ())
    if best := next((k for k in keeps if len(k.dice) == len(kept.dice)), None):
        events[i] = Kept(best.dice, assumed=True)


def head_starts(match: Match) -> dict[int, int]:
    """Return the points that players were given before the first turn, by seat. Players who have left are omitted.

    Points that reach the target are not head starts: somebody has entered the scores of another match by hand.
    """
    state = match.start_state
    for event in takewhile(lambda event: isinstance(event, ManualEvent), match.timeline):
        state = apply_event(state, event)
    if state.closer is not None or state.winner is not None:
        return {}
    points = {seat: player.score for seat, player in enumerate(state.players)}
    return {seat: points[seat] for seat in sorted(match.state.order) if points.get(seat)}


def describe_head_starts(match: Match) -> Iterator[Message]:
    """Yield a sentence for each player with a head start."""
    for seat, points in head_starts(match).items():
        name = match.state.players[seat].display_name
        yield Message("%(name)s starts with %(points)s.", name=name, points=points)


def new_names(before: Match, after: Match) -> dict[str, str]:
    """Return the players who were renamed between two states of a match, as old name -> new name.

    Args:
        before: The match in the earlier state.
        after: The match in the later state. If it is a different match, nobody counts as renamed.
    """
    if before.start_state is not after.start_state:
        return {}
    then, now = ([p.name for p in match.state.players] for match in (before, after))
    pairs = zip(then, now, strict=False)
    return {old: new for old, new in pairs if old != new and new not in then}


def describe_event(state: State, event: Event) -> Message:
    """Return a human-readable description of an event, such as "Anna's throw 1 2 5 in turn 3".

    Args:
        state: State of the match before the event.
        event: The event.
    """
    name, turn = state.player.display_name, len(state.turns) + 1
    match event:
        case Thrown():
            return Message(
                "%(name)s's throw %(dice)s in turn %(n)s", name=name, dice=event.dice, n=turn
            )
        case Kept():
            return Message(
                "%(name)s's keep %(dice)s in turn %(n)s", name=name, dice=event.dice, n=turn
            )
        case Banked():
            return Message("%(name)s's bank in turn %(n)s", name=name, n=turn)
        case Farkled():
            return Message("%(name)s's farkle in turn %(n)s", name=name, n=turn)
    return Message("the manual change to %(name)s's turn %(n)s", name=name, n=turn)


def keep_after(events: Sequence[Event], index: int) -> tuple[int, Kept] | None:
    """Return the keep that follows a throw, and its index; None if another decision or nothing follows.

    Args:
        events: A timeline.
        index: Index of the throw.
    """
    for i in range(index + 1, len(events)):
        match events[i]:
            case Kept() as kept:
                return i, kept
            case Banked() | Thrown():
                break
    return None


def forget_faces(old: Thrown, dice: Sequence[int]) -> tuple[Place, ...]:
    """Return where the dice of a throw lay, with the faces that a correction changed set to unknown.

    Args:
        old: The throw before the correction.
        dice: The corrected faces.
    """
    wrong = Counter(old.dice) - Counter(dice)
    return tuple(
        replace(place, face=UNKNOWN_FACE) if place.face in wrong else place for place in old.places
    )


@dataclass(frozen=True, slots=True)
class TimelineRow:
    """A finished turn or a change made by hand.

    Attributes:
        number: Number of the turn, from 1; 0 for a change made by hand.
        turn: The turn, or None for a change made by hand.
        event: The change made by hand, or None for a turn.
        names: Names of all players afterwards, by seat.
        scores: Scores of all players afterwards, by seat.
    """

    number: int
    turn: Turn | None
    event: Event | None
    names: tuple[str, ...]
    scores: tuple[int, ...]


def timeline_rows(match: Match) -> list[TimelineRow]:
    """Return all rows of a match in order. The current turn is not included."""
    entries: list[TimelineRow] = []
    for before, event, state in replay(match):
        for turn in state.turns[len(before.turns) :]:
            number = sum(1 for entry in entries if entry.turn) + 1
            entries.append(_entry(number, turn, None, state))
        if isinstance(event, ManualEvent):
            entries.append(_entry(0, None, event, state))
    return entries


def _entry(number: int, turn: Turn | None, event: Event | None, state: State) -> TimelineRow:
    names = tuple(player.name for player in state.players)
    return TimelineRow(number, turn, event, names, tuple(player.score for player in state.players))


def scores_by_turn(match: Match) -> list[tuple[int, ...]]:
    """Return the scores of all seats, at the start of a match and after each row of `timeline_rows`.

    A player who has not joined yet has 0.
    """
    n = len(match.state.players)
    start = tuple(player.score for player in match.start_state.players)
    rows = [start, *(entry.scores for entry in timeline_rows(match))]
    return [(*row, *[0] * (n - len(row))) for row in rows]
