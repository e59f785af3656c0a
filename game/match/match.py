"""A match: players, turns, banking, endings; every step can be undone and redone.

A `Match` is immutable. Each move gives a new one:

    >>> from game.rules import rule_files
    >>> match = Match.start(rule_files.load("walnut-studiolo"), ["Anna", "Ben"])
    >>> match = match.throw([1, 1, 3, 3, 3, 5]).bank()
    >>> match.state.players[0].score
    550
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Self

from game.errors import GameError, IllegalMove, LaterStepError
from game.match.events import (
    UNKNOWN_FACE,
    Action,
    Banked,
    Corrected,
    Event,
    Farkled,
    Kept,
    Place,
    Redone,
    Renamed,
    Revision,
    Spliced,
    Thrown,
    Undone,
)
from game.match.roster import check_sides, clean_team
from game.match.state import Player, State, Throw, Turn
from game.match.step import step
from game.message import Message
from game.names import clean_names
from game.rules.ruleset import Ruleset
from game.rules.scoring import keep_table


@dataclass(frozen=True, slots=True)
class Match:
    """The timeline of a match, where it stands, and the way back and forth.

    Attributes:
        start_state: before the first event.
        timeline: the events that count, in order.
        state: the fold of the timeline.
        before: the match one step ago, for undo.
        after: the steps taken back, last first, for redo.
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
    ) -> Self:
        """A new match; `first` is the seat that begins, `teams` the team of each seat.

        Raises:
            IllegalMove: fewer than two or more than twenty players, names that cannot be told
                apart, all in one team, or nobody sits on `first`.
        """
        n = len(names)
        teams = teams or [None] * n
        if len(teams) != n:
            raise IllegalMove(
                Message(
                    "there are %(n)s players, but %(teams)s teams: one for each player",
                    n=n,
                    teams=len(teams),
                )
            )
        pairs = zip(clean_names(names), map(clean_team, teams), strict=True)
        players = tuple(Player(name, team=team) for name, team in pairs)
        order = tuple((first + i) % n for i in range(n))
        check_sides(players, order)
        if first not in range(n):
            raise IllegalMove(
                Message(
                    "nobody sits on seat %(seat)s: there are %(n)s players", seat=first + 1, n=n
                )
            )
        state = State(rules, players, order, Turn(order[0]))
        return cls(state, (), state)

    @property
    def rules(self) -> Ruleset:
        return self.state.rules

    @property
    def last_throw(self) -> Throw | None:
        """The newest throw of the turn played or a finished one; a skipped turn has none."""
        turns = (self.state.turn, *reversed(self.state.turns))
        return next((turn.last for turn in turns if turn.last), None)

    @property
    def last_places(self) -> tuple[Place, ...]:
        """Where the dice lay when throws were last accepted, whatever became of their turn.

        Those of the newest that a camera saw, and after them what was tapped in since.
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
        return self.before is not None

    @property
    def can_redo(self) -> bool:
        return bool(self.after)

    def renamed(self, earlier: "Match") -> dict[str, str]:
        """Who is called something else than in this match `earlier`, by the name of then."""
        if earlier.start_state is not self.start_state:
            return {}  # of another match
        then, now = ([p.name for p in match.state.players] for match in (earlier, self))
        pairs = zip(then, now, strict=False)
        return {old: new for old, new in pairs if old != new and new not in then}

    def throw(self, dice: Iterable[int], places: tuple[Place, ...] = ()) -> "Match":
        return self.push(Thrown(tuple(dice), places))

    def keep(self, dice: Iterable[int], *, assumed: bool = False) -> "Match":
        return self.push(Kept(tuple(dice), assumed))

    def bank(self, dice: Iterable[int] | None = None) -> "Match":
        return self.push(Banked(None if dice is None else tuple(dice)))

    def rename(self, seat: int, name: str) -> "Match":
        return self.push(Renamed(seat, name))

    def correct(self, dice: Iterable[int], index: int | None = None) -> "Match":
        """The throw at `index` of the timeline (the newest without) showed other dice."""
        if index is None:
            if self.last_throw is None:
                raise IllegalMove(Message("there is no throw to correct yet"))
            index = self.last_throw.index
        return self.push(Corrected(index, tuple(dice)))

    def undo(self) -> "Match":
        return self.push(Undone())

    def redo(self) -> "Match":
        return self.push(Redone())

    def push(self, *actions: Action) -> "Match":
        """The match after these actions; events together are one step for undo.

        Raises:
            GameError: an action is not possible now; the message says why. Nothing changed.
        """
        match = self
        events: list[Event] = []
        for action in actions:
            if isinstance(action, Revision):
                match = match.play(*events).revise(action)
                events.clear()
            else:
                events.append(action)
        return match.play(*events)

    def play(self, *events: Event) -> "Match":
        """The match after these events, which are one step."""
        if not events:
            return self
        state = self.state
        for event in events:
            state = step(state, event)
        timeline = (*self.timeline, *events)
        return replace(self, timeline=timeline, state=state, before=self, after=())

    def revise(self, action: Revision) -> "Match":
        """The match with its timeline changed."""
        match action:
            case Undone():
                if self.before is None:
                    raise IllegalMove(Message("there is nothing to take back"))
                return replace(self.before, after=(*self.after, self))
            case Redone():
                if not self.after:
                    raise IllegalMove(Message("there is nothing to redo"))
                return replace(self.after[-1], after=self.after[:-1])
            case Corrected():
                return self._corrected(action)
            case Spliced():
                return self._spliced(action)

    def _corrected(self, action: Corrected) -> "Match":
        old = self.timeline[action.index] if 0 <= action.index < len(self.timeline) else None
        if not isinstance(old, Thrown):
            raise IllegalMove(Message("event %(n)s is no throw", n=action.index))
        events = list(self.timeline)
        events[action.index] = Thrown(action.dice, forget_faces(old, action.dice))
        _rework_assumed_keep(events, action, self.rules)
        return self._with_past(events, range(action.index, action.index + 1))

    def _spliced(self, action: Spliced) -> "Match":
        if not 0 <= action.start <= action.stop <= len(self.timeline):
            n = len(self.timeline)
            raise IllegalMove(
                Message(
                    "there are no events %(start)s to %(stop)s: %(n)s so far",
                    start=action.start,
                    stop=action.stop,
                    n=n,
                )
            )
        events = (*self.timeline[: action.start], *action.events, *self.timeline[action.stop :])
        return self._with_past(events, range(action.start, action.start + len(action.events)))

    def _with_past(self, events: Sequence[Event], changed: range) -> "Match":
        """The match with other events; where one after those `changed` fails, it is named."""
        state = self.start_state
        for i, event in enumerate(events):
            try:
                state = step(state, event)
            except GameError as error:
                if i in changed:
                    raise
                raise LaterStepError(describe_event(state, event), error.message) from None
        return replace(self, timeline=tuple(events), state=state, before=self, after=())


def describe_event(state: State, event: Event) -> Message:
    """What people would call this event: "Anna's throw 1 2 5 in turn 3"."""
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
    return Message("what was set by hand in %(name)s's turn %(n)s", name=name, n=turn)


def _rework_assumed_keep(events: list[Event], action: Corrected, rules: Ruleset) -> None:
    """Where the keep was only assumed, the best one of as many dice takes its place."""
    i = next_decision(events, action.index)
    kept = events[i] if i is not None else None
    if i is None or not isinstance(kept, Kept) or not kept.assumed:
        return
    keeps = keep_table(rules).get(tuple(sorted(action.dice)), ())
    if best := next((k for k in keeps if len(k.dice) == len(kept.dice)), None):
        events[i] = Kept(best.dice, assumed=True)


def next_decision(events: Sequence[Event], index: int) -> int | None:
    """The index of what was decided about the throw at `index`: its keep or its bank."""
    for i in range(index + 1, len(events)):
        if isinstance(events[i], Kept | Banked):
            return i
        if isinstance(events[i], Thrown):
            break
    return None


def forget_faces(old: Thrown, dice: Sequence[int]) -> tuple[Place, ...]:
    """The places with the faces forgotten that turned out wrong."""
    wrong = Counter(old.dice) - Counter(dice)
    return tuple(
        replace(place, face=UNKNOWN_FACE) if place.face in wrong else place for place in old.places
    )
