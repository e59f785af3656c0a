"""A match: players, turns, banking, endings; every step can be undone and redone.

A `Match` is immutable. Each move gives a new one:

    >>> match = Match.start(load("walnut-studiolo"), ["Anna", "Ben"])
    >>> match = match.throw([1, 1, 3, 3, 3, 5]).bank()
    >>> match.state.players[0].score
    550
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Self

from game.errors import GameError, IllegalMove
from game.events import (
    UNKNOWN_FACE,
    Action,
    Banked,
    Corrected,
    Event,
    Kept,
    Place,
    Redone,
    Renamed,
    Thrown,
    Undone,
)
from game.ruleset import Ruleset
from game.scoring import table
from game.state import Player, State, Throw, Turn, clean_name, step

MIN_PLAYERS, MAX_PLAYERS = 2, 20


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
    def start(cls, rules: Ruleset, names: Sequence[str], *, first: int = 0) -> Self:
        """A new match; `first` is the seat that begins.

        Raises:
            IllegalMove: fewer than two or more than twenty players, or names that cannot be told
                apart.
        """
        if not MIN_PLAYERS <= len(names) <= MAX_PLAYERS:
            raise IllegalMove(
                f"a match has {MIN_PLAYERS} to {MAX_PLAYERS} players, not {len(names)}"
            )
        clean = [clean_name(name) for name in names]
        if twice := next((name for name in clean if clean.count(name) > 1), None):
            raise IllegalMove(f"two players are called {twice}: give one another name")
        state = State(rules, tuple(map(Player, clean)), Turn(first))
        return cls(state, (), state)

    @property
    def rules(self) -> Ruleset:
        return self.state.rules

    @property
    def last_throw(self) -> Throw | None:
        """The newest throw of the match, of this turn or the one before."""
        turns = (self.state.turn, *self.state.turns[:-2:-1])
        return next((turn.last for turn in turns if turn.last), None)

    @property
    def can_undo(self) -> bool:
        return self.before is not None

    @property
    def can_redo(self) -> bool:
        return bool(self.after)

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
                raise IllegalMove("there is no throw to correct yet")
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
        joined = False
        for action in actions:
            if isinstance(action, Undone | Redone | Corrected):
                match, joined = match._turned(action), False
            else:
                match, joined = match._stepped(action, joined=joined), True  # noqa: SLF001
        return match

    def _stepped(self, event: Event, *, joined: bool) -> "Match":
        before = self.before if joined else self
        timeline, state = (*self.timeline, event), step(self.state, event)
        return replace(self, timeline=timeline, state=state, before=before, after=())

    def _turned(self, action: Undone | Redone | Corrected) -> "Match":
        match action:
            case Undone():
                if self.before is None:
                    raise IllegalMove("there is nothing to take back")
                return replace(self.before, after=(*self.after, self))
            case Redone():
                if not self.after:
                    raise IllegalMove("there is nothing to do again")
                return replace(self.after[-1], after=self.after[:-1])
            case Corrected():
                timeline, state = self._corrected(action)
                return replace(self, timeline=timeline, state=state, before=self, after=())

    def _corrected(self, action: Corrected) -> tuple[tuple[Event, ...], State]:
        """The timeline with the throw replaced, and its fold."""
        old = self.timeline[action.index] if 0 <= action.index < len(self.timeline) else None
        if not isinstance(old, Thrown):
            raise IllegalMove(f"event {action.index} is no throw")
        events = list(self.timeline)
        events[action.index] = Thrown(action.dice, _forget_faces(old, action.dice))
        self._rework_assumed_keep(events, action)
        return tuple(events), _fold(self.start_state, events, action.index)

    def _rework_assumed_keep(self, events: list[Event], action: Corrected) -> None:
        """Where the keep was only assumed, the best one of as many dice takes its place."""
        i = action.index + 1
        if i == len(events) or not isinstance(kept := events[i], Kept) or not kept.assumed:
            return
        keeps = table(self.rules)[tuple(sorted(action.dice))]
        if best := next((k for k in keeps if len(k.dice) == len(kept.dice)), None):
            events[i] = Kept(best.dice, assumed=True)


def _forget_faces(old: Thrown, dice: Sequence[int]) -> tuple[Place, ...]:
    """The places with the faces forgotten that turned out wrong."""
    wrong = Counter(old.dice) - Counter(dice)
    return tuple(
        replace(place, face=UNKNOWN_FACE) if place.face in wrong else place for place in old.places
    )


def _fold(state: State, events: Iterable[Event], corrected: int) -> State:
    for i, event in enumerate(events):
        try:
            state = step(state, event)
        except GameError as error:
            if i == corrected:
                raise
            raise IllegalMove(f"then a later step would not hold: {error}") from None
    return state
