"""The table as one person would keep it: what a press, a hold and a reading do, when.

Single-threaded and without hardware: the companion calls it, one message after the other, and
publishes a snapshot after each. The table of states is in docs/play.md: `situation` names the
row, `press` and `hold` are its columns.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from device.session import judge
from device.session.dice_control import DiceControl
from device.session.indicator import BANK_S, SHUTDOWN_S, UNDO_S
from device.session.live_match import LiveMatch
from device.session.tray_reader import TrayReader, TrayReading
from device.session.verdict import (
    Accept,
    Answer,
    Ask,
    Attention,
    EmptyTray,
    NeedsAttention,
    NotThrown,
    OpenQuestion,
    Overlay,
    Verdict,
    WaitingForStillness,
)
from game.commands import Hold, Press, ReadAgain
from game.dice_log import DiceLog
from game.errors import GameError
from game.match.events import Banked
from game.message import Message, Paragraph
from game.rules.ruleset import Ruleset
from game.situation import Situation, TableError
from vision.reading import Reading

IN_VIEW = (Situation.ACCEPTED, Situation.TURN_OVER, Situation.WON)
"""Where the last throw stands as it was accepted."""


class Session(DiceControl):
    """The match and all that is said about it, with a button and a watch over the tray.

    Args:
        live_match: the match and its journal.
        rules: for a match that begins at the button.
        tray_reader: reads the tray.
        shut_down: called when the button was held for that; None where it is not allowed.

    Attributes:
        started: whether the camera was found, or found missing; until then a press waits for it.
        offering: what the open question offers to use, where it was taken up unread.
    """

    def __init__(
        self,
        live_match: LiveMatch,
        rules: Ruleset,
        tray_reader: TrayReader,
        *,
        shut_down: Callable[[], object] | None = None,
    ) -> None:
        super().__init__(live_match, rules, tray_reader)
        self.has_camera = self.started = False
        self._no_camera: Message | Paragraph | None = None
        self._before_camera_was_lost = self.message
        self.offering: TrayReading | None = None
        self._answered_s: float | None = None  # when the tray was seen of which a look tells now
        self._left_out: Overlay | None = None
        self._shut_down = shut_down

    @property
    def _jobs(self) -> dict[type, Callable[[Any], object]]:
        return super()._jobs | {
            Press: lambda _: self.press(),
            Hold: lambda c: self.hold(c.seconds),
            ReadAgain: lambda _: self._read_again(),
        }

    # The button

    @property
    def may_shut_down(self) -> bool:
        """Whether a very long hold shuts the machine down."""
        return self._shut_down is not None

    def press(self) -> None:
        """Read what lies in the tray, or say why not."""
        match self.situation:
            case Situation.WON:
                self.message = Message("The match is over: hold the button for a rematch.")
            case Situation.WAITING:
                self._press_while_waiting()
            case _:
                self._look()

    def _press_while_waiting(self) -> None:
        waiting = self.overlay
        if not isinstance(waiting, WaitingForStillness):
            return
        if waiting.armed or waiting.by_itself:
            self._look()  # now somebody asks
            return
        self.message = Message("Still waiting for the dice to lie still.")
        request = waiting.request or self.live_match.request
        self.overlay = replace(waiting, request=request)

    def hold(self, seconds: float) -> None:
        """What letting go after so many seconds does."""
        if seconds >= SHUTDOWN_S:
            self._shut_down_if_allowed()
        elif seconds >= UNDO_S:
            self._undo()
        elif seconds >= BANK_S:
            self._hold()
        else:
            self.press()

    def _hold(self) -> None:
        match self.situation:
            case Situation.NO_MATCH:
                self._end_rolloff()
            case Situation.TURN_BEGINS | Situation.TURN_OVER:
                self._say_throw_first()
            case Situation.WAITING:
                self._hold_while_waiting()
            case Situation.ACCEPTED if self._tray_reader.has_tumbled or self._tray_reader.is_moving:
                self._look(then_bank=True)
            case Situation.ACCEPTED:
                self._play(Banked())
            case Situation.QUESTION:
                self._choose(self._options[0])
            case Situation.ATTENTION:
                self._hold_at_attention()
            case Situation.WON:
                self._rematch()
            case Situation.JUST_DICE:
                self.message = Message("Just dice: there is nothing to bank. Press to read them.")

    def _say_throw_first(self) -> None:
        name = self.live_match.match.state.player.display_name
        self.message = Message("Throw first: it is %(name)s's turn.", name=name)

    def _hold_while_waiting(self) -> None:
        waiting = self.overlay
        if not isinstance(waiting, WaitingForStillness):
            return
        if waiting.by_itself and waiting.before is None and self.dice is None:
            self._look(then_bank=True)
            return
        self._stop_waiting(waiting, Message("Stopped waiting."))
        if not self._end_rolloff_if_possible() and self.overlay:  # the hold meant that
            self._hold()

    def came_to_rest(self) -> None:
        """Dice were thrown and lie still: they are read as for a press, where a throw is awaited."""
        if self.situation not in (Situation.WAITING, Situation.WON):
            self._look(by_itself=True)

    def _hold_at_attention(self) -> None:
        """In the roll-off it means what it does there; in a match, what to do is said again."""
        if not self._end_rolloff_if_possible() and isinstance(self.overlay, NeedsAttention):
            self.message = Paragraph(Message("Nothing is banked yet."), self.overlay.advice[0])

    def _shut_down_if_allowed(self) -> None:
        if self._shut_down is None:
            self.message = Message("Shutting down by the button is switched off.")
        else:
            self.message = Message(
                "Shutting down: pull the plug when the Pi's green light has stopped blinking."
            )
            self._shut_down()

    # Reading

    def _read_again(self) -> None:
        """Take a new look at the throw in view: where it shows other dice, they take its place."""
        throw = self.live_match.match.last_throw
        if throw is None or self.situation not in IN_VIEW:
            raise TableError(
                Message("There is no accepted throw to read again: press to read the dice.")
            )
        if self._tray_reader.has_tumbled or self._tray_reader.is_moving:
            raise TableError(Message("The dice were thrown since: press to read them."))
        self._look(again=throw.index)

    def _look(
        self,
        *,
        armed: bool = False,
        then_bank: bool = False,
        confirming: Reading | None = None,
        again: int | None = None,
        by_itself: bool = False,
    ) -> None:
        if self.started and not self.has_camera:
            self.message = Message(
                "There is no camera: take a picture with a phone, or tap the dice in."
            )
            return
        since_s = self._answered_s if armed else None
        number = self._tray_reader.request_reading(
            needs_motion=armed, since_s=since_s, is_unprompted=by_itself
        )
        before = self.overlay if by_itself else None
        self.overlay = WaitingForStillness(
            number, armed, then_bank, confirming, again, by_itself, before, self.live_match.request
        )
        if by_itself:
            return
        still = Message("Waiting for the dice to lie still.")
        self.message = Message("Waiting for a throw.") if armed else still

    def _stop_waiting(self, waiting: WaitingForStillness, message: Message) -> None:
        """What was open before a look that nobody asked for is open again."""
        self._tray_reader.cancel_request()
        self.overlay = waiting.before
        if self.overlay is None:
            self.message = message

    def timed_out(self, look: int) -> None:
        """The tray did not come to rest within the time of this look."""
        waiting = self.overlay
        if not isinstance(waiting, WaitingForStillness) or waiting.look != look:
            return
        if waiting.by_itself:
            self.overlay = waiting.before  # nobody had asked
            return
        self._stop_waiting(waiting, Message("The tray was not still for 20 seconds: press again."))
        if waiting.then_bank and self._tray_reader.has_tumbled is False:
            with self.live_match.asked_by(waiting.request):
                self._bank_if_allowed()  # something moves all the time, and it is no dice

    def camera_found(self) -> None:
        if self.message is self._no_camera:
            self.message = self._before_camera_was_lost
        self.has_camera = self.started = True

    def camera_lost(self, reason: Message) -> None:
        """Told once, and again only while nothing else was said since: it is looked for every few seconds."""
        is_news = self.has_camera or not self.started
        self.has_camera, self.started = False, True
        if is_news:
            self._before_camera_was_lost = self.message
        if isinstance(self.overlay, WaitingForStillness):
            if self.overlay.before is None:
                self._before_camera_was_lost = Message("The camera is back: press again.")
            self.overlay = self.overlay.before
        if is_news or self.message is self._no_camera:
            self.message = self._no_camera = Paragraph(
                Message("No camera (%(reason)s).", reason=reason),
                Message("Tap the dice in on a phone meanwhile."),
            )

    def seen(
        self, look: int, tray_reading: TrayReading, earlier: TrayReading | None = None
    ) -> bool:
        """A look was answered: whether that says anything, to somebody who still waits for it.

        `earlier` is what lay in a tray that is empty now.
        """
        waiting = self.overlay
        if not isinstance(waiting, WaitingForStillness) or waiting.look != look:
            return False
        self.overlay = waiting.before
        if (
            waiting.by_itself
            and tray_reading.reading.is_sure
            and not tray_reading.reading.dice_in_tray
        ):
            return False  # taken up again: nobody has asked for these
        self.overlay = self.offering = None
        self._seen_s = tray_reading.time_s
        tray_reading = tray_reading.with_known_faces(
            self._kept if waiting.again is not None else self._lay
        )
        self._answered_s = tray_reading.time_s
        try:
            with self.live_match.asked_by(waiting.request):
                self._take_up(waiting, tray_reading, earlier)
        finally:
            self._answered_s = None
        return True

    def _take_up(
        self, waiting: WaitingForStillness, tray_reading: TrayReading, earlier: TrayReading | None
    ) -> None:
        if self.dice is not None:
            self._read_dice_or_wait(self.dice, tray_reading)
        elif not self.live_match:
            self._rolled_off(tray_reading)
            if waiting.then_bank and not isinstance(self.overlay, NeedsAttention):
                self._end_rolloff_if_possible()
        elif waiting.again is not None:
            self._judge_again(waiting, tray_reading)
        elif not (earlier and self._offered(waiting, tray_reading, earlier)):
            self._judge(waiting, tray_reading)

    def _read_dice_or_wait(self, log: DiceLog, tray_reading: TrayReading) -> None:
        if tray_reading.reading.is_sure and not tray_reading.reading.dice_in_tray:
            self._look(armed=True)
        else:
            self._read_dice(log, tray_reading)

    def _offered(
        self, waiting: WaitingForStillness, tray_reading: TrayReading, earlier: TrayReading
    ) -> bool:
        """Ask whether dice that were taken up unread are the throw; never used unasked."""
        age_s = tray_reading.time_s - earlier.time_s
        question = judge.offer(self.live_match.match, earlier, self._leftovers, age_s)
        if question is None:
            return False
        if waiting.then_bank and judge.asks_for_bank(question):
            question = self._with_bank_alone(question, tray_reading)
        self.offering = earlier
        self._apply(question)
        return True

    def refuse_picture(self) -> None:
        """Raise where a phone's picture of the dice can be no throw."""
        if self.situation is Situation.WON:
            raise TableError(Message("The match is over: hold the button for a rematch."))

    def photographed(self, tray_reading: TrayReading) -> None:
        """A phone took this picture: it is the throw, as if it had been pressed for.

        There is no second look at it, so where it costs something a person says whether it is right.
        """
        self._clear()
        self._seen_s = tray_reading.time_s
        tray_reading = tray_reading.with_known_faces(self._lay)
        if self.dice is not None:
            self._read_dice(self.dice, tray_reading)
            return
        if not self.live_match:
            self._rolled_off(tray_reading)
            return
        verdict = judge.judge(self.live_match.match, tray_reading, self._leftovers)
        if isinstance(verdict, Accept | Ask) and judge.costs(self.live_match.match, verdict):
            verdict = judge.sure_of(verdict)
        self._apply(verdict)

    def told(self, tray_reading: TrayReading) -> None:
        """A person named a face in the tray_reading that is in question: it is judged anew."""
        if not isinstance(self.overlay, OpenQuestion | NeedsAttention):
            raise TableError(
                Message("That die is no part of the last throw: press to read the dice.")
            )
        has_left_out = self.has_left_out
        self._judge_anew(tray_reading)
        self._left_out = self.overlay if has_left_out else None

    def left_out(self, tray_reading: TrayReading) -> None:
        """A person called something nothing that was seen: the tray_reading without it is judged anew."""
        if not isinstance(self.overlay, OpenQuestion | NeedsAttention):
            raise TableError(Message("That throw is accepted: correct its dice, or take it back."))
        self._judge_anew(tray_reading)
        self._left_out = self.overlay

    @property
    def has_left_out(self) -> bool:
        """Whether something was called nothing in what is open: a step back looks at it again."""
        return self.has_camera and self.overlay is not None and self.overlay is self._left_out

    def _judge_anew(self, tray_reading: TrayReading) -> None:
        self.overlay = None
        tray_reading = tray_reading.with_known_faces(self._lay)
        if self.dice is not None:
            self._read_dice_or_wait(self.dice, tray_reading)
        elif self.live_match:
            self._follow(judge.judge(self.live_match.match, tray_reading, self._leftovers))
        else:
            self._rolled_off(tray_reading)

    def _undo(self) -> None:
        if not self.has_left_out:
            super()._undo()
            return
        self._clear()
        self._tray_reader.discard_readings(self._seen_s or 0.0)
        self._look()

    def _judge(self, waiting: WaitingForStillness, tray_reading: TrayReading) -> None:
        first = waiting.confirming
        if first is not None and first.values != tray_reading.reading.values:
            differ = Message("Two looks at this throw do not agree: press again.")
            self._apply(Attention((differ,)))
            return
        verdict = judge.judge(self.live_match.match, tray_reading, self._leftovers)
        if first is None and judge.costs(self.live_match.match, verdict):
            self._look(then_bank=waiting.then_bank, confirming=tray_reading.reading)
        elif waiting.then_bank:
            self._apply_and_bank(verdict, tray_reading)
        else:
            self._follow(verdict)

    def _judge_again(self, waiting: WaitingForStillness, tray_reading: TrayReading) -> None:
        """What takes the place of a throw is seen twice."""
        throw = self.live_match.match.last_throw
        if throw is None or throw.index != waiting.again:
            return
        found = judge.judge_again(self.live_match.match, throw, tray_reading)
        first = waiting.confirming
        if isinstance(found, NotThrown):
            self._apply(found)
        elif found == throw.dice:
            self.message = Message("Read again: %(dice)s, as before.", dice=found)
        elif first is None:
            self._look(confirming=tray_reading.reading, again=throw.index)
        elif first.values != tray_reading.reading.values:
            differ = Message("Two looks at the tray do not agree.")
            self._apply(NotThrown(Paragraph(Message("Nothing is changed."), differ)))
        else:
            self._correct(found, throw.index)

    def _apply_and_bank(self, verdict: Verdict, tray_reading: TrayReading) -> None:
        """An empty tray is no throw here: the dice were taken up after it."""
        if isinstance(verdict, EmptyTray):
            self._bank_if_allowed()
            return
        if isinstance(verdict, Ask) and judge.asks_for_bank(verdict):
            verdict = self._with_bank_alone(verdict, tray_reading)
        self._apply(verdict)
        if self.situation is not Situation.ACCEPTED:
            return
        if isinstance(verdict, Accept) and verdict.repairs:
            self.message = Paragraph(self.message, Message("Hold again to bank."))
        else:
            self._bank_if_allowed()

    def _with_bank_alone(self, question: Ask, tray_reading: TrayReading) -> Ask:
        return replace(question, options=(*question.options, self._only_bank(tray_reading)))

    def _only_bank(self, tray_reading: TrayReading) -> Answer:
        """The dice fell back into the tray as the button was held: they are no throw."""

        def bank() -> None:
            self._play(Banked())
            self._leftovers = judge.places(tray_reading.reading)
            self._tray_reader.mark_accepted(tray_reading.time_s)

        name = self.live_match.match.state.player.display_name
        return Answer(Message("%(name)s banked, nobody threw this", name=name), chosen=bank)

    def _bank_if_allowed(self) -> None:
        """A bank some time after the hold: refused, that is said, and what was read stands."""
        if self.situation is not Situation.ACCEPTED:
            self._say_throw_first()
            return
        try:
            self._play(Banked())
        except GameError as error:
            self.message = error.message

    def _follow(self, verdict: Verdict) -> None:
        if isinstance(verdict, EmptyTray):
            self._look(armed=True)
        else:
            self._apply(verdict)

    def _rolled_off(self, tray_reading: TrayReading) -> None:
        found = judge.only_die(tray_reading, self._leftovers)
        if not isinstance(found, int):
            self._follow(found)
            return
        self._leftovers = judge.places(tray_reading.reading)
        self._tray_reader.mark_accepted(tray_reading.time_s)
        self._roll(found)
