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
from game.message import Message, Paragraph, Sentence, join_with_or
from game.rules.ruleset import Dice
from game.rules.scoring import Keep
from game.wording import dice_count, number_word


def judge_mid_turn(state: State, lay: Placement) -> Verdict:
    """What a throw after the first one of a turn means."""
    if state.may_rethrow_last_die:
        return _last_die_again(state, lay)
    if len(lay.thrown) == state.rules.n_dice:
        return _all_dice(state, lay)
    return _throw_on(state, lay)


def _last_die_again(state: State, lay: Placement) -> Verdict:
    if len(lay.thrown) == 1:
        return Accept((lay.event,))
    why = Message("%(name)s's last die again", name=state.player.display_name)
    return Attention((messages.expected(1, len(lay.thrown), why),))


def _all_dice(state: State, lay: Placement) -> Verdict:
    """All dice at once: hot dice, or the next player after a bank that nobody marked."""
    hot = _tapped(state) or next((keep for keep in state.keeps if keep.hot), None)
    bank = _forgotten_bank(state, lay)
    if hot is None or not hot.hot:
        return _was_it_banked(state, bank)
    goes_on = Message(
        "%(name)s kept %(dice)s = %(score)s and goes on with all %(n)s.",
        name=state.player.display_name,
        dice=hot.dice,
        score=hot.score,
        n=state.rules.n_dice,
    )
    if state.turn.throws[-1].is_entered_by_hand and lay.seen:
        return _were_all_thrown(state, hot, lay)
    note = Paragraph(Message("Hot dice!"), goes_on)
    repairs = (replace(bank, actions=(Undone(), *bank.actions)),) if bank else ()
    return Accept(_keep_then_throw(state, hot, lay), note, repairs)


def _were_all_thrown(state: State, hot: Keep, lay: Placement) -> Ask:
    """Nobody saw where the dice lay that were tapped in: those that were kept may lie among these."""
    question = Paragraph(
        Message("No camera saw the throw before."),
        Message("Were all %(n)s thrown?", n=state.rules.n_dice),
    )
    return Ask(question, (_option(state, hot, lay),))


def _forgotten_bank(state: State, lay: Placement) -> Answer | None:
    if state.bank_refusal():
        return None
    name, points = state.player.display_name, _bank_points(state)
    after = step(state, Banked())
    if after.winner is not None:
        over = Message("%(name)s banked %(points)s: the match is over", name=name, points=points)
        return Answer(over, (Banked(),))
    threw = Message(
        "%(name)s banked %(points)s, %(next)s threw this",
        name=name,
        points=points,
        next=after.player.display_name,
    )
    return Answer(threw, (Banked(), lay.event))


def _bank_points(state: State) -> int:
    keep = state.best_bank_keep
    return state.locked_points + (keep.score if keep else 0)


def _was_it_banked(state: State, bank: Answer | None) -> Verdict:
    if bank is None:
        return Attention((_cannot_bank(state),))
    name, points = state.player.display_name, _bank_points(state)
    return Ask(Message("Did %(name)s bank %(points)s?", name=name, points=points), (bank,))


def _cannot_bank(state: State) -> Message:
    why = state.bank_refusal(_tapped(state)) or state.bank_refusal()
    assert why is not None  # noqa: S101 - asked by the caller
    return Message(
        "%(name)s cannot bank yet (%(why)s): throw at most %(dice)s.",
        name=state.player.display_name,
        why=why,
        dice=dice_count(len(state.turn.throws[-1].dice) - 1),
    )


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
    if state.keeps[0].hot and len(lay.thrown) == state.rules.n_dice - 1:
        return _was_it_kept(state, _one_is_missing(state, lay), by_number, lay)
    return _accept(state, by_number, lay)


def _one_is_missing(state: State, lay: Placement) -> Message:
    """Nobody who may throw all dice leaves the points: rather one of them is on the floor."""
    return Message(
        "%(name)s may throw all %(n)s, and %(seen)s lie there.",
        name=state.player.display_name,
        n=state.rules.n_dice,
        seen=dice_count(len(lay.thrown)),
    )


def _tapped(state: State) -> Keep | None:
    """The keep of the last throw that a person chose."""
    last = state.turn.throws[-1]
    return None if last.assumed else last.keep


def _check_tapped(state: State, tapped: Keep, by_number: Keep, lay: Placement) -> Verdict:
    if len(tapped.dice) == len(by_number.dice):
        return _accept(state, tapped, lay)
    what = Message(
        "%(dice)s was tapped, so %(expected)s should be thrown; %(seen)s lie there.",
        dice=tapped.dice,
        expected=dice_count(tapped.dice_left or state.rules.n_dice),
        seen=dice_count(len(lay.thrown)),
    )
    return _was_it_kept(state, what, by_number, lay)


def _was_it_kept(state: State, what: Message, keep: Keep, lay: Placement) -> Ask:
    """What does not fit, and the keep that would."""
    question = Paragraph(what, Message("Was %(dice)s kept?", dice=keep.dice))
    return Ask(question, (_option(state, keep, lay),))


def _kept_by_place(state: State, by_number: Keep, lay: Placement) -> Verdict:
    """Dice set aside or left lying must add up; their faces are only a check."""
    n = state.rules.n_dice
    if len(lay.kept) + len(lay.thrown) != n:
        what = Message(
            "%(aside)s aside and %(thrown)s thrown do not make %(n)s",
            aside=dice_count(len(lay.kept)),
            thrown=len(lay.thrown),
            n=n,
        )
        return _was_it_kept(state, Sentence(what), by_number, lay)
    kept = _minus(faces(lay.kept), _kept_before(state))
    fits = len(kept) == len(by_number.dice)
    seen = next((keep for keep in state.keeps if fits and keep.dice == kept), None)
    if seen is None:
        aside = Message("%(dice)s lie aside: that is no keep of this throw.", dice=faces(lay.kept))
        return _was_it_kept(state, aside, by_number, lay)
    more = _keep_with_pushed(state, lay)
    if more is None:
        return _accept(state, seen, lay)
    question = Paragraph(
        Message("A die may have been pushed."),
        Message("Was %(dice)s kept?", dice=more.dice),
    )
    return Ask(
        question, (_option(state, more, lay.none_thrown_of_pushed), _option(state, seen, lay))
    )


def _keep_with_pushed(state: State, lay: Placement) -> Keep | None:
    """The keep, if any, of which a part was pushed by the dice that were thrown."""
    if not lay.pushed or len(lay.pushed) == len(lay.thrown):
        return None
    kept = _minus(faces(lay.none_thrown_of_pushed.kept), _kept_before(state))
    return next((keep for keep in state.keeps if keep.dice == kept), None)


def _accept(state: State, keep: Keep, lay: Placement) -> Accept:
    note = Message(
        "%(name)s kept %(dice)s = %(score)s.",
        name=state.player.display_name,
        dice=keep.dice,
        score=keep.score,
    )
    return Accept(_keep_then_throw(state, keep, lay), note)


def _option(state: State, keep: Keep, lay: Placement) -> Answer:
    label = Message(
        "%(name)s kept %(dice)s = %(score)s, threw %(thrown)s",
        name=state.player.display_name,
        dice=keep.dice,
        score=keep.score,
        thrown=lay.faces,
    )
    return Answer(label, _keep_then_throw(state, keep, lay))


def _keep_then_throw(state: State, keep: Keep, lay: Placement) -> tuple[Event, ...]:
    if state.turn.throws[-1].keep == keep:
        return (lay.event,)
    return (Kept(keep.dice, assumed=True), lay.event)


def _expected_after_keep(state: State, seen: int) -> Message:
    left = sorted({keep.dice_left or state.rules.n_dice for keep in state.keeps})
    *fewer, most = left
    numbers, thrown = (
        join_with_or([*map(number_word, fewer), dice_count(most)]),
        state.turn.throws[-1].dice,
    )
    if seen > most:
        return Message(
            "Expected %(dice)s after %(thrown)s, saw %(n)s: take those out that were kept.",
            dice=numbers,
            thrown=thrown,
            n=seen,
        )
    return Message(
        "Expected %(dice)s after %(thrown)s, saw %(n)s: is one hidden, or on the floor?",
        dice=numbers,
        thrown=thrown,
        n=seen,
    )


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
