"""Decides what a reading means for the match.

These functions turn a match and a reading into a `Verdict` and change nothing. `placement` compares
where dice are with where they were. What was kept from the previous throw is taken from the first of
these that is available: a keep chosen on a phone, the dice that were set aside or have not moved, and
the number of dice thrown.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from device.session import messages
from device.session.placement import Placement, compare, entered_places, faces_of, place_of
from device.session.tray_reader import TrayReading
from device.session.verdict import (
    Accept,
    Answer,
    Ask,
    Attention,
    CountDice,
    EmptyTray,
    NotThrown,
    Verdict,
)
from game.match.apply_event import apply_event, welfare_recipient
from game.match.events import (
    Action,
    Banked,
    Corrected,
    Event,
    Kept,
    Place,
    Spliced,
    Thrown,
    TookOver,
    Undone,
)
from game.match.match import Match
from game.match.state import State, Throw
from game.message import Message, Paragraph, Plural, Sentence, join_with_or
from game.rules.ruleset import Dice
from game.rules.scoring import Effect, Keep, throw_events
from game.wording import dice_count, number_word
from vision.reading import Reading


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
    bank = _forgotten_bank(state, placement.thrown_event)
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


def _forgotten_bank(state: State, thrown: Thrown) -> Answer | None:
    """Return the answer that the player had banked before the dice were thrown, or None if no bank was possible."""
    keep = state.best_bank_keep
    if keep is None or state.bank_refusal(keep):
        return None
    name, points = state.player.display_name, state.bank_points(keep)
    overshoots, after = state.overshoots(keep), apply_event(state, Banked())
    if after.winner is not None:
        over = (
            Message("%(name)s exceeded the target: the match is over", name=name)
            if overshoots
            else Message("%(name)s banked %(points)s: the match is over", name=name, points=points)
        )
        return Answer(over, (Banked(),))
    following = after.player.display_name
    threw = (
        Message(
            "%(name)s exceeded the target, and %(next)s threw these dice", name=name, next=following
        )
        if overshoots
        else Message(
            "%(name)s banked %(points)s, and %(next)s threw these dice",
            name=name,
            points=points,
            next=following,
        )
    )
    return Answer(threw, (Banked(), thrown))


def ask_about_unread(state: State) -> Ask | None:
    """Return a question asking whether the player banked, because dice were thrown and picked up before they could be read.

    Return None if the player could not bank.
    """
    keep = state.best_bank_keep
    if keep is None or state.bank_refusal(keep):
        return None
    name, points = state.player.display_name, state.bank_points(keep)
    unread = Message("Dice were thrown, but picked up before they could be read.")
    yes = Answer(Message("Yes, %(name)s banked %(points)s", name=name, points=points), (Banked(),))
    return Ask(Paragraph(unread, _bank_question(state)), (yes,))


def forgotten_bank_repairs(match: Match) -> tuple[Answer, ...]:
    """Return the repair on offer after hot dice: the player had banked, and the next player threw.

    It is found from the match, so that it is on offer again after a correction or an undo.

    Args:
        match: The match after the throw of all dice.
    """
    last, turn = match.last_throw, match.state.turn
    if last is None or turn.last != last or len(last.dice) != match.rules.n_dice:
        return ()
    n_steps, before = 0, match
    while before.before and before.last_throw and before.last_throw.index == last.index:
        n_steps, before = n_steps + 1, before.before
    thrown = match.timeline[last.index]
    if before.state.turn.seat != turn.seat or not before.state.turn.throws:
        return ()
    bank = _forgotten_bank(before.state, thrown) if isinstance(thrown, Thrown) else None
    return (replace(bank, actions=(Undone(),) * n_steps + bank.actions),) if bank else ()


def _ask_about_bank(state: State, bank: Answer | None) -> Verdict:
    if bank is None:
        return Attention((_cannot_bank(state),))
    return Ask(_bank_question(state), (bank,))


def _bank_question(state: State) -> Message:
    """Return the question whether the player has banked. It says what happens to points that exceed an exact target."""
    name, keep = state.player.display_name, state.best_bank_keep
    points = state.bank_points(keep)
    if keep is None or not state.overshoots(keep):
        return Message("Did %(name)s bank %(points)s?", name=name, points=points)
    to = welfare_recipient(state, points)
    would = (
        Message(
            "With %(points)s, %(name)s would exceed the target and score zero.",
            name=name,
            points=points,
        )
        if to is None
        else Message(
            "With %(points)s, %(name)s would exceed the target: the points would go to %(other)s.",
            name=name,
            points=points,
            other=state.players[to].display_name,
        )
    )
    return Paragraph(would, Message("Did %(name)s end the turn?", name=name))


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
            dice=faces,
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


def judge(match: Match, tray_reading: TrayReading, before: tuple[Place, ...] = ()) -> Verdict:
    """Return what a reading means for a match.

    Args:
        match: The match as it stands.
        tray_reading: The reading of the still tray.
        before: Where the dice lay when they were last read for a purpose other than a throw of this
            match, such as the roll-off; empty if a throw of this match has been read since then.
    """
    if not tray_reading.reading.is_sure:
        return Attention(messages.advice(tray_reading.reading))
    if not tray_reading.reading.dice_in_tray:
        return EmptyTray()
    before = before or match.last_places
    placement = compare(tray_reading.reading, before, match.rules.n_dice)
    if not placement.thrown:
        return NotThrown(Message("Not thrown yet: the dice have not moved."))
    verdict = _announce_reset(match.state, _judge_throw(match.state, placement))
    if tray_reading.has_tumbled is not True and placement.could_have_slid(before):
        return _slid_or_thrown(verdict, placement, watched=tray_reading.has_tumbled is not None)
    return verdict


def judge_entered(match: Match, dice: Dice) -> Verdict:
    """Return what a throw that somebody entered on a phone means for a match.

    Args:
        match: The match as it stands.
        dice: The faces thrown.
    """
    placement = Placement(entered_places(dice))
    return _announce_reset(match.state, _judge_throw(match.state, placement))


def offer_earlier(
    match: Match, earlier: TrayReading, before: tuple[Place, ...], age_s: float
) -> Ask | None:
    """Return a question asking whether dice picked up before the button was pressed are the throw.

    Return None if those dice cannot be the throw.

    Args:
        match: The match as it stands.
        earlier: The reading of the tray before it was emptied.
        before: Where the dice lay when they were last read for a purpose other than a throw of this
            match, such as the roll-off; empty if a throw of this match has been read since then.
        age_s: How long ago those dice lay in the tray, in seconds.
    """
    verdict = judge(match, earlier, before)
    if not isinstance(verdict, Accept | Ask) or not _throws(_likeliest(verdict)):
        return None
    empty, dice, s = Message("The tray is empty."), _thrown(verdict), max(1, round(age_s))
    if isinstance(verdict, Ask):
        earlier_dice = Message("%(dice)s were lying here %(s)s s ago.", dice=dice, s=s)
        return replace(verdict, question=Paragraph(empty, earlier_dice, verdict.question))
    question = Paragraph(
        empty,
        Message("%(dice)s were lying here %(s)s s ago. Use them?", dice=dice, s=s),
        Message("Hold the button for yes, or press it to wait for the next throw."),
    )
    return Ask(question, (Answer(Message("Use %(dice)s", dice=dice), verdict.events),))


def ask_to_confirm(verdict: Accept | Ask) -> Ask:
    """Return a question asking whether a costly throw, which cannot be read a second time, was read correctly."""
    right = Message("Were all dice read correctly? If not, tap the wrong one.")
    if isinstance(verdict, Ask):
        return replace(verdict, question=Paragraph(verdict.question, right))
    dice = _thrown(verdict)
    question = Paragraph(Message("%(dice)s: that ends the turn.", dice=dice), right)
    return Ask(question, (Answer(Message("Yes, %(dice)s", dice=dice), verdict.events),))


def _thrown(verdict: Accept | Ask) -> Dice:
    return next(action.dice for action in _likeliest(verdict) if isinstance(action, Thrown))


def _likeliest(verdict: Accept | Ask) -> tuple[Action, ...]:
    return verdict.events if isinstance(verdict, Accept) else verdict.options[0].actions


def asks_for_bank(question: Ask) -> bool:
    """Return whether a question asks if the turn was banked before the throw."""
    kinds = {type(action) for action in question.options[0].actions}
    return {Banked, Thrown} <= kinds


def is_costly(before: Match, verdict: Verdict) -> bool:
    """Return whether a throw may end the turn or cost points, and so has to be read twice.

    Args:
        before: The match before the throw.
        verdict: What the reading of the throw means.
    """
    match verdict:
        case Accept():
            ways: list[tuple[Action, ...]] = [verdict.events]
        case Ask():
            ways = [option.actions for option in verdict.options]
        case _:
            return False
    return any(_ends_turn(before.push(*way)) for way in ways if _throws(way))


def _throws(actions: tuple[Action, ...]) -> bool:
    return any(isinstance(action, Thrown) for action in actions)


def _ends_turn(after: Match) -> bool:
    last = after.last_throw
    return after.state.turn.last is None or bool(last and last.penalty)


def reread_dice(match: Match, throw: Throw, tray_reading: TrayReading) -> Dice | NotThrown:
    """Return the dice of an accepted throw as a new reading shows them, or why the throw stays as it is.

    Args:
        match: The match as it stands.
        throw: The accepted throw.
        tray_reading: The new reading.
    """
    if not tray_reading.reading.is_sure:
        nothing = Message("Nothing was changed.")
        return NotThrown(Paragraph(nothing, messages.advice(tray_reading.reading)[0]))
    found = compare(tray_reading.reading, throw.set_aside, match.rules.n_dice).faces
    if len(found) != len(throw.dice):
        n_thrown, n_found = dice_count(len(throw.dice)), dice_count(len(found))
        return NotThrown(
            Message(
                "Nothing was changed: the throw had %(had)s, but the camera sees %(lie)s.",
                had=n_thrown,
                lie=n_found,
            )
        )
    return found


def reset_question(match: Match, correction: Corrected) -> Ask | None:
    """Return a question asking whether a corrected throw resets the player's score.

    Return None if the corrected dice do not reset the score, or if the uncorrected dice already reset it.

    Args:
        match: The match as it stands.
        correction: The correction of a throw.
    """
    end = len(match.timeline)
    state = match.push(Spliced(correction.index, end, ())).state
    old = match.timeline[correction.index]
    dice = tuple(sorted(correction.dice))
    if not isinstance(old, Thrown) or _resets(state, old.dice) or not _resets(state, dice):
        return None
    return _ask_reset(state, dice, (correction,))


def places_of(reading: Reading) -> tuple[Place, ...]:
    """Return where the dice in the tray are, for comparison with the next reading."""
    return tuple(map(place_of, reading.dice_in_tray))


def rolloff_die(tray_reading: TrayReading, before: tuple[Place, ...]) -> int | Verdict:
    """Return the face of the die thrown in the roll-off, or a verdict if not exactly one die was thrown.

    Args:
        tray_reading: The reading of the still tray.
        before: The places of the dice of the previous players.
    """
    if not tray_reading.reading.is_sure:
        return Attention(messages.advice(tray_reading.reading))
    if not tray_reading.reading.dice_in_tray:
        return EmptyTray()
    placement = compare(tray_reading.reading, before, n_dice=1)
    may_have_slid = tray_reading.has_tumbled is not True and placement.could_have_slid(before)
    if not placement.thrown or may_have_slid:
        thrown = Message("They were thrown: %(dice)s", dice=placement.faces)
        is_open = len(placement.thrown) == 1 and tray_reading.has_tumbled is None
        return NotThrown(
            Message("Not thrown yet: that is the previous player's die."),
            Answer(thrown, leads_to=CountDice(placement)) if is_open else None,
        )
    if len(placement.thrown) > 1:
        many = Message(
            "Throw only one die to decide who begins: take the others out (the camera sees %(dice)s).",
            dice=dice_count(len(placement.thrown)),
        )
        return Attention((many,))
    return placement.faces[0]


def _slid_or_thrown(verdict: Verdict, placement: Placement, *, watched: bool) -> Verdict:
    """Return the verdict on dice that show no new face and may therefore have slid instead of being thrown.

    Args:
        verdict: The verdict if the dice were thrown.
        placement: The current places of the dice, compared with the last reading.
        watched: Whether the tray was watched throughout. If so, the dice only slid; if not, a
            verdict that would accept the throw becomes a question.
    """
    if not isinstance(verdict, Accept):
        moved = NotThrown(Message("Not thrown yet: the dice only slid."))
        return moved if watched else verdict
    option = Answer(Message("They were thrown: %(dice)s", dice=placement.faces), verdict.events)
    if watched:
        return NotThrown(Message("Not thrown yet: the dice were only moved."), option)
    question = Paragraph(
        Message(
            "%(dice)s were already in the tray, but in a different place.", dice=placement.faces
        ),
        Message("Were the dice thrown or just moved?"),
    )
    return Ask(question, (option,))


def _announce_reset(state: State, verdict: Verdict) -> Verdict:
    """Turn the verdict on a throw that resets a score into a question; return any other verdict as it is."""
    if not isinstance(verdict, Accept):
        return verdict
    dice = next(event.dice for event in verdict.events if isinstance(event, Thrown))
    return _ask_reset(state, dice, verdict.events) if _resets(state, dice) else verdict


def _resets(state: State, dice: Dice) -> bool:
    effects = [event.effect for event in throw_events(dice, state.rules)]
    return Effect.RESET_SCORE in effects and Effect.WIN not in effects


def _ask_reset(state: State, dice: Dice, actions: tuple[Action, ...]) -> Ask:
    name = state.player.display_name
    label = Message(
        "%(dice)s: %(name)s's %(points)s are reset to zero",
        dice=dice,
        name=name,
        points=state.player.score,
    )
    question = Paragraph(
        Message("%(dice)s: four 2s.", dice=dice),
        Message("Reset %(name)s's score to zero?", name=name),
    )
    return Ask(question, (Answer(label, actions),))


def _judge_throw(state: State, placement: Placement) -> Verdict:
    if state.turn.last is None:
        return _take_over(state, placement) if state.offer else _first_throw(state, placement)
    return judge_mid_turn(state, placement)


def _take_over(state: State, placement: Placement) -> Verdict:
    """Judge the first throw of a turn that may take over what the previous player left over.

    Throwing all dice is a fresh start; throwing as many as were left over is a take-over. If all dice
    were left over, ask which of the two was meant.
    """
    assert state.offer is not None  # noqa: S101 - checked by the caller
    left, n, thrown = state.offer, state.rules.n_dice, len(placement.thrown)
    name = state.player.display_name
    if thrown == n == left.dice:
        question = Message("New turn, or taking over %(points)s?", points=left.points)
        return Ask(question, _fresh_or_taken_over(state, placement))
    if thrown == n:
        return Accept((placement.thrown_event,))
    if thrown == left.dice:
        note = Message("%(name)s takes over %(points)s.", name=name, points=left.points)
        return Accept((TookOver(), placement.thrown_event), note)
    return Attention(
        (
            Message(
                "The camera sees %(seen)s: throw all dice for a new turn, or %(left)s to take "
                "over the banked points.",
                seen=dice_count(thrown),
                left=dice_count(left.dice),
            ),
        )
    )


def _fresh_or_taken_over(state: State, placement: Placement) -> tuple[Answer, Answer]:
    assert state.offer is not None  # noqa: S101 - checked by the caller
    name = state.player.display_name
    fresh = Message("%(name)s starts a new turn with %(dice)s", name=name, dice=placement.faces)
    take_over = Message(
        "%(name)s takes over %(points)s with %(dice)s",
        name=name,
        points=state.offer.points,
        dice=placement.faces,
    )
    return Answer(fresh, (placement.thrown_event,)), Answer(
        take_over, (TookOver(), placement.thrown_event)
    )


def _first_throw(state: State, placement: Placement) -> Verdict:
    n, name, seen = state.dice_in_hand, state.player.display_name, len(placement.thrown)
    if seen == n:
        return Accept((placement.thrown_event,))
    if seen + len(placement.stayed) == n:
        return _all_or_some(n, placement)
    why = (
        Message("%(name)s begins with all dice", name=name)
        if n == state.rules.n_dice
        else Message("%(name)s throws %(dice)s", name=name, dice=dice_count(n))
    )
    return Attention((messages.wrong_dice_count(n, seen, why),))


def _all_or_some(n: int, placement: Placement) -> Ask:
    """Ask whether all `n` dice were thrown, because some lie where they lay before, perhaps by chance."""
    all_dice = placement.with_all_thrown
    label = Message("All %(n)s were thrown: %(dice)s", n=n, dice=all_dice.faces)
    question = Paragraph(
        Message("One die has not moved at all.")
        if len(placement.stayed) == 1
        else Message("Some dice have not moved at all."),
        Message("Were all %(n)s thrown?", n=n),
        Message("If not, throw all %(n)s and press the button.", n=n),
    )
    return Ask(question, (Answer(label, (all_dice.thrown_event,)),))
