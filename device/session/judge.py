"""What a reading means for the match: the place where dice and rules meet.

Pure: a match and what was seen go in, a `Verdict` comes out, nothing is changed. What lies where
it lay was not thrown (`device.session.placement`); what was kept of the throw before is `device.session.mid_turn`.
"""

from dataclasses import replace

from device.session import messages
from device.session.mid_turn import judge_mid_turn
from device.session.placement import Placement, compare, place_of, tapped
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
    """What this tray_reading means, with the match as it stands.

    `before` are the places of dice that were read for something else since its last throw.
    """
    if not tray_reading.reading.is_sure:
        return Attention(messages.advice(tray_reading.reading))
    if not tray_reading.reading.dice_in_tray:
        return EmptyTray()
    before = before or match.last_places
    lay = compare(tray_reading.reading, before, match.rules.n_dice)
    if not lay.thrown:
        return NotThrown(Message("Not thrown yet: the dice lie where they lay."))
    verdict = _announce_reset(match.state, _judge_throw(match.state, lay))
    if tray_reading.has_tumbled is not True and lay.could_have_slid(before):
        return _slid_or_thrown(verdict, lay, watched=tray_reading.has_tumbled is not None)
    return verdict


def judge_tapped(match: Match, dice: Dice) -> Verdict:
    """What dice mean that a person tapped in, where no camera read them."""
    lay = Placement(tapped(dice))
    return _announce_reset(match.state, _judge_throw(match.state, lay))


def offer(
    match: Match, earlier: TrayReading, before: tuple[Place, ...], age_s: float
) -> Ask | None:
    """The question whether dice that lay in the tray before it was emptied are the throw."""
    verdict = judge(match, earlier, before)
    if not isinstance(verdict, Accept | Ask) or not _throws(_likeliest(verdict)):
        return None
    empty, dice, s = Message("The tray is empty."), _thrown(verdict), max(1, round(age_s))
    if isinstance(verdict, Ask):
        lay = Message("%(dice)s lay here %(s)s s ago.", dice=dice, s=s)
        return replace(verdict, question=Paragraph(empty, lay, verdict.question))
    question = Paragraph(
        empty,
        Message("%(dice)s lay here %(s)s s ago: use it?", dice=dice, s=s),
        Message("Hold for yes; press to wait for the next throw."),
    )
    return Ask(question, (Answer(Message("Use %(dice)s", dice=dice), verdict.events),))


def sure_of(verdict: Accept | Ask) -> Ask:
    """The question whether a throw that costs was read right, where there is no second look."""
    right = Message("Is every die read right? If not, tap it.")
    if isinstance(verdict, Ask):
        return replace(verdict, question=Paragraph(verdict.question, right))
    dice = _thrown(verdict)
    question = Paragraph(Message("%(dice)s: that ends the turn.", dice=dice), right)
    return Ask(question, (Answer(Message("Yes, %(dice)s", dice=dice), verdict.events),))


def _thrown(verdict: Accept | Ask) -> Dice:
    """The dice of the throw that it is about."""
    return next(action.dice for action in _likeliest(verdict) if isinstance(action, Thrown))


def _likeliest(verdict: Accept | Ask) -> tuple[Action, ...]:
    return verdict.events if isinstance(verdict, Accept) else verdict.options[0].actions


def asks_for_bank(question: Ask) -> bool:
    """Whether it asks if a turn was banked before the dice were thrown."""
    kinds = {type(action) for action in question.options[0].actions}
    return {Banked, Thrown} <= kinds


def costs(before: Match, verdict: Verdict) -> bool:
    """Whether the throw, accepted in one of the ways it can be, ends its turn or takes points.

    Such a reading is worth a second look.
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


def judge_again(match: Match, throw: Throw, tray_reading: TrayReading) -> Dice | NotThrown:
    """What a new look makes of a throw that was accepted: its dice, or why nothing is changed."""
    if not tray_reading.reading.is_sure:
        nothing = Message("Nothing is changed.")
        return NotThrown(Paragraph(nothing, messages.advice(tray_reading.reading)[0]))
    found = compare(tray_reading.reading, throw.set_aside, match.rules.n_dice).faces
    if len(found) != len(throw.dice):
        had, lie = dice_count(len(throw.dice)), dice_count(len(found))
        return NotThrown(
            Message(
                "Nothing is changed: the throw had %(had)s, in the tray: %(lie)s.",
                had=had,
                lie=lie,
            )
        )
    return found


def corrected_reset(match: Match, correction: Corrected) -> Ask | None:
    """The question where corrected dice set a score back that those before left alone."""
    end = len(match.timeline)
    state = match.push(Spliced(correction.index, end, ())).state
    old = match.timeline[correction.index]
    dice = tuple(sorted(correction.dice))
    if not isinstance(old, Thrown) or _resets(state, old.dice) or not _resets(state, dice):
        return None
    return _ask_reset(state, dice, (correction,))


def places(reading: Reading) -> tuple[Place, ...]:
    """Where the dice in the tray lie, for the next press to compare."""
    return tuple(map(place_of, reading.dice_in_tray))


def only_die(tray_reading: TrayReading, before: tuple[Place, ...]) -> int | Verdict:
    """The face of the one die of a roll-off, or why it cannot be told."""
    if not tray_reading.reading.is_sure:
        return Attention(messages.advice(tray_reading.reading))
    if not tray_reading.reading.dice_in_tray:
        return EmptyTray()
    lay = compare(tray_reading.reading, before, n_dice=1)
    if not lay.thrown or (tray_reading.has_tumbled is False and lay.could_have_slid(before)):
        return NotThrown(Message("Not thrown yet: it is the last player's die."))
    if len(lay.thrown) > 1:
        many = Message(
            "One die decides who starts: take the others out (%(dice)s lie there).",
            dice=dice_count(len(lay.thrown)),
        )
        return Attention((many,))
    return lay.faces[0]


def _slid_or_thrown(verdict: Verdict, lay: Placement, *, watched: bool) -> Verdict:
    """The dice show no new face: watched and not seen tumbling they slid, else it is asked."""
    if not isinstance(verdict, Accept):
        moved = NotThrown(Message("Not thrown yet: the dice only moved."))
        return moved if watched else verdict
    option = Answer(Message("They were thrown: %(dice)s", dice=lay.faces), verdict.events)
    if watched:
        return NotThrown(Message("Not thrown yet: the dice were only moved."), option)
    question = Paragraph(
        Message("%(dice)s lay there before, elsewhere.", dice=lay.faces),
        Message("Thrown or moved?"),
    )
    return Ask(question, (option,))


def _announce_reset(state: State, verdict: Verdict) -> Verdict:
    """A score is never set back silently: it is asked first."""
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
        "%(dice)s: %(name)s's %(points)s go back to zero",
        dice=dice,
        name=name,
        points=state.player.score,
    )
    question = Paragraph(
        Message("%(dice)s: four 2s.", dice=dice),
        Message("Does %(name)s's score go back to zero?", name=name),
    )
    return Ask(question, (Answer(label, actions),))


def _judge_throw(state: State, lay: Placement) -> Verdict:
    if state.turn.last is None:
        return _take_over(state, lay) if state.left_over else _first_throw(state, lay)
    return judge_mid_turn(state, lay)


def _take_over(state: State, lay: Placement) -> Verdict:
    """All dice are a fresh start, exactly the dice left over a take-over, else it is asked."""
    assert state.left_over is not None  # noqa: S101 - asked by the caller
    left, n, thrown = state.left_over, state.rules.n_dice, len(lay.thrown)
    name = state.player.display_name
    if thrown == n == left.dice:
        question = Message("A fresh start, or %(points)s taken over?", points=left.points)
        return Ask(question, _fresh_or_taken_over(state, lay))
    if thrown == n:
        return Accept((lay.event,))
    if thrown == left.dice:
        note = Message("%(name)s takes over %(points)s.", name=name, points=left.points)
        return Accept((TookOver(), lay.event), note)
    return Attention(
        (
            Message(
                "Saw %(seen)s: all dice are a fresh start, %(left)s a take-over.",
                seen=dice_count(thrown),
                left=dice_count(left.dice),
            ),
        )
    )


def _fresh_or_taken_over(state: State, lay: Placement) -> tuple[Answer, Answer]:
    assert state.left_over is not None  # noqa: S101 - asked by the caller
    name = state.player.display_name
    fresh = Message("%(name)s starts a fresh turn with %(dice)s", name=name, dice=lay.faces)
    take_over = Message(
        "%(name)s takes over %(points)s and threw %(dice)s",
        name=name,
        points=state.left_over.points,
        dice=lay.faces,
    )
    return Answer(fresh, (lay.event,)), Answer(take_over, (TookOver(), lay.event))


def _first_throw(state: State, lay: Placement) -> Verdict:
    n, name, seen = state.dice_in_hand, state.player.display_name, len(lay.thrown)
    if seen == n:
        return Accept((lay.event,))
    if seen + len(lay.stayed) == n:
        return _all_or_some(n, lay)
    why = (
        Message("%(name)s begins with all dice", name=name)
        if n == state.rules.n_dice
        else Message("%(name)s throws %(dice)s", name=name, dice=dice_count(n))
    )
    return Attention((messages.expected(n, seen, why),))


def _all_or_some(n: int, lay: Placement) -> Ask:
    """Some lie exactly as before: by chance, or they were not thrown."""
    all_dice = lay.all_thrown
    label = Message("All %(n)s were thrown: %(dice)s", n=n, dice=all_dice.faces)
    question = Paragraph(
        Message("One die lies exactly as before.")
        if len(lay.stayed) == 1
        else Message("Some dice lie exactly as before."),
        Message("Were all %(n)s thrown?", n=n),
        Message("If not, throw all %(n)s and press.", n=n),
    )
    return Ask(question, (Answer(label, (all_dice.event,)),))
