"""Readings of the tray, from the request to the result. Each function returns the change of the table."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Protocol

from device.session import dice_play, judge, match_play, rolloff_play
from device.session.live_match import throws_elsewhere
from device.session.table_state import (
    STILL_WAITING,
    THROWN_SINCE,
    AwaitThrow,
    Change,
    ConfirmThrow,
    NeedsAttention,
    OpenQuestion,
    Purpose,
    ReadThrow,
    ReadUnprompted,
    RereadThrow,
    TableState,
    TrayNote,
    Waiting,
)
from device.session.tray_reader import TrayReading
from device.session.verdict import (
    Accept,
    Answer,
    Ask,
    Attention,
    BankAlone,
    EmptyTray,
    NotThrown,
    Verdict,
)
from game.message import Message, Paragraph
from game.rules.ruleset import Dice
from game.situation import Situation, TableError

NO_CAMERA = Message("There is no camera: take a photo with a phone, or tap the dice in.")
"""The answer to a press without a camera."""

CAMERA_BACK = Message("The camera is working again: press the button.")

LAST_THROW_SHOWN = (Situation.ACCEPTED, Situation.TURN_OVER, Situation.WON)
"""The situations in which the last throw is shown as it was accepted."""


class Play(Protocol):
    """Something that can be played at the table: a match, the roll-off or "just dice"."""

    def read(self, state: TableState, tray_reading: TrayReading, /) -> Verdict | Change:
        """Interpret a reading, and return the verdict on it, or the change if it is accepted as a throw."""

    def enter(self, state: TableState, dice: Iterable[int], /) -> Change:
        """Accept a throw that was entered on a phone.

        Raises:
            GameError: If these dice cannot be a throw now.
        """

    def correct(self, state: TableState, dice: Dice, index: int | None, /) -> Change:
        """Replace the dice of a throw.

        Args:
            state: The state of the table.
            dice: The faces that the throw really showed.
            index: Index of the throw; None means the newest throw.

        Raises:
            TableError, GameError: If the throw cannot be corrected to these dice.
        """

    def undo(self, state: TableState, /) -> Change:
        """Take back the last step.

        Raises:
            GameError: If there is no step to take back.
        """


def play_of(state: TableState) -> Play:
    """Return the game that is being played now."""
    if state.dice_log is not None:
        return dice_play
    return rolloff_play if state.in_play is None else match_play


def request_reading(state: TableState, purpose: Purpose) -> Change:
    """Wait for a reading, which the session then requests; if there is no camera, show a message saying so.

    Args:
        state: The state of the table.
        purpose: The purpose of the reading.
    """
    if state.is_camera_known and not state.has_camera:
        return Change(state.saying(NO_CAMERA))
    waiting = replace(state, overlay=Waiting(purpose))
    match purpose:
        case AwaitThrow():
            waiting = waiting.saying(Message("Waiting for a throw."))
        case ReadUnprompted():
            pass
        case _:
            waiting = waiting.saying(Message("Waiting for the dice to lie still."))
    return Change(waiting)


def press(state: TableState, request_id: str) -> Change:
    """Request a reading because somebody pressed the button, unless one is already being awaited.

    Args:
        state: The state of the table.
        request_id: Id of the phone's request that pressed the button; "" if there is none.
    """
    match state.overlay:
        case Waiting(purpose=ReadThrow() | ConfirmThrow()) as waiting:
            marked = replace(waiting, request_id=waiting.request_id or request_id)
            return Change(replace(state, overlay=marked, message=STILL_WAITING))
    return request_reading(state, ReadThrow())


def dice_settled(state: TableState) -> Change:
    """Request a reading of dice that were seen rolling and now lie still, if a throw is expected."""
    expects_none = state.situation in (Situation.WON, Situation.BOT) or state.is_elsewhere
    if isinstance(state.overlay, Waiting) or expects_none:
        return Change(state)
    return request_reading(state, ReadUnprompted(state.overlay))


def read_again(state: TableState, *, has_moved: bool) -> Change:
    """Request another reading of the throw in view. If it shows other dice, the throw is corrected.

    Args:
        state: The state of the table.
        has_moved: Whether dice have rolled since, or are moving.

    Raises:
        TableError: If no throw is in view, or dice have been thrown since.
    """
    throw = state.current_match.last_throw
    if throw is None or state.situation not in LAST_THROW_SHOWN:
        raise TableError(
            Message("There is no throw to read again yet: press the button to read the dice.")
        )
    if has_moved:
        raise TableError(THROWN_SINCE)
    return request_reading(state, RereadThrow(throw.index))


def stop(state: TableState, message: Message) -> Change:
    """Stop waiting for a reading.

    If nobody asked for the reading, the question or the advice that it interrupted is shown again.

    Args:
        state: The state of the table.
        message: The message that the table shows if no question or advice is shown again.
    """
    waiting = state.overlay
    if not isinstance(waiting, Waiting):
        return Change(state)
    stopped = replace(state, overlay=waiting.interrupted)
    if stopped.overlay is None:
        stopped = stopped.saying(message)
    return Change(stopped)


def timed_out(state: TableState, waiting: Waiting, *, has_tumbled: bool | None) -> Change:
    """Stop waiting for a reading because the tray did not come to rest in time.

    Args:
        state: The state of the table.
        waiting: What the table is waiting for.
        has_tumbled: Whether dice have been seen rolling since the last accepted reading; None if the
            tray was not watched throughout.
    """
    if isinstance(waiting.purpose, ReadUnprompted):
        return Change(replace(state, overlay=waiting.interrupted))
    change = stop(state, Message("Something in the tray kept moving for 20 seconds: press again."))
    if waiting.then_bank and has_tumbled is False:
        # Something keeps moving, but no dice have rolled.
        return replace(change, then=match_play.try_to_bank)
    return change


def take(state: TableState, waiting: Waiting, tray_reading: TrayReading) -> Change:
    """Act on the reading for which the table was waiting.

    Args:
        state: The state of the table, which no longer waits.
        waiting: What the table was waiting for.
        tray_reading: The reading, completed with known faces.
    """
    if state.match is None:
        found = play_of(state).read(state, tray_reading)
        change = _follow(state, found, tray_reading, tray_reading.time_s)
        if not waiting.then_bank or change.then:
            return change
        return replace(change, then=_end_rolloff_if_possible)
    if isinstance(waiting.purpose, RereadThrow):
        if not tray_reading.has_tumbled:
            return _take_reread(state, waiting.purpose, tray_reading)
        waiting = replace(waiting, purpose=ReadThrow())  # the dice in view are the next throw
    return _take_throw(state, waiting, tray_reading)


def offer_earlier(
    state: TableState, waiting: Waiting, tray_reading: TrayReading, earlier: TrayReading
) -> Change | None:
    """Ask whether dice picked up before the button was pressed are the throw; return None if they cannot be.

    Args:
        state: The state of the table, which no longer waits.
        waiting: What the table was waiting for.
        tray_reading: The current reading of the tray.
        earlier: The reading of the tray before it was emptied.
    """
    if state.match is None or isinstance(waiting.purpose, RereadThrow):
        return None
    age_s = tray_reading.time_s - earlier.time_s
    bank_alone = (match_play.bank_alone_answer(state, tray_reading),) if waiting.then_bank else ()
    return _ask_about_earlier(state, earlier, age_s, bank_alone)


def _ask_about_earlier(
    state: TableState, earlier: TrayReading, age_s: float, bank_alone: tuple[Answer, ...]
) -> Change | None:
    """Ask whether dice that were picked up are the throw; return None if they cannot be.

    Args:
        state: The state of the table, without an overlay.
        earlier: The reading of these dice.
        age_s: How long before the press they lay in the tray, in seconds.
        bank_alone: The answer that the player only banked, if it is to be added to the question about a bank.
    """
    question = judge.offer_earlier(state.current_match, earlier, state.earlier_places, age_s)
    if question is None:
        return None
    if judge.asks_for_bank(question):
        question = replace(question, options=(*question.options, *bank_alone))
    change = match_play.apply(state, question, earlier.id)
    overlay = change.state.overlay
    if isinstance(overlay, OpenQuestion):
        overlay = replace(overlay, age_s=age_s)
    return change.ending(replace(change.state, overlay=overlay))


def photographed(state: TableState, tray_reading: TrayReading) -> Change:
    """Use the reading of a phone's photo of the dice as the throw.

    A photo cannot be read a second time, so a person has to confirm a throw that costs points.

    Raises:
        TableError: If the match is over, or the current player throws at another tray.
    """
    if state.situation is Situation.WON:
        raise TableError(Message("The match is over: hold the button for a rematch."))
    state.check_no_bot_plays()
    if state.is_elsewhere:
        raise TableError(throws_elsewhere(state.current_match))
    state = replace(state.cleared(), read_s=tray_reading.time_s)
    if play_of(state) is rolloff_play:
        # A die may be anywhere in a photo, so its place does not tell whether it was thrown.
        tray_reading = replace(tray_reading, has_tumbled=True)
    found = play_of(state).read(state, tray_reading.with_known_faces(state.last_places))
    if state.match and isinstance(found, Accept | Ask) and judge.is_costly(state.match, found):
        found = judge.ask_to_confirm(found)
    return _shown(_follow(state, found, tray_reading), tray_reading)


def correct(state: TableState, tray_reading: TrayReading) -> Change:
    """Judge a reading again, after a person has named the face of one of its dice.

    Args:
        state: The state of the table.
        tray_reading: The reading with that face.

    Raises:
        TableError: If no question or advice about this reading is open.
    """
    refusal = Message("That die is not part of the last throw: press the button to read the dice.")
    change = _judge_again(state, tray_reading, refusal)
    return _with_ignored_objects(change) if state.has_ignored_objects else change


def ignore(state: TableState, tray_reading: TrayReading) -> Change:
    """Judge a reading again, after a person has said that one of its objects is not a die.

    Args:
        state: The state of the table.
        tray_reading: The reading without that object.

    Raises:
        TableError: If no question or advice about this reading is open.
    """
    refusal = Message("That throw has been accepted: correct its dice or undo it.")
    return _with_ignored_objects(_judge_again(state, tray_reading, refusal))


def undo_ignoring(state: TableState) -> Change:
    """Request another reading, which will include the objects that were ignored."""
    return replace(request_reading(state.cleared(), ReadThrow()), tray_note=TrayNote.NEWEST_WRONG)


def camera_found(state: TableState) -> Change:
    """Note that the camera works, for the first time or after a failure."""
    if state.message == state.lost_message:
        state = state.saying(state.message_before)
    elif state.message == NO_CAMERA:
        state = state.saying(CAMERA_BACK)
    return Change(replace(state, has_camera=True, is_camera_known=True))


def camera_lost(state: TableState, reason: Message) -> Change:
    """Note that no camera works.

    This may happen again at every retry. If the table has shown a different message since the first
    time, that message stays.

    Args:
        state: The state of the table.
        reason: What is wrong with the camera, and what to do.
    """
    overlay, message, lost = state.overlay, state.message, state.lost_message
    is_news = state.has_camera or not state.is_camera_known
    before = message if is_news else state.message_before
    if isinstance(overlay, Waiting):
        overlay = overlay.interrupted
        if overlay is None:
            before = CAMERA_BACK
    if is_news or message == lost:
        message = lost = Paragraph(
            Message("No camera (%(reason)s).", reason=reason),
            Message("Until it works again, tap the dice in on a phone."),
        )
    return Change(
        replace(
            state,
            overlay=overlay,
            message=message,
            has_camera=False,
            is_camera_known=True,
            lost_message=lost,
            message_before=before,
        )
    )


def shown(state: TableState, tray_reading: TrayReading) -> TableState:
    """Return the state in which the table shows this reading.

    The tray contains no unread throw then, unless a question about the reading is still open.
    """
    match state.overlay:
        case None | Waiting(purpose=AwaitThrow()):
            state = state.read_at(tray_reading.time_s)
    if state.in_play is None and state.dice_log is None:
        state = replace(state, rolloff_reading=tray_reading.id)
    return state


def _shown(change: Change, tray_reading: TrayReading) -> Change:
    return change.ending(shown(change.state, tray_reading))


def _end_rolloff_if_possible(state: TableState) -> Change:
    if isinstance(state.overlay, NeedsAttention):
        return Change(state)
    return rolloff_play.end_if_possible(state) or Change(state)


def _judge_again(state: TableState, tray_reading: TrayReading, refusal: Message) -> Change:
    overlay = state.overlay
    if not isinstance(overlay, OpenQuestion | NeedsAttention) or overlay.reading != tray_reading.id:
        raise TableError(refusal)
    state = replace(state, overlay=None)
    if isinstance(overlay, OpenQuestion) and overlay.age_s is not None:
        alone = tuple(each for each in overlay.options if isinstance(each.leads_to, BankAlone))
        if question := _ask_about_earlier(state, tray_reading, overlay.age_s, alone):
            return question
    found = play_of(state).read(state, tray_reading.with_known_faces(state.last_places))
    return _shown(_follow(state, found, tray_reading), tray_reading)


def _with_ignored_objects(change: Change) -> Change:
    overlay = change.state.overlay
    if overlay is None:
        return change
    marked = replace(overlay, ignores_objects=True)
    return change.ending(replace(change.state, overlay=marked))


def _take_throw(state: TableState, waiting: Waiting, tray_reading: TrayReading) -> Change:
    purpose = waiting.purpose
    first = purpose.first if isinstance(purpose, ConfirmThrow) else None
    if first is not None and first.values != tray_reading.reading.values:
        differ = Message("My two readings of this throw differ. Press the button to read it again.")
        return match_play.apply(state, Attention((differ,)), tray_reading.id)
    verdict = match_play.read(state, tray_reading)
    if first is None and judge.is_costly(state.current_match, verdict):
        return request_reading(state, ConfirmThrow(tray_reading.reading, waiting.then_bank))
    if waiting.then_bank:
        return _follow_and_bank(state, verdict, tray_reading)
    return _follow(state, verdict, tray_reading, tray_reading.time_s)


def _take_reread(state: TableState, purpose: RereadThrow, tray_reading: TrayReading) -> Change:
    """Handle a new reading of an accepted throw; correct the throw if two new readings agree on other dice."""
    match = state.current_match
    throw = match.last_throw
    if throw is None or throw.index != purpose.throw_index:
        return Change(state)
    found = judge.reread_dice(match, throw, tray_reading)
    if isinstance(found, NotThrown):
        return match_play.apply(state, found)
    if found == throw.dice:
        return Change(state.saying(Message("Read again: %(dice)s, as before.", dice=found)))
    if purpose.first is None:
        return request_reading(state, RereadThrow(throw.index, tray_reading.reading))
    if purpose.first.values != tray_reading.reading.values:
        differ = Message("My two readings of this throw differ.")
        return match_play.apply(
            state, NotThrown(Paragraph(Message("Nothing was changed."), differ))
        )
    return match_play.correct(state, found, throw.index)


def _follow(
    state: TableState,
    found: Verdict | Change,
    tray_reading: TrayReading,
    since_s: float | None = None,
) -> Change:
    """Carry out what was found in a reading. If the tray is empty, wait for a throw made after the time `since_s`."""
    match found:
        case Change():
            return found
        case EmptyTray():
            return request_reading(state, AwaitThrow(since_s))
    return match_play.apply(state, found, tray_reading.id)


def _follow_and_bank(state: TableState, verdict: Verdict, tray_reading: TrayReading) -> Change:
    """Carry out a verdict, then bank. An empty tray means that the dice were picked up after the throw.

    If other dice were seen rolling since then, they may have been a farkle, so the player has to confirm the bank.
    """
    if isinstance(verdict, EmptyTray):
        rolled = tray_reading.has_tumbled and state.situation is Situation.ACCEPTED
        question = judge.ask_about_unread(state.current_match.state) if rolled else None
        if question is None:
            return match_play.try_to_bank(state)
        return match_play.apply(state, question, tray_reading.id)
    if isinstance(verdict, Ask) and judge.asks_for_bank(verdict):
        verdict = _with_bank_alone(state, verdict, tray_reading)
    change = match_play.apply(state, verdict, tray_reading.id)
    if change.state.situation is not Situation.ACCEPTED:
        return change
    if isinstance(verdict, Accept) and verdict.repairs:
        again = Message("Hold the button again to bank.")
        return change.ending(change.state.saying(Paragraph(change.state.message, again)))
    return replace(change, then=match_play.try_to_bank)


def _with_bank_alone(state: TableState, question: Ask, tray_reading: TrayReading) -> Ask:
    only_bank = match_play.bank_alone_answer(state, tray_reading)
    return replace(question, options=(*question.options, only_bank))
