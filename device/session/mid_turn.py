"""The meaning of a throw in the middle of a turn: what was kept before it, and whether the turn was banked first.

The keep is taken from the first of these that is available: a keep chosen on a phone, the dice that
were set aside or have not moved, and the number of dice thrown.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from device.session import messages
from device.session.placement import Placement, faces_of
from device.session.verdict import Accept, Answer, Ask, Attention, Verdict
from game.match.events import Banked, Event, Kept, Undone
from game.match.state import State
from game.match.step import step
from game.message import Message, Paragraph, Plural, Sentence, join_with_and, join_with_or
from game.rules.ruleset import Dice
from game.rules.scoring import Keep
from game.wording import dice_count, number_word


def judge_mid_turn(state: State, placement: Placement) -> Verdict:
    """Return what any throw of a turn except the first means.

    Args:
        state: The state of the match before the throw.
        placement: The current places of the dice, compared with the last accepted reading.
    """
    if state.may_rethrow_last_die:
        return _last_die_again(state, placement)
    if len(placement.thrown) == state.rules.n_dice:
        return _all_dice(state, placement)
    return _throw_on(state, placement)


def _last_die_again(state: State, placement: Placement) -> Verdict:
    if len(placement.thrown) == 1:
        return Accept((placement.thrown_event,))
    why = Message("%(name)s's last die, thrown again", name=state.player.display_name)
    return Attention((messages.wrong_dice_count(1, len(placement.thrown), why),))


def _all_dice(state: State, placement: Placement) -> Verdict:
    """Judge a throw of all dice during a turn: after hot dice, or by the next player after an unrecorded bank."""
    hot = _chosen_keep(state) or next((keep for keep in state.keeps if keep.hot), None)
    bank = _forgotten_bank(state, placement)
    if hot is None or not hot.hot:
        return _ask_about_bank(state, bank)
    goes_on = Message(
        "%(name)s kept %(dice)s = %(score)s and continues with all %(n)s.",
        name=state.player.display_name,
        dice=hot.dice,
        score=hot.score,
        n=state.rules.n_dice,
    )
    if state.turn.throws[-1].is_entered_by_hand and placement.was_seen:
        return _ask_if_all_thrown(state, hot, placement)
    note = Paragraph(Message("Hot dice!"), goes_on)
    repairs = (replace(bank, actions=(Undone(), *bank.actions)),) if bank else ()
    return Accept(_keep_then_throw(state, hot, placement), note, repairs)


def _ask_if_all_thrown(state: State, hot: Keep, placement: Placement) -> Ask:
    """Ask whether all dice were thrown, because the place of the kept dice is unknown and they may be in the tray.

    Args:
        state: The state of the match before the throw.
        hot: The keep after which all dice have scored.
        placement: The current places of the dice, compared with the last accepted reading.
    """
    question = Paragraph(
        Message("The camera did not see the previous throw."),
        Message("Were all %(n)s thrown?", n=state.rules.n_dice),
    )
    return Ask(question, (_option(state, hot, placement),))


def _forgotten_bank(state: State, placement: Placement) -> Answer | None:
    if state.bank_refusal():
        return None
    name, points = state.player.display_name, _bank_points(state)
    after = step(state, Banked())
    if after.winner is not None:
        over = Message("%(name)s banked %(points)s: the match is over", name=name, points=points)
        return Answer(over, (Banked(),))
    threw = Message(
        "%(name)s banked %(points)s, and %(next)s threw these dice",
        name=name,
        points=points,
        next=after.player.display_name,
    )
    return Answer(threw, (Banked(), placement.thrown_event))


def _bank_points(state: State) -> int:
    keep = state.best_bank_keep
    return state.locked_points + (keep.score if keep else 0)


def _ask_about_bank(state: State, bank: Answer | None) -> Verdict:
    if bank is None:
        return Attention((_cannot_bank(state),))
    name, points = state.player.display_name, _bank_points(state)
    return Ask(Message("Did %(name)s bank %(points)s?", name=name, points=points), (bank,))


def _cannot_bank(state: State) -> Message:
    why = state.bank_refusal(_chosen_keep(state)) or state.bank_refusal()
    assert why is not None  # noqa: S101 - checked by the caller
    return Message(
        "%(name)s cannot bank yet (%(why)s): throw at most %(dice)s.",
        name=state.player.display_name,
        why=why,
        dice=dice_count(len(state.turn.throws[-1].dice) - 1),
    )


def _throw_on(state: State, placement: Placement) -> Verdict:
    """Judge a throw with only some of the dice: find out which dice were kept from the last throw."""
    last = state.turn.throws[-1]
    n_kept = len(last.dice) - len(placement.thrown)
    by_number = next((keep for keep in state.keeps if len(keep.dice) == n_kept), None)
    if by_number is None:
        return Attention((_expected_after_keep(state, len(placement.thrown)),))
    if chosen := _chosen_keep(state):
        return _check_chosen(state, chosen, by_number, placement)
    if placement.kept:
        return _kept_by_place(state, by_number, placement)
    if state.keeps[0].hot and len(placement.thrown) == state.rules.n_dice - 1:
        return _ask_about_keep(state, _one_is_missing(state, placement), by_number, placement)
    return _accept(state, by_number, placement)


def _one_is_missing(state: State, placement: Placement) -> Message:
    """Return a message saying that one die is missing after hot dice.

    The die has more likely fallen on the floor than been kept, because no die needed to be kept.
    """
    return Message(
        "%(name)s may throw all %(n)s, but the camera sees %(seen)s.",
        name=state.player.display_name,
        n=state.rules.n_dice,
        seen=dice_count(len(placement.thrown)),
    )


def _chosen_keep(state: State) -> Keep | None:
    """Return the keep of the last throw if it was chosen on a phone, otherwise None."""
    last = state.turn.throws[-1]
    return None if last.assumed else last.keep


def _check_chosen(state: State, chosen: Keep, by_number: Keep, placement: Placement) -> Verdict:
    if len(chosen.dice) == len(by_number.dice):
        return _accept(state, chosen, placement)
    what = Message(
        "%(dice)s was kept, so %(expected)s should have been thrown, but the camera sees %(seen)s.",
        dice=chosen.dice,
        expected=dice_count(chosen.dice_left or state.rules.n_dice),
        seen=dice_count(len(placement.thrown)),
    )
    return _ask_about_keep(state, what, by_number, placement)


def _ask_about_keep(state: State, what: Message, keep: Keep, placement: Placement) -> Ask:
    """Ask whether this keep was meant, because the throw does not fit the dice in view or the chosen keep.

    Args:
        state: The state of the match before the throw.
        what: A sentence saying what does not fit.
        keep: The keep that fits the throw.
        placement: The current places of the dice, compared with the last accepted reading.
    """
    question = Paragraph(what, Message("Was %(dice)s kept?", dice=keep.dice))
    return Ask(question, (_option(state, keep, placement),))


def _kept_by_place(state: State, by_number: Keep, placement: Placement) -> Verdict:
    """Judge a throw by the kept dice that the camera sees.

    Kept and thrown dice must add up to the whole set, and the faces of the kept dice must be a legal
    keep. Otherwise, ask whether `by_number`, the best keep of the expected size, was kept.
    """
    n = state.rules.n_dice
    if len(placement.kept) + len(placement.thrown) != n:
        what = Message(
            "%(aside)s set aside and %(thrown)s thrown do not add up to %(n)s",
            aside=dice_count(len(placement.kept)),
            thrown=len(placement.thrown),
            n=n,
        )
        return _ask_about_keep(state, Sentence(what), by_number, placement)
    kept = _without(faces_of(placement.kept), _kept_before(state))
    fits = len(kept) == len(by_number.dice)
    seen = next((keep for keep in state.keeps if fits and keep.dice == kept), None)
    if seen is None:
        faces = faces_of(placement.kept)
        aside = Plural(
            "%(dice)s is set aside, but you can't keep that from this throw.",
            "%(dice)s are set aside, but you can't keep those from this throw.",
            n=len(faces),
            dice=join_with_and([str(face) for face in faces]),
        )
        return _ask_about_keep(state, aside, by_number, placement)
    more = _keep_with_pushed(state, placement)
    if more is None:
        return _accept(state, seen, placement)
    question = Paragraph(
        Message("A die may have been knocked."),
        Message("Was %(dice)s kept?", dice=more.dice),
    )
    return Ask(
        question,
        (_option(state, more, placement.with_pushed_kept), _option(state, seen, placement)),
    )


def _keep_with_pushed(state: State, placement: Placement) -> Keep | None:
    """Return the legal keep with the dice that may have been pushed rather than thrown, or None if there is none."""
    if not placement.pushed or len(placement.pushed) == len(placement.thrown):
        return None
    kept = _without(faces_of(placement.with_pushed_kept.kept), _kept_before(state))
    return next((keep for keep in state.keeps if keep.dice == kept), None)


def _accept(state: State, keep: Keep, placement: Placement) -> Accept:
    note = Message(
        "%(name)s kept %(dice)s = %(score)s.",
        name=state.player.display_name,
        dice=keep.dice,
        score=keep.score,
    )
    return Accept(_keep_then_throw(state, keep, placement), note)


def _option(state: State, keep: Keep, placement: Placement) -> Answer:
    label = Message(
        "%(name)s kept %(dice)s = %(score)s and threw %(thrown)s",
        name=state.player.display_name,
        dice=keep.dice,
        score=keep.score,
        thrown=placement.faces,
    )
    return Answer(label, _keep_then_throw(state, keep, placement))


def _keep_then_throw(state: State, keep: Keep, placement: Placement) -> tuple[Event, ...]:
    if state.turn.throws[-1].keep == keep:
        return (placement.thrown_event,)
    return (Kept(keep.dice, assumed=True), placement.thrown_event)


def _expected_after_keep(state: State, seen: int) -> Message:
    left = sorted({keep.dice_left or state.rules.n_dice for keep in state.keeps})
    *fewer, most = left
    numbers, thrown = (
        join_with_or([*map(number_word, fewer), dice_count(most)]),
        state.turn.throws[-1].dice,
    )
    if seen > most:
        return Message(
            "Expected %(dice)s after a throw of %(thrown)s, but saw %(n)s: take out the dice that were kept.",
            dice=numbers,
            thrown=thrown,
            n=seen,
        )
    return Message(
        "Expected %(dice)s after a throw of %(thrown)s, but saw %(n)s: is one hidden or on the floor?",
        dice=numbers,
        thrown=thrown,
        n=seen,
    )


def _kept_before(state: State) -> Dice:
    """Return the dice that were kept in this turn since the latest hot dice, but before the last throw."""
    out: list[int] = []
    for throw in reversed(state.turn.throws[:-1]):
        if throw.keep is None or throw.keep.hot:
            break
        out.extend(throw.keep.dice)
    return tuple(out)


def _without(whole: Sequence[int], part: Iterable[int]) -> Dice:
    return tuple(sorted((Counter(whole) - Counter(part)).elements()))
