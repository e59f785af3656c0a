"""The steps from a request for a reading to its result."""

from dataclasses import replace

from device.session import judge
from device.session.decisions import Decisions
from device.session.live_match import throws_elsewhere
from device.session.plays import Plays
from device.session.table_state import (
    STILL_WAITING,
    THROWN_SINCE,
    AwaitThrow,
    ConfirmThrow,
    NeedsAttention,
    OpenQuestion,
    Overlay,
    Purpose,
    ReadThrow,
    ReadUnprompted,
    RereadThrow,
    TableState,
    Waiting,
)
from device.session.tray_reader import TrayReading
from device.session.verdict import Accept, Ask, Attention, EmptyTray, NotThrown, Verdict
from game.message import Message, Paragraph
from game.situation import Situation, TableError

LAST_THROW_SHOWN = (Situation.ACCEPTED, Situation.TURN_OVER, Situation.WON)
"""The situations in which the last throw is shown as it was accepted."""


class CameraPresence:
    """The presence of a camera over the tray.

    Args:
        table: The state of the table.

    Attributes:
        is_present: Whether the camera works.
        is_known: Whether the program has found a camera, or has found that there is none. Until then,
            a press of the button waits for the camera.
    """

    def __init__(self, table: TableState) -> None:
        self._table = table
        self.is_present = self.is_known = False
        self._lost_message: Message | None = None
        self._message_before = table.message

    def found(self) -> None:
        """Record that the camera works, for the first time or after a failure."""
        if self._table.message is self._lost_message:
            self._table.message = self._message_before
        self.is_present = self.is_known = True

    def lost(self, reason: Message) -> None:
        """Note that no camera works.

        The method may be called again at every retry. If the table has shown a different message
        since the first call, that message stays.

        Args:
            reason: What is wrong with the camera, and what to do.
        """
        table = self._table
        is_news = self.is_present or not self.is_known
        self.is_present, self.is_known = False, True
        if is_news:
            self._message_before = table.message
        if isinstance(table.overlay, Waiting):
            table.overlay = _interrupted(table.overlay)
            if table.overlay is None:
                self._message_before = Message("The camera is working again: press the button.")
        if is_news or table.message is self._lost_message:
            table.message = self._lost_message = Paragraph(
                Message("No camera (%(reason)s).", reason=reason),
                Message("Until it works again, tap the dice in on a phone."),
            )


class ReadingRequests:
    """Requests readings of the tray, and stops waiting for them.

    Args:
        table: The state of the table.
        camera: Knows whether there is a camera.
        plays: The games that can be played. `plays.match` banks the turn without a reading if the button was
            held to bank but the tray never comes to rest, although no dice are rolling.
    """

    def __init__(self, table: TableState, camera: CameraPresence, plays: Plays) -> None:
        self._table, self._camera, self._plays = table, camera, plays

    def request(self, purpose: Purpose, since_s: float | None = None) -> None:
        """Request a reading or, if there is no camera, show a message saying so.

        Args:
            purpose: The purpose of the reading.
            since_s: Time after which the awaited throw must happen, in seconds on the tray reader's
                clock; None means now.
        """
        table = self._table
        if self._camera.is_known and not self._camera.is_present:
            table.message = Message(
                "There is no camera: take a photo with a phone, or tap the dice in."
            )
            return
        number = table.tray_reader.request_reading(
            needs_motion=isinstance(purpose, AwaitThrow),
            since_s=since_s,
            is_unprompted=isinstance(purpose, ReadUnprompted),
        )
        table.overlay = Waiting(number, purpose, table.live_match.request)
        match purpose:
            case AwaitThrow():
                table.message = Message("Waiting for a throw.")
            case ReadUnprompted():
                pass
            case _:
                table.message = Message("Waiting for the dice to lie still.")

    def press(self) -> None:
        """Request a reading because somebody pressed the button, unless one is already being awaited."""
        table = self._table
        match table.overlay:
            case Waiting(purpose=ReadThrow() | ConfirmThrow() | RereadThrow()) as waiting:
                table.message = STILL_WAITING
                request = waiting.request or table.live_match.request
                table.overlay = replace(waiting, request=request)
            case _:
                self.request(ReadThrow())

    def dice_settled(self) -> None:
        """Request a reading of dice that were seen rolling and now lie still, if a throw is expected."""
        table, overlay = self._table, self._table.overlay
        expects_none = table.situation in (Situation.WON, Situation.BOT) or table.is_elsewhere
        if not isinstance(overlay, Waiting) and not expects_none:
            self.request(ReadUnprompted(overlay))

    def reread(self) -> None:
        """Request another reading of the throw in view. If it shows other dice, the throw is corrected.

        Raises:
            TableError: If no throw is in view, or dice have been thrown since.
        """
        table = self._table
        throw = table.live_match.match.last_throw
        if throw is None or table.situation not in LAST_THROW_SHOWN:
            raise TableError(
                Message("There is no throw to read again yet: press the button to read the dice.")
            )
        if table.tray_reader.has_tumbled or table.tray_reader.is_moving:
            raise TableError(THROWN_SINCE)
        self.request(RereadThrow(throw.index))

    def stop(self, message: Message) -> None:
        """Stop waiting for a reading.

        If nobody asked for the reading, the question or the advice that it interrupted is shown again.

        Args:
            message: The message that the table shows if no question or advice is shown again.
        """
        table = self._table
        if isinstance(table.overlay, Waiting):
            table.tray_reader.cancel_request()
            table.overlay = _interrupted(table.overlay)
            if table.overlay is None:
                table.message = message

    def timed_out(self, number: int) -> None:
        """Stop waiting for a reading because the tray did not come to rest in time.

        Args:
            number: Number of the request that timed out.
        """
        table = self._table
        waiting = waiting_for(table, number)
        if waiting is None:
            return
        if isinstance(waiting.purpose, ReadUnprompted):
            table.overlay = waiting.purpose.interrupted
            return
        self.stop(Message("Something in the tray kept moving for 20 seconds: press again."))
        if _then_bank(waiting.purpose) and table.tray_reader.has_tumbled is False:
            with table.live_match.for_request(waiting.request):
                self._plays.match.try_to_bank()  # something keeps moving, but no dice have rolled


class ReadingResults:
    """Receives readings as they arrive, and acts on what they mean for the match, the roll-off or "just dice".

    Args:
        table: The state of the table.
        decisions: Carries out verdicts on readings.
        requests: Requests further readings.
        plays: The games that can be played.
        camera: Knows whether there is a camera.
    """

    def __init__(
        self,
        table: TableState,
        decisions: Decisions,
        requests: ReadingRequests,
        plays: Plays,
        camera: CameraPresence,
    ) -> None:
        self._table, self._decisions, self._requests = table, decisions, requests
        self._plays, self._camera = plays, camera
        self._with_ignored: Overlay | None = None

    def answered(
        self, number: int, tray_reading: TrayReading, earlier: TrayReading | None = None
    ) -> TrayReading | None:
        """Handle the reading that answers a request.

        Args:
            number: Number of the request.
            tray_reading: The current reading of the tray.
            earlier: The reading of the tray before it was emptied; None if that reading has already been
                used, or if the tray was not emptied.

        Returns:
            The reading that the table shows now, either `tray_reading` or `earlier`. None if this
            request is not the outstanding one, or if nobody asked for the reading and the tray is
            empty.
        """
        table = self._table
        waiting = waiting_for(table, number)
        if waiting is None:
            return None
        if isinstance(waiting.purpose, ReadUnprompted) and _is_empty(tray_reading):
            # The dice were picked up before anybody asked for a reading.
            table.overlay = waiting.purpose.interrupted
            table.note_reading(tray_reading.time_s)
            return None
        table.overlay, table.read_s = None, tray_reading.time_s
        places = table.last_places
        if isinstance(waiting.purpose, RereadThrow):
            places = tuple(place for place in places if place.aside)
        known = tray_reading.with_known_faces(places)
        with table.live_match.for_request(waiting.request):
            if earlier and self._offer_earlier(waiting.purpose, known, earlier):
                return earlier
            self._take(waiting.purpose, known)
        self._note_if_clear(tray_reading)
        return tray_reading

    def photographed(self, tray_reading: TrayReading) -> None:
        """Use the reading of a phone's photo of the dice as the throw.

        A photo cannot be read a second time, so a person has to confirm a throw that costs points.

        Raises:
            TableError: If the match is over, or the current player throws at another tray.
        """
        table = self._table
        if table.situation is Situation.WON:
            raise TableError(Message("The match is over: hold the button for a rematch."))
        table.check_no_bot_plays()
        if table.is_elsewhere:
            raise TableError(throws_elsewhere(table.live_match.match))
        table.clear()
        table.read_s = tray_reading.time_s
        verdict = self._plays.current.read(tray_reading.with_known_faces(table.last_places))
        if isinstance(verdict, Accept | Ask) and judge.is_costly(table.live_match.match, verdict):
            verdict = judge.ask_to_confirm(verdict)
        self._follow(verdict)
        self._note_if_clear(tray_reading)

    def correct(self, tray_reading: TrayReading) -> None:
        """Judge a reading again, after a person has named the face of one of its dice.

        Args:
            tray_reading: The reading with that face.

        Raises:
            TableError: If no question or advice about a reading is open.
        """
        self._check_in_question(
            Message("That die is not part of the last throw: press the button to read the dice.")
        )
        has_ignored = self.has_ignored_objects
        self._judge_again(tray_reading)
        self._with_ignored = self._table.overlay if has_ignored else None

    def ignore(self, tray_reading: TrayReading) -> None:
        """Judge a reading again, after a person has said that one of its objects is not a die.

        Args:
            tray_reading: The reading without that object.

        Raises:
            TableError: If no question or advice about a reading is open.
        """
        self._check_in_question(
            Message("That throw has been accepted: correct its dice or undo it.")
        )
        self._judge_again(tray_reading)
        self._with_ignored = self._table.overlay

    @property
    def has_ignored_objects(self) -> bool:
        """Whether an object was ignored in the reading that the open question or advice is about."""
        overlay = self._table.overlay
        return self._camera.is_present and overlay is not None and overlay is self._with_ignored

    def undo_ignoring(self) -> None:
        """Request another reading, which will include the objects that were ignored."""
        self._table.clear()
        self._table.tray_reader.discard_readings(self._table.read_s or 0.0)
        self._requests.request(ReadThrow())

    def _check_in_question(self, refusal: Message) -> None:
        if not isinstance(self._table.overlay, OpenQuestion | NeedsAttention):
            raise TableError(refusal)

    def _judge_again(self, tray_reading: TrayReading) -> None:
        self._table.overlay = None
        known = tray_reading.with_known_faces(self._table.last_places)
        self._follow(self._plays.current.read(known))
        self._note_if_clear(tray_reading)

    def _note_if_clear(self, tray_reading: TrayReading) -> None:
        """Record that the tray has been read, unless a question about the reading is still open."""
        match self._table.overlay:
            case None | Waiting(purpose=AwaitThrow()):
                self._table.note_reading(tray_reading.time_s)

    def _take(self, purpose: Purpose, tray_reading: TrayReading) -> None:
        current = self._plays.current
        if current is self._plays.match:
            if isinstance(purpose, RereadThrow):
                self._take_reread(purpose, tray_reading)
            else:
                self._take_throw(purpose, tray_reading)
            return
        self._follow(current.read(tray_reading), tray_reading.time_s)
        if _then_bank(purpose) and not isinstance(self._table.overlay, NeedsAttention):
            self._plays.rolloff.end_if_possible()

    def _take_throw(self, purpose: Purpose, tray_reading: TrayReading) -> None:
        first = purpose.first if isinstance(purpose, ConfirmThrow) else None
        if first is not None and first.values != tray_reading.reading.values:
            differ = Message(
                "My two readings of this throw differ. Press the button to read it again."
            )
            self._decisions.apply(Attention((differ,)))
            return
        verdict = self._plays.match.read(tray_reading)
        if first is None and judge.is_costly(self._table.live_match.match, verdict):
            self._requests.request(ConfirmThrow(tray_reading.reading, _then_bank(purpose)))
        elif _then_bank(purpose):
            self._follow_and_bank(verdict, tray_reading)
        else:
            self._follow(verdict, tray_reading.time_s)

    def _take_reread(self, purpose: RereadThrow, tray_reading: TrayReading) -> None:
        """Handle a new reading of an accepted throw; correct the throw if two new readings agree on other dice."""
        match = self._table.live_match.match
        throw = match.last_throw
        if throw is None or throw.index != purpose.throw_index:
            return
        found = judge.reread_dice(match, throw, tray_reading)
        if isinstance(found, NotThrown):
            self._decisions.apply(found)
        elif found == throw.dice:
            self._table.message = Message("Read again: %(dice)s, as before.", dice=found)
        elif purpose.first is None:
            self._requests.request(RereadThrow(throw.index, tray_reading.reading))
        elif purpose.first.values != tray_reading.reading.values:
            differ = Message("My two readings of this throw differ.")
            self._decisions.apply(NotThrown(Paragraph(Message("Nothing was changed."), differ)))
        else:
            self._plays.match.correct(found, throw.index)

    def _offer_earlier(
        self, purpose: Purpose, tray_reading: TrayReading, earlier: TrayReading
    ) -> bool:
        """Ask whether dice picked up before the button was pressed are the throw, if they can be.

        Args:
            purpose: The purpose of the request.
            tray_reading: The current reading of the tray.
            earlier: The reading of the tray before it was emptied.

        Returns:
            Whether the question was asked.
        """
        table = self._table
        if self._plays.current is not self._plays.match or isinstance(purpose, RereadThrow):
            return False
        age_s = tray_reading.time_s - earlier.time_s
        question = judge.offer_earlier(table.live_match.match, earlier, table.leftovers, age_s)
        if question is None:
            return False
        if _then_bank(purpose) and judge.asks_for_bank(question):
            question = self._with_bank_alone(question, tray_reading)
        self._decisions.apply(question)
        return True

    def _follow(self, verdict: Verdict | None, since_s: float | None = None) -> None:
        """Carry out a verdict, if there is one. If the tray is empty, wait for a throw made after the time `since_s`."""
        if isinstance(verdict, EmptyTray):
            self._requests.request(AwaitThrow(), since_s)
        elif verdict is not None:
            self._decisions.apply(verdict)

    def _follow_and_bank(self, verdict: Verdict, tray_reading: TrayReading) -> None:
        """Carry out a verdict, then bank. An empty tray means that the dice were picked up after the throw."""
        table = self._table
        if isinstance(verdict, EmptyTray):
            self._plays.match.try_to_bank()
            return
        if isinstance(verdict, Ask) and judge.asks_for_bank(verdict):
            verdict = self._with_bank_alone(verdict, tray_reading)
        self._decisions.apply(verdict)
        if table.situation is not Situation.ACCEPTED:
            return
        if isinstance(verdict, Accept) and verdict.repairs:
            table.message = Paragraph(table.message, Message("Hold the button again to bank."))
        else:
            self._plays.match.try_to_bank()

    def _with_bank_alone(self, question: Ask, tray_reading: TrayReading) -> Ask:
        only_bank = self._plays.match.only_bank(tray_reading)
        return replace(question, options=(*question.options, only_bank))


def waiting_for(table: TableState, number: int) -> Waiting | None:
    """Return what the table is waiting for if that is the answer to request `number`, otherwise None.

    Args:
        table: The state of the table.
        number: Number of the request.
    """
    overlay = table.overlay
    return overlay if isinstance(overlay, Waiting) and overlay.number == number else None


def _then_bank(purpose: Purpose) -> bool:
    return isinstance(purpose, ReadThrow | ConfirmThrow) and purpose.then_bank


def _interrupted(waiting: Waiting) -> Overlay | None:
    purpose = waiting.purpose
    return purpose.interrupted if isinstance(purpose, ReadUnprompted) else None


def _is_empty(tray_reading: TrayReading) -> bool:
    return tray_reading.reading.is_sure and not tray_reading.reading.dice_in_tray
