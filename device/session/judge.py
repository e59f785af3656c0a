"""Decides what a reading means for the match.

These functions turn a match and a reading into a `Verdict` and change nothing. `placement` compares
where dice are with where they were; `mid_turn` finds out which dice were kept from the previous throw.
"""

from dataclasses import replace

from device.session import messages
from device.session.mid_turn import judge_mid_turn
from device.session.placement import Placement, compare, entered_places, place_of
from device.session.tray_reader import TrayReading
from device.session.verdict import Accept, Answer, Ask, Attention, EmptyTray, NotThrown, Verdict
from game.match.events import Action, Banked, Corrected, Place, Spliced, Thrown, TookOver
from game.match.match import Match
from game.match.state import State, Throw
from game.message import Message, Paragraph
from game.rules.ruleset import Dice
from game.rules.scoring import Effect, throw_events
from game.wording import dice_count
from vision.reading import Reading


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
    if not placement.thrown or (
        tray_reading.has_tumbled is False and placement.could_have_slid(before)
    ):
        return NotThrown(Message("Not thrown yet: that is the previous player's die."))
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
        return _take_over(state, placement) if state.left_over else _first_throw(state, placement)
    return judge_mid_turn(state, placement)


def _take_over(state: State, placement: Placement) -> Verdict:
    """Judge the first throw of a turn that may build on what the previous player left over.

    Throwing all dice is a fresh start; throwing as many as were left over is a take-over. If all dice
    were left over, ask which of the two was meant.
    """
    assert state.left_over is not None  # noqa: S101 - checked by the caller
    left, n, thrown = state.left_over, state.rules.n_dice, len(placement.thrown)
    name = state.player.display_name
    if thrown == n == left.dice:
        question = Message("New turn, or building on %(points)s?", points=left.points)
        return Ask(question, _fresh_or_taken_over(state, placement))
    if thrown == n:
        return Accept((placement.thrown_event,))
    if thrown == left.dice:
        note = Message("%(name)s builds on %(points)s.", name=name, points=left.points)
        return Accept((TookOver(), placement.thrown_event), note)
    return Attention(
        (
            Message(
                "The camera sees %(seen)s: throw all dice for a new turn, or %(left)s to build "
                "on the banked points.",
                seen=dice_count(thrown),
                left=dice_count(left.dice),
            ),
        )
    )


def _fresh_or_taken_over(state: State, placement: Placement) -> tuple[Answer, Answer]:
    assert state.left_over is not None  # noqa: S101 - checked by the caller
    name = state.player.display_name
    fresh = Message("%(name)s starts a new turn with %(dice)s", name=name, dice=placement.faces)
    take_over = Message(
        "%(name)s builds on %(points)s with %(dice)s",
        name=name,
        points=state.left_over.points,
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
