"""The ways a table would mend a match when a corrected throw does not fit what came later."""

from collections.abc import Iterator
from dataclasses import dataclass

from game import scoring
from game.errors import GameError, IllegalMove
from game.events import (
    Banked,
    Corrected,
    Event,
    Joined,
    Kept,
    Left,
    Renamed,
    Reordered,
    ScoreSet,
    Spliced,
    Thrown,
)
from game.match import Match
from game.state import Turn


@dataclass(frozen=True, slots=True)
class Repair:
    """One way to mend it: what would then be true, in words, and the action that makes it so."""

    label: str
    action: Spliced


def repairs(match: Match, correction: Corrected) -> tuple[Repair, ...]:
    """What can be offered where this correction alone is refused; empty where nothing fits."""
    old = match.timeline[correction.index] if correction.index < len(match.timeline) else None
    if not isinstance(old, Thrown):
        raise IllegalMove(f"event {correction.index} is no throw")
    thrown = Thrown(scoring.dice(correction.dice, match.rules), old.places)
    ways = _Ways(match, correction.index, thrown)
    return tuple(repair for repair in ways.all() if _holds(match, repair))


def _holds(match: Match, repair: Repair) -> bool:
    try:
        match.push(repair.action)
    except GameError:
        return False
    return True


@dataclass(frozen=True, slots=True)
class _Ways:
    match: Match
    index: int
    thrown: Thrown

    def all(self) -> Iterator[Repair]:
        if scoring.table(self.match.rules)[self.thrown.dice]:
            yield from self._other_keep()
            yield self._end_turn(f"{self._name} banked there; later turns stand", Banked())
        else:
            yield self._end_turn(f"{self._name} farkled there; later turns stand")
        yield self._drop_the_rest()

    @property
    def _turn(self) -> Turn:
        turns = (*self.match.state.turns, self.match.state.turn)
        return next(turn for turn in reversed(turns) if turn.start <= self.index)

    @property
    def _name(self) -> str:
        return self.match.state.players[self._turn.seat].name

    def _other_keep(self) -> Iterator[Repair]:
        """The same number of dice kept, of those that now lie there."""
        i = self.index + 1
        kept = self.match.timeline[i] if i < len(self.match.timeline) else None
        if not isinstance(kept, Kept):
            return
        keeps = scoring.table(self.match.rules)[self.thrown.dice]
        if best := next((k for k in keeps if len(k.dice) == len(kept.dice)), None):
            events = (self.thrown, Kept(best.dice, assumed=True))
            shown = " ".join(map(str, best.dice))
            label = f"{self._name} kept {shown} = {best.score:,} instead"
            yield Repair(label, Spliced(self.index, i + 1, events))

    def _end_turn(self, label: str, *ending: Event) -> Repair:
        """The turn ends at this throw; what others did stands."""
        turns = (*self.match.state.turns, self.match.state.turn)
        later = [turn.start for turn in turns if turn.start > self.index]
        stop = later[0] if later else len(self.match.timeline)
        roster = (Joined, Left, Renamed, Reordered, ScoreSet)
        between = self.match.timeline[self.index + 1 : stop]
        others = tuple(event for event in between if isinstance(event, roster))
        return Repair(label, Spliced(self.index, stop, (self.thrown, *ending, *others)))

    def _drop_the_rest(self) -> Repair:
        """The turn goes on from this throw; what came later is dropped."""
        later = self.match.timeline[self.index + 1 :]
        n = sum(isinstance(event, Thrown) for event in later)
        dropped = "one later throw is" if n == 1 else f"{n} later throws are"
        label = f"{self._name}'s turn goes on from there; {dropped} dropped"
        return Repair(label, Spliced(self.index, len(self.match.timeline), (self.thrown,)))
