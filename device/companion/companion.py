"""The companion of one table, which connects the camera, the button, the lamp, the match and the pages."""

import logging
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from queue import Empty, SimpleQueue
from threading import Condition, RLock, Thread
from time import monotonic, sleep

from device.calibrating.profile_file import ProfileStore
from device.calibrating.wizard import ButtonUse
from device.cameras.base import Camera
from device.cameras.simulated.player import throw_like_a_player
from device.cameras.simulated.tray import SimulatedTray
from device.coach.coach import TableCoach
from device.companion.bot_turns import BOT_PAUSE_S, BotTurns, Think, think_at_once
from device.companion.picture_keeper import PictureKeeper, read_phone_picture
from device.companion.tray_camera import TrayCamera
from device.hardware.button import TableButton, TrayButton
from device.hardware.outputs import Signals, lamp_for, spoken_text
from device.hardware.systemd import end_process, keep_alive
from device.safe_mode import SafeMode
from device.session.indicator import BANK_S, STUCK_S, Indicator, indicator_for
from device.session.live_match import LiveMatch, throws_elsewhere
from device.session.session import Session
from device.session.table_state import NeedsAttention, OpenQuestion
from device.storage.misreads import MisreadStore
from device.storage.throw_pictures import ThrowPictures
from device.watching.reports import (
    CameraFound,
    CameraLost,
    CapturedReading,
    DiceSettled,
    Report,
    TimedOut,
)
from device.watching.tray_watch import WatchOptions
from game.commands import (
    AcknowledgeDamage,
    Command,
    CorrectDie,
    EnterThrow,
    Hold,
    LeaveSafeMode,
    MarkForeignObject,
    MoveSimulatedButton,
    Press,
    RestoreBackup,
    SetCoachMode,
    ShowOtherPhoto,
    SubmitPhoto,
    ThrowSimulatedDice,
)
from game.dice_log import DiceLog
from game.errors import GameError
from game.match.match import Match, new_names
from game.match.rolloff import RollOff
from game.message import Message, Paragraph, Sentence, join_with_semicolons
from game.rules.ruleset import Ruleset
from game.situation import Situation, TableError
from game.stats.announcements import has_banked
from web.access.scorekeeper import Scorekeeper
from web.contracts import Album, Coaching, CoachMode, OtherTrayView, Snapshot

log = logging.getLogger(__name__)

ANSWER_S = 10.0
"""How long a phone waits for a command, in seconds, before the companion answers that the table is busy.

This is longer than any command takes."""

RESTORE_S = 120.0
"""How long a phone waits while a backup is restored, in seconds: an SD card writes a few MB per second."""

PASS_S = 1.0
"""The longest time that one pass of the loop waits for a note, in seconds, so that the watchdog sees that the loop is running."""

BUSY = Message("Traykeeper is busy: check the scoreboard, then try again.")


@dataclass(frozen=True, slots=True)
class Troubles:
    """The current problems of the companion; an attribute is None if there is no such problem.

    Attributes:
        camera: Why there is no camera.
        slow_camera: Why the camera's pictures are too old when they have been decoded.
        journal: Why the last step could not be written.
        record: What happened to the journal when it was opened, or when it was repaired.
        output: What is wrong with the button, the lamp, the buzzer or the voice.
        safe_mode: Why Traykeeper runs in safe mode.
        notice: Why the last match cannot be continued, or that a backup was found.
    """

    camera: Message | None = None
    slow_camera: Message | None = None
    journal: Message | None = None
    record: Message | None = None
    output: Message | None = None
    safe_mode: Message | None = None
    notice: Message | None = None

    @property
    def at_the_table(self) -> tuple[Message, ...]:
        """The problems to show to everybody, except a missing camera, which the table's message reports."""
        at_start = (self.safe_mode, self.record, self.notice)
        known = (*at_start, self.journal, self.output, self.slow_camera)
        return tuple(each for each in known if each)


class Inbox:
    """The queue of calls that the parts of a table post for the companion's thread. Any thread may post."""

    def __init__(self) -> None:
        self._calls: SimpleQueue[Callable[[Companion], object]] = SimpleQueue()

    def post(self, call: "Callable[[Companion], object]") -> None:
        """Add a call at the end of the queue; it gets the companion as its argument."""
        self._calls.put(call)

    def changed(self) -> None:
        """Post that something shown by the lamp or the page has changed."""
        self.post(lambda _: None)

    def released(self, held_s: float, request: str) -> None:
        """Post that the button was released.

        Args:
            held_s: How long the button was held, in seconds; 0 if it was only pressed.
            request: Id of the request with which a phone moved the button; "" if there is none.
        """
        self.post(lambda companion: companion.release_button(held_s, request))

    def holding(self, held_s: float | None) -> None:
        """Post how many seconds the button has been down so far; None means that it is up."""
        self.post(lambda companion: companion.show_held_button(held_s))

    def take(self, timeout_s: float) -> "Callable[[Companion], object] | None":
        """Return the next call of the queue, or None if none arrives within this many seconds."""
        try:
            return self._calls.get(block=timeout_s > 0, timeout=timeout_s or None)
        except Empty:
            return None

    def __len__(self) -> int:
        return self._calls.qsize()


class Companion:
    """The companion of one table; it implements `web.contracts.Table`.

    One thread carries out the calls in the inbox, one after another, and publishes a snapshot of the table
    after each. Until the companion is started, the thread that calls `do` does that work, so that tests
    need no threads.

    Args:
        inbox: The queue to which the parts of the table post what happens.
        live_match: The match and its journal.
        rules: Rules of a match that is started with the button.
        open_camera: Opens the camera, and is called again after each failure; None if phones take
            the pictures.
        output: Lamp, buzzer and voice.
        button: The button, which posts to the inbox; None if there is none.
        no_button: Why there is no button; None if there is one, or if none is expected.
        simulated_tray: The simulated tray, in which dice can be thrown; None if the tray is real.
        shut_down: Shuts the machine down after a very long hold; None if that is not allowed.
        restart: Called repeatedly while the camera hangs and only a new process can use the camera
            again. The function may end this process.
        safe_mode: The failed starts, if Traykeeper runs in safe mode; otherwise None.
        profiles: The stored calibration; None means a new one, which is not stored.
        throw_pictures: Stores one picture of each throw; None means that none are stored.
        misreads: Stores pictures that were read wrongly; None means that none are stored.
        damage: What people have to know about damage found in the journal at start-up; None if there
            is none.
        notice: Why the last match cannot be continued, or that a backup was found; None if there is neither.
        on_damage_read: Called when somebody has read the notice about damage to the journal.
        watch: How the tray is watched.
        scorekeeper: Decides which phone may change the match; None means a new one, which is not
            stored.
        coach: Calculates chances and the best decisions; None if there is no coach.
        other_tray: Returns what is known about the other tray of a shared match, or None if there is none.
        on_pass: Called in every pass of the companion's loop, about once a second or more often, and
            during a long task, to tell the watchdog that the program is working.
        bot_pause_s: How long a bot waits before each throw and each decision, in seconds.
        think: Starts computing the decision of a bot.
        clock: Monotonic clock in seconds, the same as that of the camera's frames.
        pause: Sleeps for a number of seconds.

    Attributes:
        tray_camera: The camera over the tray.
        simulated_tray: The simulated tray; None if the tray is real.
        button: The button.
        output: Lamp, buzzer and voice.
        session: Decides what presses, readings and commands mean. Only the companion's thread may
            use it.
        bots: Plays the turns of bots.
        pictures: Keeps the pictures that were read.
        scorekeeper: Decides which phone may change the match.
    """

    def __init__(
        self,
        inbox: Inbox,
        live_match: LiveMatch,
        rules: Ruleset,
        open_camera: Callable[[], Camera] | None,
        output: Signals,
        *,
        button: TrayButton | None = None,
        no_button: Message | None = None,
        simulated_tray: SimulatedTray | None = None,
        shut_down: Callable[[], object] | None = None,
        restart: Callable[[], object] = lambda: None,
        safe_mode: SafeMode | None = None,
        profiles: ProfileStore | None = None,
        throw_pictures: ThrowPictures | None = None,
        misreads: MisreadStore | None = None,
        damage: Message | None = None,
        notice: Message | None = None,
        on_damage_read: Callable[[], object] = lambda: None,
        watch: WatchOptions = WatchOptions(),  # noqa: B008 - it is frozen
        scorekeeper: Scorekeeper | None = None,
        coach: TableCoach | None = None,
        other_tray: Callable[[], OtherTrayView | None] = lambda: None,
        on_pass: Callable[[], object] = lambda: None,
        bot_pause_s: float = BOT_PAUSE_S,
        think: Think = think_at_once,
        clock: Callable[[], float] = monotonic,
        pause: Callable[[float], object] = sleep,
    ) -> None:
        self._inbox, self._clock, self._on_pass = inbox, clock, on_pass
        self._damage, self._notice, self._on_damage_read = damage, notice, on_damage_read
        self._coach, self._other_tray = coach, other_tray
        self._hands_off, self._safe_mode = watch.reports_settled_dice, safe_mode
        self.simulated_tray, self.output = simulated_tray, output
        self.button = TableButton(button, no_button, self._press_as_page, clock, pause)
        self.scorekeeper = scorekeeper or Scorekeeper(
            on_change=inbox.changed, has_button=self.button.is_real, clock=clock
        )
        self.tray_camera = TrayCamera(
            open_camera,
            self._post_report,
            inbox.changed,
            profiles or ProfileStore(),
            watch,
            n_dice=rules.n_dice,
            simulated_tray=simulated_tray,
            has_real_button=self.button.is_real,
            restart=restart,
            clock=clock,
            pause=pause,
        )
        self.session = Session(
            live_match,
            rules,
            self.tray_camera.watch,
            shut_down=shut_down,
            expects_camera=self.tray_camera.is_expected,
        )
        if first := damage or notice:  # the table's message is also spoken
            self.session.say(Paragraph(first.sentences[0], self.session.table.message))
        self.bots = BotTurns(self.session, bot_pause_s, think, clock=clock)
        self.pictures = PictureKeeper(throw_pictures, misreads, self.tray_camera.watch.note_faces)
        # Every thread that reads dice loads networks of some 31 MB, so all phones share this thread.
        self._photo_reader = ThreadPoolExecutor(1, "phone pictures")
        self._join_url, self._is_closed = "", False
        self._held_s: float | None = None
        self._throw_asked: tuple[Match | None, DiceLog | None, RollOff] | None = None
        self._snapshot = self._draw(1, self._indicator)
        self._published = Condition()
        self._thread = Thread(target=self._run, name="companion", daemon=True)
        self._one_at_a_time = RLock()

    def start(self) -> None:
        """Start the threads of the companion and of the camera."""
        self._thread.start()
        self.tray_camera.start()

    def close(self) -> None:
        """Finish the queued work, then release the camera, the button and the lamp."""
        self.tray_camera.close()
        self._photo_reader.shutdown(cancel_futures=True)
        self.button.close()
        self._inbox.post(lambda _: self._end())
        if self._thread.is_alive():
            self._thread.join()
        self.tray_camera.wizard.close()  # the last notes can be for the wizard
        self.output.close()

    # What the pages call, on any thread.

    def snapshot(self) -> Snapshot:
        """Implement `Table.snapshot`: return the newest snapshot."""
        return self._snapshot

    def wait(self, after: int, timeout_s: float) -> Snapshot | None:
        """Implement `Table.wait`: return a snapshot newer than version `after`, or None after the timeout."""
        with self._published:
            is_newer = self._published.wait_for(lambda: self._snapshot.version > after, timeout_s)
            return self._snapshot if is_newer else None

    @property
    def album(self) -> Album:
        """Implement `Table.album`: the latest photos of throws."""
        return self.pictures.album

    def view(self) -> bytes | None:
        """Implement `Table.view`: return a live image of the tray as JPEG, or None if there is none."""
        return self.tray_camera.live_view.jpeg()

    def do(self, command: Command, request: str = "") -> Snapshot:
        """Implement `Table.do`: carry out a command from a phone, and return the resulting snapshot.

        A press or a hold has the same effect as one at the tray. The table's message says what the
        press or hold led to, or why it was refused.
        """
        match command:
            case Press() | Hold() | MoveSimulatedButton():
                if isinstance(command, Hold) and command.step is not None:
                    self._ask(partial(self.session.check_step, command.step))
                self.button.use(command, request)
                return self._ask(lambda: None)
            case SubmitPhoto() if self._safe_mode:
                raise TableError(Message("In safe mode, no photos are read: tap the dice in."))
            case SubmitPhoto():
                reading = self._photo_reader.submit(
                    read_phone_picture, command.picture, self._clock()
                )
                captured = reading.result()
                return self._ask(lambda: self._use_photo(captured, command.step), request)
        wait_s = RESTORE_S if isinstance(command, RestoreBackup) else ANSWER_S
        return self._ask(lambda: self._perform(command), request, wait_s)

    def announce(self, join_url: str) -> Snapshot:
        """Set the address to which the QR code leads, and return the resulting snapshot."""

        def announce() -> None:
            self._join_url = join_url

        return self._ask(announce)

    @property
    def troubles(self) -> Troubles:
        """The current problems with the parts of the table."""
        no_button = (self.button.trouble,) if self.button.trouble else ()
        failing = (*no_button, *self.output.troubles)
        output = join_with_semicolons(failing) if failing else None
        journal = self.session.live_match.trouble
        safe_mode = self._safe_mode.reason if self._safe_mode else None
        camera, slow_camera = self.tray_camera.trouble, self.tray_camera.watch.link.slow_camera
        return Troubles(camera, slow_camera, journal, self._damage, output, safe_mode, self._notice)

    # The loop, which carries out one call of the inbox after another.

    def _ask(
        self, job: Callable[[], object], request: str = "", wait_s: float | None = None
    ) -> Snapshot:
        """Have the companion's thread do a job, and return the resulting snapshot.

        Args:
            job: The job.
            request: Id of the phone's request; "" if there is none.
            wait_s: How long to wait for the snapshot, in seconds; None means `ANSWER_S`.

        Raises:
            TableError, GameError: If the job is refused, or the table is busy for too long. A job
                that has not begun by then is dropped.
        """
        done: Future[Snapshot] = Future()

        def answer(_: "Companion") -> None:
            if not done.set_running_or_notify_cancel():
                return
            try:
                with self.session.live_match.for_request(request):
                    job()
                done.set_result(self._publish())
            except Exception as error:  # noqa: BLE001 - raised in the thread that asked
                done.set_exception(error)

        self._inbox.post(answer)
        if self._thread.ident is None:
            self.process_all()
        try:
            return done.result(ANSWER_S if wait_s is None else wait_s)
        except TimeoutError:
            done.cancel()
            raise TableError(BUSY) from None

    def process_all(self) -> None:
        """Process everything that is in the inbox now."""
        while len(self._inbox):
            self.process_next(0)

    def process_next(self, timeout_s: float) -> bool:
        """Carry out the next call in the inbox, and take the next step of a bot if it is due.

        Args:
            timeout_s: How long to wait for a call, in seconds.

        Returns:
            False if the loop has to end, otherwise True.
        """
        with self._one_at_a_time:
            self._on_pass()
            self.button.release_abandoned()
            call = self._inbox.take(min(timeout_s, self._wait_s))
            if call:
                self._try(partial(call, self))
            is_due = self._wait_s <= 0
            if is_due:
                self._try(self.bots.act)
            if call or is_due or self._has_news():
                self._try(self._publish)
            return not self._is_closed

    def _run(self) -> None:
        while self.process_next(PASS_S):
            pass

    @property
    def _wait_s(self) -> float:
        """Seconds until a bot may have to act, at most `PASS_S`."""
        wait_s = self.bots.wait_s()
        return PASS_S if wait_s is None else min(wait_s, PASS_S)

    def _end(self) -> None:
        self._is_closed = True

    def _try(self, job: Callable[[], object]) -> None:
        """Run a job whose result no thread is waiting for; if it fails, the table's message says why."""
        try:
            job()
        except (GameError, TableError) as error:
            self.session.say(Sentence(error.message))
        except Exception:
            log.exception("the companion failed to carry out a call")
            wrong = Message("Something went wrong: see the log.")
            self.session.say(Paragraph(wrong, Message("Press again.")))

    # What the parts of the table report.

    def _post_report(self, report: Report) -> None:
        self._inbox.post(lambda _: self._handle(report))

    def _press_as_page(self, held_s: float, request: str) -> None:
        """Post that a page asked for the effect of a press of the real button."""
        self._inbox.post(lambda _: self.release_button(held_s, request, is_finger=False))

    def note_repair(self, notice: Message) -> None:
        """Tell the players that the journal was damaged while in use, and has been repaired."""
        self._damage = notice
        self.session.say(notice.sentences[0])

    def show_held_button(self, held_s: float | None) -> None:
        """Show on the lamp that the button has been down for this many seconds; None means that it is up."""
        self._held_s = None if self.tray_camera.wizard.button_use else held_s

    def _handle(self, report: Report) -> None:
        """Act on what the tray watch reports."""
        session, camera = self.session, self.tray_camera
        match report:
            case CapturedReading():
                earlier = report.earlier
                shown = session.answered(
                    report.number, report.tray_reading, earlier.tray_reading if earlier else None
                )
                if shown:
                    self.pictures.add(report)
                if earlier and shown is earlier.tray_reading:
                    self.pictures.add(earlier)
            case TimedOut():
                session.timed_out(report.number)
            case DiceSettled() if not camera.wizard.button_use:
                session.dice_settled()
            case CameraFound():
                camera.found(report.name)
                session.camera_found()
                self._throw_as_asked()
            case CameraLost():
                camera.lost(report.reason)
                session.camera_lost(report.reason)
                self._throw_as_asked()

    def release_button(self, held_s: float, request: str = "", *, is_finger: bool = True) -> None:
        """Carry out what a release of the button means.

        Args:
            held_s: How long the button was down, in seconds.
            request: Id of the request with which a phone pressed the button; "" if there is none.
            is_finger: True if the button itself was pressed, False if a page only asked for the same
                effect.
        """
        if held_s >= STUCK_S:
            return
        is_press_at_tray = is_finger and self.button.is_real and not held_s
        if is_press_at_tray and self.scorekeeper.press_button():
            self.session.say(Message("There is a new scorekeeper."))
            return
        # A press on a page does not show that the button at the tray works.
        wizard = self.tray_camera.wizard
        is_for_wizard = is_finger or wizard.button_use is not ButtonUse.CHECK
        if is_for_wizard and wizard.handle_press(held_s):
            return
        with self.session.live_match.for_request(request):
            if held_s < BANK_S and self.session.table.situation is Situation.BOT:
                self.bots.act()
            else:
                self.session.release_button(held_s)

    # The commands of phones.

    def _use_photo(self, captured: CapturedReading, step: int | None) -> None:
        """Use what was read from a phone's photo as the throw, if the match is still at the step of the phone."""
        self.session.photographed(captured.tray_reading, step)
        self.pictures.add(captured)

    def _perform(self, command: Command) -> None:  # noqa: C901 - one case for each command
        match command:
            case EnterThrow():
                self.pictures.enter(self.session, command)
            case ShowOtherPhoto():
                self.pictures.show_other(self.session.table, command)
            case CorrectDie() | MarkForeignObject():
                before = self.pictures.correct(self.session, command, self._snapshot.photo)
                if before:
                    thing = before.reading.dice[command.die]
                    self.tray_camera.watch.mark_not_a_die(before.tray_reading.time_s, thing)
            case ThrowSimulatedDice():
                self._throw_simulated_dice()
            case AcknowledgeDamage():
                self._damage = self._notice = None
                self._on_damage_read()
            case SetCoachMode():
                if self._coach is None:
                    raise TableError(Message("There is no coach."))
                self._coach.switch(CoachMode(command.mode), self.session.table.match)
            case LeaveSafeMode():
                self._leave_safe_mode()
            case RestoreBackup():
                self._restore(command)
            case _:
                self.session.do(command)

    def _throw_simulated_dice(self) -> None:
        tray, table = self.simulated_tray, self.session.table
        if tray is None:
            raise TableError(Message("These dice are real: throw them yourself."))
        if table.is_elsewhere:
            raise TableError(throws_elsewhere(table.current_match))
        table.check_no_bot_plays()
        if reason := table.throw_refusal:
            raise TableError(reason)
        self.session.note_simulated_throw()
        self._throw_asked = table.in_play, table.dice_log, table.rolloff
        if table.is_camera_known:
            self._throw_as_asked()

    def _throw_as_asked(self) -> None:
        """Throw simulated dice if they were asked for and not thrown yet, and no step was taken since."""
        asked, self._throw_asked = self._throw_asked, None
        tray, table = self.simulated_tray, self.session.table
        if tray is None or asked != (table.in_play, table.dice_log, table.rolloff):
            return
        if table.dice_log is not None:
            tray.throw_all()
        else:
            throw_like_a_player(tray, table.match)

    def _leave_safe_mode(self) -> None:
        if self._safe_mode is None:
            raise TableError(Message("Traykeeper is not in safe mode."))
        self._safe_mode.record.allow_one_try()
        end_process()
        self.session.say(
            Message(
                "Traykeeper will now start normally. If that fails, it will return to safe mode."
            )
        )

    def _restore(self, command: RestoreBackup) -> None:
        """Restore a backup, and continue with the most recent match in the restored journal.

        A restore that fails late may already have replaced the journal. In that case, the match in
        memory is dropped, so that none of its steps is added to a match from the backup.
        """
        session, is_done = self.session, False
        try:
            with keep_alive(self._on_pass, RESTORE_S):
                command.restore()
            is_done = True
        finally:
            self.tray_camera.profiles.reload()
            self.tray_camera.wizard.profile_restored()
            if is_done or not session.live_match.is_recorded:
                session.reload()

    # What the phones and the tray show.

    def _publish(self) -> Snapshot:
        """Publish a snapshot if the table shows anything new, and return the newest snapshot."""
        before, table = self._snapshot, self.session.table
        self.pictures.save(table, self.session.live_match.last_seen_position)
        if before.match and table.match and table.match is not before.match:
            # A player who is renamed keeps the same phone.
            self.scorekeeper.rename_players(new_names(before.match, table.match))
        indicator = self._indicator
        drawn = self._draw(before.version, indicator)
        if drawn == before:
            return before
        with self._published:
            self._snapshot = replace(drawn, version=before.version + 1)
            self._published.notify_all()
        self.output.show(
            indicator,
            spoken_text(drawn.message, drawn.advice),
            has_changed=drawn.match != before.match,
            banked=has_banked(before.match, drawn.match),
        )
        return self._snapshot

    def _has_news(self) -> bool:
        """Return whether something shown, such as the lamp or a problem, has changed although nothing was posted."""
        if report := self.tray_camera.check_hung():
            self._handle(report)
            return True
        shown = self._snapshot
        return (
            shown.lamp != lamp_for(self._indicator, self.session.hold_effect)
            or shown.troubles != self.troubles.at_the_table
            or shown.notice != self.tray_camera.notice
            or shown.scorekeeper != self.scorekeeper.view()
            or shown.other_tray != self._other_tray()
            or shown.unread_throw != self.session.unread_throw
        )

    @property
    def _indicator(self) -> Indicator:
        """What the lamp should show in the current state of the table."""
        session, camera = self.session, self.tray_camera
        held_s = STUCK_S if self.button.is_stuck else self._held_s
        return indicator_for(
            session.table.situation,
            session.table.match,
            held_s=held_s or 0.0,
            hold=session.hold_effect,
            has_camera=session.table.has_camera or not camera.is_expected,
            started=session.table.is_camera_known,
            moved=camera.drift.has_moved,
            testing=camera.wizard.colour,
            asked=self.scorekeeper.view().by_button,
            safe_mode=self._safe_mode is not None,
            may_shut_down=session.may_shut_down,
            is_elsewhere=session.table.is_elsewhere,
        )

    def _draw(self, version: int, indicator: Indicator) -> Snapshot:
        """Return everything that a phone needs to draw the table.

        Args:
            version: Version of the snapshot.
            indicator: The current indicator for the lamp.
        """
        session, camera = self.session, self.tray_camera
        table, match, overlay = session.table, session.table.match, session.table.overlay
        return Snapshot(
            version=version,
            situation=table.situation,
            message=table.message,
            lamp=lamp_for(indicator, session.hold_effect),
            hold=session.hold_effect,
            advice=overlay.advice if isinstance(overlay, NeedsAttention) else (),
            match=match,
            step=session.live_match.change_count,
            rolloff=table.rolloff if match is None and table.dice_log is None else None,
            photo=self.pictures.photo(table),
            just_dice=table.dice_log,
            unread_throw=session.unread_throw,
            question=overlay.question if isinstance(overlay, OpenQuestion) else None,
            choices=table.choices,
            can_undo_more=session.can_undo_more,
            simulated=self.simulated_tray is not None,
            camera=camera.name,
            hands_off=self._hands_off,
            join_url=self._join_url,
            calibrated=camera.is_calibrated,
            notice=camera.notice,
            troubles=self.troubles.at_the_table,
            safe_mode=self._safe_mode is not None,
            scorekeeper=self.scorekeeper.view(),
            coach=self._coach.coaching(match) if self._coach else Coaching(),
            other_tray=self._other_tray(),
        )
