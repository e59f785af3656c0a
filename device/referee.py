"""What a reading means for the match: the place where dice and rules meet.

Pure: a match and what was seen go in, a `Verdict` comes out, nothing is changed. The order of
evidence is the one of docs/play.md: what lies where it lay was not thrown; what was kept is
known from a tap, from the dice set aside, from the dice that stayed, from the number thrown.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import hypot

from device import words
from device.verdict import Accept, Ask, Attention, EmptyTray, NotThrown, Option, Verdict
from game.events import UNKNOWN_FACE, Banked, Event, Kept, Place, Thrown, TookOver, Undone
from game.match import Match
from game.scoring import Dice, Effect, Keep, throw_events
from game.state import State
from game.step import step
from vision.reading import Die, Reading, Zone

SAME_PLACE, SAME_TURN_DEG = 0.12, 12.0
"""Of a die's edge, and degrees. Two readings of one rest differ by hundredths of an edge and a
degree (five for a single pip); a die thrown onto its old place, face and turn by chance is one
throw in thousands."""


@dataclass(frozen=True, slots=True)
class Sight:
    """A reading and what the watch over the tray can say about how it came to be.

    `tumbled` is True where dice were seen rolling without a hand since the last accepted
    reading, False where the tray was watched all the time and they were not, None where nobody
    watched (a start, a camera that was away).
    """

    reading: Reading
    tumbled: bool | None = None


@dataclass(frozen=True, slots=True)
class _Lay:
    """The dice in view, sorted by what became of them since the last accepted reading."""

    thrown: tuple[Place, ...]
    stayed: tuple[Place, ...] = ()
    aside: tuple[Place, ...] = ()

    @property
    def faces(self) -> Dice:
        return _faces(self.thrown)

    @property
    def kept(self) -> tuple[Place, ...]:
        """Of all the turn's keeps, those that are in view."""
        return (*self.stayed, *self.aside)

    @property
    def event(self) -> Thrown:
        """The throw, with the places of all dice in view for the next press to compare."""
        kept = (replace(place, aside=True) for place in self.kept)
        return Thrown(self.faces, (*self.thrown, *kept))


def judge(match: Match, sight: Sight) -> Verdict:
    """What this sight means, with the match as it stands."""
    if not sight.reading.sure:
        return Attention(words.advice(sight.reading))
    if not sight.reading.in_tray:
        return EmptyTray()
    before = match.last_throw.places if match.last_throw else ()
    lay = _compare(sight.reading, before, match.rules.n_dice)
    if not lay.thrown:
        return NotThrown("Not thrown yet: the dice lie where they lay.")
    if sight.tumbled and match.state.turn.last is None and not match.state.left_over:
        lay = _all_thrown(lay)
    verdict = _announce_reset(match.state, _judge_throw(match.state, lay))
    if sight.tumbled is not True and _could_have_slid(lay, before):
        return _slid_or_thrown(verdict, lay, watched=sight.tumbled is not None)
    return verdict


def judge_tapped(match: Match, dice: Dice) -> Verdict:
    """What dice mean that a person tapped in, where no camera read them."""
    return _judge_throw(match.state, _Lay(tuple(Place(face, 0, 0, 0) for face in dice)))


def costs(match: Match, verdict: Verdict) -> bool:
    """Whether accepting this ends the turn or takes points: worth a second look."""
    if not isinstance(verdict, Accept):
        return False
    after = match.push(*verdict.events)
    last = after.last_throw
    return len(after.state.turns) > len(match.state.turns) or bool(last and last.penalty)


def places(reading: Reading) -> tuple[Place, ...]:
    """Where the dice in the tray lie, for the next press to compare."""
    return tuple(map(_place, reading.in_tray))


def only_die(sight: Sight, before: tuple[Place, ...]) -> int | Verdict:
    """The face of the one die of a roll-off, or why it cannot be told."""
    if not sight.reading.sure:
        return Attention(words.advice(sight.reading))
    if not sight.reading.in_tray:
        return EmptyTray()
    lay = _compare(sight.reading, before, n_dice=1)
    if not lay.thrown or (sight.tumbled is False and _could_have_slid(lay, before)):
        return NotThrown("Not thrown yet: it is the last player's die.")
    if len(lay.thrown) > 1:
        seen = words.count(len(lay.thrown))
        return Attention((f"One die decides who starts: take the others out ({seen} lie there).",))
    return lay.faces[0]


def _compare(reading: Reading, before: tuple[Place, ...], n_dice: int) -> _Lay:
    thrown, stayed = [], []
    left = list(before)
    for die in map(_place, reading.in_tray):
        match = next((place for place in left if _lies_at(die, place)), None)
        if match is None:
            thrown.append(die)
        else:
            left.remove(match)
            stayed.append(die)
    aside = [die for die in reading.dice if die.zone is Zone.ASIDE]
    sure = tuple(_place(die) for die in aside if die.problem is None)
    n_kept = len(sure) + len(stayed)
    if len(sure) < len(aside) and n_kept + len(thrown) != n_dice:
        sure = ()  # some cannot be read and the others do not add up: they say nothing
    return _Lay(tuple(thrown), tuple(stayed), sure)


def _lies_at(die: Place, before: Place) -> bool:
    near = hypot(die.x - before.x, die.y - before.y) < SAME_PLACE * before.size
    turned = abs((die.angle - before.angle + 45) % 90 - 45)
    return near and turned < SAME_TURN_DEG and before.face in (die.face, UNKNOWN_FACE)


def _could_have_slid(lay: _Lay, before: tuple[Place, ...]) -> bool:
    """Whether the moved dice show only faces that lay there before and did not stay."""
    faces = Counter(place.face for place in before) - Counter(_faces(lay.stayed))
    return Counter(lay.faces) <= faces


def _slid_or_thrown(verdict: Verdict, lay: _Lay, *, watched: bool) -> Verdict:
    """The dice show no new face: watched and not seen tumbling they slid, else it is asked."""
    if not isinstance(verdict, Accept):
        return NotThrown("Not thrown yet: the dice only moved.") if watched else verdict
    label = f"They were thrown: {words.faces(lay.faces)}"
    option = Option(label, verdict.events)
    if watched:
        return NotThrown("Not thrown yet: the dice were only moved.", option)
    return Ask(f"{words.faces(lay.faces)} lay there before, elsewhere. Thrown or moved?", (option,))


def _all_thrown(lay: _Lay) -> _Lay:
    """A turn begins with all dice: one that seems to have stayed fell where it lay."""
    return _Lay((*lay.thrown, *lay.stayed), (), lay.aside)


def _announce_reset(state: State, verdict: Verdict) -> Verdict:
    """A score is never set back silently: it is asked first."""
    if not isinstance(verdict, Accept):
        return verdict
    dice = next(event.dice for event in verdict.events if isinstance(event, Thrown))
    effects = [event.effect for event in throw_events(dice, state.rules)]
    if Effect.RESET_SCORE not in effects or Effect.WIN in effects:
        return verdict
    name, score = state.player.name, state.player.score
    yes = Option(f"{words.faces(dice)}: {name}'s {score:,} go back to zero", verdict.events)
    return Ask(f"{words.faces(dice)}: four 2s. Does {name}'s score go back to zero?", (yes,))


def _judge_throw(state: State, lay: _Lay) -> Verdict:
    if state.turn.last is None:
        return _take_over(state, lay) if state.left_over else _first_throw(state, lay)
    if state.once_more:
        return _last_die_again(state, lay)
    if len(lay.thrown) == state.rules.n_dice:
        return _all_dice_in_mid_turn(state, lay)
    return _throw_on(state, lay)


def _take_over(state: State, lay: _Lay) -> Verdict:
    """All dice are a fresh start, exactly the dice left over a take-over, else it is asked."""
    assert state.left_over is not None  # noqa: S101 - asked by the caller
    left, n, thrown = state.left_over, state.rules.n_dice, len(lay.thrown)
    label = f"{state.player.name} takes over {left.points:,} and threw {words.faces(lay.faces)}"
    take_over = Option(label, (TookOver(), lay.event))
    fresh = Option(f"{state.player.name} begins afresh with {words.faces(lay.faces)}", (lay.event,))
    if thrown == n == left.dice:
        return Ask(f"A fresh start, or {left.points:,} taken over?", (fresh, take_over))
    if thrown == n:
        return Accept((lay.event,))
    if thrown == left.dice:
        note = f"{state.player.name} takes over {left.points:,}."
        return Accept((TookOver(), lay.event), note)
    why = f"all dice are a fresh start, {words.count(left.dice)} a take-over"
    return Attention((f"Saw {words.count(thrown)}: {why}.",))


def _last_die_again(state: State, lay: _Lay) -> Verdict:
    if len(lay.thrown) == 1:
        return Accept((lay.event,))
    return Attention((_expected(1, len(lay.thrown), f"{state.player.name}'s last die again"),))


def _first_throw(state: State, lay: _Lay) -> Verdict:
    n, name = state.dice_in_hand, state.player.name
    if len(lay.thrown) == n:
        return Accept((lay.event,))
    if len(lay.thrown) + len(lay.stayed) == n:
        all_dice = _all_thrown(lay)
        what = "One die lies" if len(lay.stayed) == 1 else "Some dice lie"
        yes = Option(f"All {n} were thrown: {words.faces(all_dice.faces)}", (all_dice.event,))
        return Ask(f"{what} exactly as before. Were all {n} thrown?", (yes,))
    return Attention((_expected(n, len(lay.thrown), f"{name} begins with all dice"),))


def _all_dice_in_mid_turn(state: State, lay: _Lay) -> Verdict:
    """All dice at once: hot dice, or the next player after a bank that nobody marked."""
    hot = _tapped(state) or next((keep for keep in state.keeps if keep.hot), None)
    bank = _forgotten_bank(state, lay)
    if hot is None or not hot.hot:
        return _was_it_banked(state, bank)
    note = f"Hot dice! {_kept(state, hot)} and goes on with all {state.rules.n_dice}."
    repairs = (replace(bank, actions=(Undone(), *bank.actions)),) if bank else ()
    return Accept(_keep_then_throw(state, hot, lay), note, repairs)


def _forgotten_bank(state: State, lay: _Lay) -> Option | None:
    if state.bank_refusal():
        return None
    points = _bank_points(state)
    banked = f"{state.player.name} banked {points:,}"
    after = step(state, Banked())
    if after.winner is not None:
        return Option(f"{banked}: the match is over", (Banked(),))
    return Option(f"{banked}, {after.player.name} threw this", (Banked(), lay.event))


def _bank_points(state: State) -> int:
    keep = state.bank_keep
    return state.locked_points + (keep.score if keep else 0)


def _was_it_banked(state: State, bank: Option | None) -> Verdict:
    name = state.player.name
    if bank is None:
        n = len(state.turn.throws[-1].dice) - 1
        why = state.bank_refusal()
        return Attention((f"{name} cannot bank yet ({why}): throw at most {words.count(n)}.",))
    points = _bank_points(state)
    return Ask(f"Did {name} bank {points:,}?", (bank,))


def _throw_on(state: State, lay: _Lay) -> Verdict:
    """Fewer than all dice: some of the last throw were kept. Which?"""
    last = state.turn.throws[-1]
    n_kept = len(last.dice) - len(lay.thrown)
    by_number = next((keep for keep in state.keeps if len(keep.dice) == n_kept), None)
    if by_number is None:
        return Attention((_expected_after_keep(state, len(lay.thrown)),))
    if tapped := _tapped(state):
        return _check_tapped(state, tapped, by_number, lay)
    if lay.kept:
        return _kept_by_place(state, by_number, lay)
    return _accept(state, by_number, lay)


def _tapped(state: State) -> Keep | None:
    """The keep of the last throw that a person chose."""
    last = state.turn.throws[-1]
    return None if last.assumed else last.keep


def _check_tapped(state: State, tapped: Keep, by_number: Keep, lay: _Lay) -> Verdict:
    if len(tapped.dice) == len(by_number.dice):
        return _accept(state, tapped, lay)
    expected = tapped.dice_left or state.rules.n_dice
    question = (
        f"{words.faces(tapped.dice)} was tapped, so {words.count(expected)} should be thrown; "
        f"{words.count(len(lay.thrown))} lie there. Was {words.faces(by_number.dice)} kept?"
    )
    return Ask(question, (_option(state, by_number, lay),))


def _kept_by_place(state: State, by_number: Keep, lay: _Lay) -> Verdict:
    """Dice set aside or left lying must add up; their faces are only a check."""
    n = state.rules.n_dice
    if len(lay.kept) + len(lay.thrown) != n:
        what = f"{words.count(len(lay.kept)).capitalize()} aside and {len(lay.thrown)} thrown"
        question = f"{what} do not make {n}. Was {words.faces(by_number.dice)} kept?"
        return Ask(question, (_option(state, by_number, lay),))
    faces = _minus(_faces(lay.kept), _kept_before(state))
    seen = next((keep for keep in state.keeps if keep.dice == faces), None)
    if seen is None:
        shown = words.faces(_faces(lay.kept))
        question = (
            f"Aside lie {shown}: no keep of this throw. Was {words.faces(by_number.dice)} kept?"
        )
        return Ask(question, (_option(state, by_number, lay),))
    return _accept(state, seen, lay)


def _accept(state: State, keep: Keep, lay: _Lay) -> Accept:
    return Accept(_keep_then_throw(state, keep, lay), f"{_kept(state, keep)}.")


def _option(state: State, keep: Keep, lay: _Lay) -> Option:
    return Option(
        f"{_kept(state, keep)}, threw {words.faces(lay.faces)}", _keep_then_throw(state, keep, lay)
    )


def _keep_then_throw(state: State, keep: Keep, lay: _Lay) -> tuple[Event, ...]:
    if state.turn.throws[-1].keep == keep:
        return (lay.event,)
    return (Kept(keep.dice, assumed=True), lay.event)


def _kept(state: State, keep: Keep) -> str:
    return f"{state.player.name} kept {words.faces(keep.dice)} = {keep.score:,}"


def _expected(n: int, seen: int, why: str) -> str:
    remedy = "is one hidden, or on the floor?" if seen < n else "take the others out."
    return f"Expected {words.count(n)}, saw {seen}: {why}; {remedy}"


def _expected_after_keep(state: State, seen: int) -> str:
    left = sorted({keep.dice_left or state.rules.n_dice for keep in state.keeps})
    numbers = " or ".join(words.COUNT_WORDS[n] for n in left)
    thrown = words.faces(state.turn.throws[-1].dice)
    return f"Expected {numbers} dice after {thrown}, saw {seen}: is one hidden, or on the floor?"


def _kept_before(state: State) -> Dice:
    """The dice kept before the last throw that are still out of the hand (since hot dice)."""
    out: list[int] = []
    for throw in reversed(state.turn.throws[:-1]):
        if throw.keep is None or throw.keep.hot:
            break
        out.extend(throw.keep.dice)
    return tuple(out)


def _minus(whole: Sequence[int], part: Iterable[int]) -> Dice:
    return tuple(sorted((Counter(whole) - Counter(part)).elements()))


def _faces(dice: Iterable[Place]) -> Dice:
    return tuple(sorted(die.face for die in dice))


def _place(die: Die) -> Place:
    face = UNKNOWN_FACE if die.value is None else die.value
    return Place(face, round(die.x, 1), round(die.y, 1), round(die.size, 1), round(die.angle))
