"""Ways to repair a match when a corrected throw does not fit the steps after it."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from game.errors import GameError, LaterStepError
from game.match.events import (
    Banked,
    Corrected,
    Event,
    Farkled,
    Kept,
    Left,
    ManualEvent,
    PlayEvent,
    ScoreSet,
    Spliced,
    Thrown,
    TurnSet,
)
from game.match.match import Match, describe_event, forget_faces, keep_after, replay, throw_at
from game.match.state import Turn, TurnEnding, keeps_after
from game.message import Message, Plural, Value
from game.rules import scoring


@dataclass(frozen=True, slots=True)
class Repair:
    """A way to repair a match.

    Attributes:
        label: A sentence that would be true after the repair, as text for people.
        action: The change that makes this sentence true.
    """

    label: Message
    action: Spliced


def _ended(name: Value, how: TurnEnding) -> Message:
    match how:
        case TurnEnding.BANK:
            return Message("%(name)s banked there; later turns stay as they are", name=name)
        case TurnEnding.FARKLE:
            return Message("%(name)s farkled there; later turns stay as they are", name=name)
        case TurnEnding.RESET:
            return Message(
                "%(name)s lost their whole score there; later turns stay as they are", name=name
            )
        case TurnEnding.WIN:
            return Message("%(name)s won there; later turns stay as they are", name=name)
        case TurnEnding.SKIP:
            return Message("%(name)s was skipped there; later turns stay as they are", name=name)


def check_same_players(before: Match, after: Match, since: int) -> None:
    """Check that every throw and decision after a change is still made by the same player.

    Args:
        before: The match before the change.
        after: The match after the change.
        since: Index of the first event to check, in the timeline before the change.

    Raises:
        LaterStepError: If a step would belong to another player.
    """
    then, now = ([state for state, *_ in replay(match)] for match in (before, after))
    moved = len(now) - len(then)
    for i in range(since, len(then)):
        event, was, would_be = before.timeline[i], then[i], now[i + moved]
        if isinstance(event, PlayEvent) and would_be.turn.seat != was.turn.seat:
            other = would_be.player.display_name
            why = Message("it would be %(name)s's turn", name=other)
            raise LaterStepError(describe_event(was, event), why)


def repairs(match: Match, correction: Corrected) -> tuple[Repair, ...]:
    """Return the possible repairs for a correction that was refused. There may be none.

    Args:
        match: The match before the correction.
        correction: The refused correction.
    """
    old = throw_at(match, correction.index)
    dice = scoring.checked_dice(correction.dice, match.rules)
    thrown = Thrown(dice, forget_faces(old, dice))
    ways = _RepairFinder(match, correction.index, thrown)
    return tuple(repair for repair in ways.all() if _is_possible(match, repair))


def _is_possible(match: Match, repair: Repair) -> bool:
    try:
        check_same_players(match, match.push(repair.action), repair.action.stop)
    except GameError:
        return False
    return True


@dataclass(frozen=True, slots=True)
class _RepairFinder:
    match: Match
    index: int
    thrown: Thrown

    def all(self) -> Iterator[Repair]:
        yield from self._other_keep()
        yield from self._end_turn()
        yield from self._drop_later_turns()
        yield self._drop_the_rest()

    @property
    def _turn(self) -> Turn:
        turns = (*self.match.state.turns, self.match.state.turn)
        return next(turn for turn in reversed(turns) if turn.start <= self.index)

    @property
    def _name(self) -> Value:
        return self.match.state.players[self._turn.seat].display_name

    def _other_keep(self) -> Iterator[Repair]:
        """Yield the repair, if any, in which the player kept as many dice from the corrected throw as were recorded."""
        found = keep_after(self.match.timeline, self.index)
        if found is None:
            return
        i, kept = found
        throws = tuple(throw for throw in self._turn.throws if throw.index < self.index)
        before = replace(self._turn, throws=throws)
        keeps = keeps_after(before, self.thrown.dice, self.match.rules)
        if best := next((k for k in keeps if len(k.dice) == len(kept.dice)), None):
            between = self.match.timeline[self.index + 1 : i]
            events = (self.thrown, *between, Kept(best.dice, assumed=True))
            label = Message(
                "%(name)s kept %(dice)s = %(score)s instead",
                name=self._name,
                dice=best.dice,
                score=best.score,
            )
            yield Repair(label, Spliced(self.index, i + 1, events))

    def _end_turn(self) -> Iterator[Repair]:
        """Yield the repair in which the corrected throw ends the turn.

        Later turns stay as they are.
        """
        for ending in ((), (Banked(),), (Farkled(),)):
            how = self._ends(ending)
            if how:
                events = self._ended_by(ending)
                yield Repair(_ended(self._name, how), Spliced(self.index, self._next_turn, events))
                return

    def _ends(self, ending: tuple[Event, ...]) -> TurnEnding | None:
        """Return how the turn ends if these events follow the throw, or None if it does not end."""
        rest = Spliced(self.index, len(self.match.timeline), self._ended_by(ending))
        try:
            turns = self.match.push(rest).state.turns
        except GameError:
            return None
        played = (t for t in turns if t.start == self._turn.start and not t.broken_off)
        return next((turn.ending for turn in played), None)

    def _ended_by(self, ending: tuple[Event, ...]) -> tuple[Event, ...]:
        """Return the throw and the end of its turn, along with the turn's other events, such as a join."""
        beside = self._other_events(self.index + 1, self._next_turn)
        gone = tuple(event for event in beside if event == Left(self._turn.seat))
        scores = tuple(event for event in beside if isinstance(event, ScoreSet))
        seats = tuple(event for event in beside if event not in (*gone, *scores))
        return (*seats, self.thrown, *scores, *ending, *gone)

    @property
    def _next_turn(self) -> int:
        """Index in the match's timeline at which the next turn begins."""
        turns = (*self.match.state.turns, self.match.state.turn)
        later = [turn.start for turn in turns if turn.start > self.index]
        return min(later, default=len(self.match.timeline))

    def _other_events(self, start: int, stop: int) -> tuple[Event, ...]:
        """Return the events between two indices that stay because they are not throws or decisions."""
        manual = (e for e in self.match.timeline[start:stop] if isinstance(e, ManualEvent))
        return tuple(event for event in manual if not isinstance(event, TurnSet))

    def _drop_later_turns(self) -> Iterator[Repair]:
        """Yield the repair that keeps the rest of the turn, up to its bank, and drops the turns after it."""
        stop, end = self._next_turn, len(self.match.timeline)
        rest = Spliced(stop, end, self._other_events(stop, end))
        try:
            after = self.match.push(rest, Corrected(self.index, self.thrown.dice))
        except GameError:
            return
        turns = [turn for turn in after.state.turns if turn.start == self._turn.start]
        if turns and turns[0].ending is TurnEnding.BANK:
            label = Message(
                "%(name)s still banked; %(dropped)s",
                name=self._name,
                dropped=self._dropped(stop),
            )
            yield Repair(label, Spliced(self.index, end, after.timeline[self.index :]))

    def _dropped(self, since: int) -> Message:
        n = sum(isinstance(event, Thrown) for event in self.match.timeline[since:])
        if not n:
            return Message("no later throw is deleted")
        return Plural("one later throw is deleted", "%(n)s later throws are deleted", n=n)

    def _drop_the_rest(self) -> Repair:
        """Return the repair that continues from the corrected throw and drops all later throws."""
        end = len(self.match.timeline)
        dropped = self._dropped(self.index + 1)
        if self._ends(()):
            label = Message(
                "%(name)s's turn ended there; %(dropped)s", name=self._name, dropped=dropped
            )
            events = (*self._ended_by(()), *self._other_events(self._next_turn, end))
        else:
            label = Message(
                "%(name)s's turn continues from there; %(dropped)s",
                name=self._name,
                dropped=dropped,
            )
            events = (self.thrown, *self._other_events(self.index + 1, end))
        return Repair(label, Spliced(self.index, end, events))
