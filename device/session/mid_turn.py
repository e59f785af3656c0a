"""A throw in mid-turn: which dice of the one before were kept, and whether it is the same turn.

The order of evidence is a tapped keep, the dice aside and those that stayed, the number thrown.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from device.session import messages
from device.session.placement import Placement, faces
from device.session.verdict import Accept, Answer, Ask, Attention, Verdict
from game.match.events import Banked, Event, Kept, Undone
from game.match.state import State
from game.match.step import step
from game.rules.scoring import Dice, Keep


def judge_mid_turn(state: State, lay: Placement) -> Verdict:
    """What a throw after the first one of a turn means."""
    if state.once_more:
        return _last_die_again(state, lay)
    if len(lay.thrown) == state.rules.n_dice:
        return _all_dice(state, lay)
    return _throw_on(state, lay)


def _last_die_again(state: State, lay: Placement) -> Verdict:
    if len(lay.thrown) == 1:
        return Accept((lay.event,))
    return Attention(
        (messages.expected(1, len(lay.thrown), f"{state.player.name}'s last die again"),)
    )


def _all_dice(state: State, lay: Placement) -> Verdict:
    """All dice at once: hot dice, or the next player after a bank that nobody marked."""
    hot = _tapped(state) or next((keep for keep in state.keeps if keep.hot), None)
    bank = _forgotten_bank(state, lay)
    if hot is None or not hot.hot:
        return _was_it_banked(state, bank)
    note = f"Hot dice! {_kept(state, hot)} and goes on with all {state.rules.n_dice}."
    repairs = (replace(bank, actions=(Undone(), *bank.actions)),) if bank else ()
    return Accept(_keep_then_throw(state, hot, lay), note, repairs)


def _forgotten_bank(state: State, lay: Placement) -> Answer | None:
    if state.bank_refusal():
        return None
    points = _bank_points(state)
    banked = f"{state.player.name} banked {points:,}"
    after = step(state, Banked())
    if after.winner is not None:
        return Answer(f"{banked}: the match is over", (Banked(),))
    return Answer(f"{banked}, {after.player.name} threw this", (Banked(), lay.event))


def _bank_points(state: State) -> int:
    keep = state.bank_keep
    return state.locked_points + (keep.score if keep else 0)


def _was_it_banked(state: State, bank: Answer | None) -> Verdict:
    name = state.player.name
    if bank is None:
        n = len(state.turn.throws[-1].dice) - 1
        why = state.bank_refusal()
        return Attention((f"{name} cannot bank yet ({why}): throw at most {messages.count(n)}.",))
    points = _bank_points(state)
    return Ask(f"Did {name} bank {points:,}?", (bank,))


def _throw_on(state: State, lay: Placement) -> Verdict:
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


def _check_tapped(state: State, tapped: Keep, by_number: Keep, lay: Placement) -> Verdict:
    if len(tapped.dice) == len(by_number.dice):
        return _accept(state, tapped, lay)
    expected = tapped.dice_left or state.rules.n_dice
    question = (
        f"{messages.faces(tapped.dice)} was tapped, so {messages.count(expected)} should be thrown; "
        f"{messages.count(len(lay.thrown))} lie there. Was {messages.faces(by_number.dice)} kept?"
    )
    return Ask(question, (_option(state, by_number, lay),))


def _kept_by_place(state: State, by_number: Keep, lay: Placement) -> Verdict:
    """Dice set aside or left lying must add up; their faces are only a check."""
    n = state.rules.n_dice
    if len(lay.kept) + len(lay.thrown) != n:
        what = f"{messages.count(len(lay.kept)).capitalize()} aside and {len(lay.thrown)} thrown"
        question = f"{what} do not make {n}. Was {messages.faces(by_number.dice)} kept?"
        return Ask(question, (_option(state, by_number, lay),))
    kept = _minus(faces(lay.kept), _kept_before(state))
    fits = len(kept) == len(by_number.dice)
    seen = next((keep for keep in state.keeps if fits and keep.dice == kept), None)
    if seen is None:
        shown = messages.faces(faces(lay.kept))
        question = (
            f"Aside lie {shown}: no keep of this throw. Was {messages.faces(by_number.dice)} kept?"
        )
        return Ask(question, (_option(state, by_number, lay),))
    return _accept(state, seen, lay)


def _accept(state: State, keep: Keep, lay: Placement) -> Accept:
    return Accept(_keep_then_throw(state, keep, lay), f"{_kept(state, keep)}.")


def _option(state: State, keep: Keep, lay: Placement) -> Answer:
    return Answer(
        f"{_kept(state, keep)}, threw {messages.faces(lay.faces)}",
        _keep_then_throw(state, keep, lay),
    )


def _keep_then_throw(state: State, keep: Keep, lay: Placement) -> tuple[Event, ...]:
    if state.turn.throws[-1].keep == keep:
        return (lay.event,)
    return (Kept(keep.dice, assumed=True), lay.event)


def _kept(state: State, keep: Keep) -> str:
    return f"{state.player.name} kept {messages.faces(keep.dice)} = {keep.score:,}"


def _expected_after_keep(state: State, seen: int) -> str:
    left = sorted({keep.dice_left or state.rules.n_dice for keep in state.keeps})
    numbers = " or ".join(messages.COUNT_WORDS[n] for n in left)
    thrown = messages.faces(state.turn.throws[-1].dice)
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
