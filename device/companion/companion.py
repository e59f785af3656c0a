"""The companion of one table, which connects the camera, the button, the lamp, the match and the pages."""

import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from threading import Condition, RLock, Thread
from time import monotonic, sleep

from device.calibrating.profile_file import ProfileStore
from device.calibrating.wizard import ButtonUse
from device.cameras.base import Camera
from device.cameras.simulated.player import throw_like_a_player
from device.cameras.simulated.tray import SimulatedTray
from device.coach.coach import TableCoach
from device.companion.bot_turns import BotOptions, BotTurns
from device.companion.inbox import (
    Announce,
    Asked,
    ButtonDown,
    ButtonReleased,
    Changed,
    Close,
    Inbox,
    JournalMended,
    Note,
    Photographed,
    Refresh,
    RelockExposure,
    Task,
)
from device.companion.picture_keeper import PictureKeeper, read_phone_picture
from device.companion.table_button import TableButton
from device.companion.tray_camera import TrayCamera
from device.hardware.button import TrayButton
from device.hardware.outputs import Signals, lamp_for, spoken_text
from device.hardware.systemd import keep_alive
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
from game.errors import GameError
from game.match.match import new_names
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
class SafeModeNotice:
    """The notice about safe mode, and the way to leave safe mode.

    Attributes:
        message: Why Traykeeper runs in safe mode.
        leave: Restarts the companion normally.
    """

    message: Message
    leave: Callable[[], object]


@dataclass(frozen=True, slots=True)
class Equipment:
    """The equipment of one table.

    Attributes:
        open_camera: Opens the camera, and is called again after each failure; None if phones take
            the pictures.
        output: Lamp, buzzer and voice.
        button: The button, which posts to the inbox; None if there is none.
        no_button: Why there is no button; None if there is one, or if none is expected.
        simulated_tray: The simulated tray, in which dice can be thrown; None if the tray is real.
        shut_down: Shuts the machine down after a very long hold; None if that is not allowed.
        restart: Called repeatedly while the camera hangs and only a new process can use the camera
            again. The function may end this process.
        safe_mode: The notice that Traykeeper runs in safe mode; None if it does not.
    """

    open_camera: Callable[[], Camera] | None
    output: Signals
    button: TrayButton | None = None
    no_button: Message | None = None
    simulated_tray: SimulatedTray | None = None
    shut_down: Callable[[], object] | None = None
    restart: Callable[[], object] = lambda: None
    safe_mode: SafeModeNotice | None = None


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
    """

    camera: Message | None = None
    slow_camera: Message | None = None
    journal: Message | None = None
    record: Message | None = None
    output: Message | None = None
    safe_mode: Message | None = None

    @property
    def at_the_table(self) -> tuple[Message, ...]:
        """The problems to show to everybody, except a missing camera, which the table's message reports."""
        known = (self.safe_mode, self.record, self.journal, self.output, self.slow_camera)
        return tuple(each for each in known if each)


class Companion:
    """The companion of one table; it implements `web.contracts.Table`.

    One thread takes what was posted to the inbox, one entry after another, and publishes a snapshot of the
    table after each. Until the companion is started, the thread that calls `ask` does that work, so that
    tests need no threads.

    Args:
        inbox: The queue to which the parts of the table post what happens.
        live_match: The match and its journal.
        rules: Rules of a match that is started with the button.
        equipment: The equipment of the table.
        profiles: The stored calibration; None means a new one, which is not stored.
        throw_pictures: Stores one picture of each throw; None means that none are stored.
        misreads: Stores pictures that were read wrongly; None means that none are stored.
        damage: What people have to know about damage found in the journal at start-up; None if there
            is none.
        on_damage_read: Called when somebody has read the notice about damage to the journal.
        watch: How the tray is watched.
        scorekeeper: Decides which phone may change the match; None means a new one, which is not
            stored.
        coach: Calculates chances and the best decisions; None if there is no coach.
        other_tray: Returns what is known about the other tray of a shared match, or None if there is none.
        on_pass: Called in every pass of the companion's loop, about once a second or more often, and
            during a long task, to tell the watchdog that the program is working.
        bots: How bots play; None means the usual options.
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
        equipment: Equipment,
        *,
        profiles: ProfileStore | None = None,
        throw_pictures: ThrowPictures | None = None,
        misreads: MisreadStore | None = None,
        damage: Message | None = None,
        on_damage_read: Callable[[], object] = lambda: None,
        watch: WatchOptions = WatchOptions(),  # noqa: B008 - it is frozen
        scorekeeper: Scorekeeper | None = None,
        coach: TableCoach | None = None,
        other_tray: Callable[[], OtherTrayView | None] = lambda: None,
        on_pass: Callable[[], object] = lambda: None,
        bots: BotOptions | None = None,
        clock: Callable[[], float] = monotonic,
        pause: Callable[[float], object] = sleep,
    ) -> None:
        self._inbox, self._clock, self._on_pass = inbox, clock, on_pass
        self._damage, self._on_damage_read = damage, on_damage_read
        self._coach, self._other_tray = coach, other_tray
        self._hands_off, self._safe_mode = watch.reports_settled_dice, equipment.safe_mode
        self.simulated_tray, self.output = equipment.simulated_tray, equipment.output
        self.button = TableButton(equipment.button, equipment.no_button, inbox, clock, pause)
        self.scorekeeper = scorekeeper or Scorekeeper(
            on_change=inbox.changed, has_button=self.button.is_real, clock=clock
        )
        self.tray_camera = TrayCamera(
            equipment.open_camera,
            inbox,
            profiles or ProfileStore(),
            watch,
            n_dice=rules.n_dice,
            simulated_tray=equipment.simulated_tray,
            has_real_button=self.button.is_real,
            restart=equipment.restart,
            clock=clock,
            pause=pause,
        )
        self.session = Session(
            live_match,
            rules,
            self.tray_camera.watch,
            shut_down=equipment.shut_down,
            expects_camera=self.tray_camera.is_expected,
        )
        if damage:  # the table's message is also spoken
            self.session.say(Paragraph(damage.sentences[0], self.session.table.message))
        self.bots = BotTurns(self.session, bots or BotOptions(clock=clock))
        self.pictures = PictureKeeper(throw_pictures, misreads, self.tray_camera.watch.note_faces)
        # Every thread that reads dice loads networks of some 31 MB, so all phones share this thread.
        self._photo_reader = ThreadPoolExecutor(1, "phone pictures")
        self._join_url = ""
        self._held_s: float | None = None
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
        self._inbox.post(Close())
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
                self.button.use(command, request)
                return self.ask(Refresh())
            case SubmitPhoto() if self._safe_mode:
                raise TableError(Message("In safe mode, no photos are read: tap the dice in."))
            case SubmitPhoto():
                reading = self._photo_reader.submit(
                    read_phone_picture, command.picture, self._clock()
                )
                return self.ask(Photographed(reading.result(), command.step), request)
        return self.ask(command, request)

    def announce(self, join_url: str) -> Snapshot:
        """Set the address to which the QR code leads, and return the resulting snapshot."""
        return self.ask(Announce(join_url))

    @property
    def troubles(self) -> Troubles:
        """The current problems with the parts of the table."""
        no_button = (self.button.trouble,) if self.button.trouble else ()
        failing = (*no_button, *self.output.troubles)
        output = join_with_semicolons(failing) if failing else None
        journal = self.session.live_match.trouble
        safe_mode = self._safe_mode.message if self._safe_mode else None
        camera, slow_camera = self.tray_camera.trouble, self.tray_camera.watch.link.slow_camera
        return Troubles(camera, slow_camera, journal, self._damage, output, safe_mode)

    # The loop, which takes one entry of the inbox after another.

    def ask(self, task: Task, request: str = "") -> Snapshot:
        """Have a task carried out, and return the resulting snapshot.

        Args:
            task: The task to carry out.
            request: Id of the phone's request; "" if there is none.

        Raises:
            TableError, GameError: If the task is refused, or the table is busy for too long. A task
                that has not begun by then is dropped.
        """
        asked = Asked(task, request)
        self._inbox.post(asked)
        if self._thread.ident is None:
            self.process_all()
        try:
            return asked.done.result(RESTORE_S if isinstance(task, RestoreBackup) else ANSWER_S)
        except TimeoutError:
            asked.done.cancel()
            raise TableError(BUSY) from None

    def process_all(self) -> None:
        """Process everything that is in the inbox now."""
        while len(self._inbox):
            self.process_next(0)

    def process_next(self, timeout_s: float) -> bool:
        """Process the next note or task in the inbox, and take the next step of a bot if it is due.

        Args:
            timeout_s: How long to wait for a note or a task, in seconds.

        Returns:
            False if the loop has to end, otherwise True.
        """
        with self._one_at_a_time:
            self._on_pass()
            note = self._inbox.take(min(timeout_s, self._wait_s))
            match note:
                case Asked():
                    self._answer(note)
                case Close() | None:
                    pass
                case _:
                    self._try(lambda: self._handle(note))
            is_due = self._wait_s <= 0
            if is_due:
                self._try(self.bots.act)
            if note is not None or is_due or self._has_news():
                self._try(self._publish)
            return not isinstance(note, Close)

    def _run(self) -> None:
        while self.process_next(PASS_S):
            pass

    @property
    def _wait_s(self) -> float:
        """Seconds until a bot may have to act, at most `PASS_S`."""
        wait_s = self.bots.wait_s()
        return PASS_S if wait_s is None else min(wait_s, PASS_S)

    def _answer(self, asked: Asked) -> None:
        if not asked.done.set_running_or_notify_cancel():
            return
        try:
            with self.session.live_match.for_request(asked.request):
                self._perform(asked.task)
            asked.done.set_result(self._publish())
        except Exception as error:  # noqa: BLE001 - raised in the thread that asked
            asked.done.set_exception(error)

    def _try(self, job: Callable[[], object]) -> None:
        """Run a job whose result no thread is waiting for; if it fails, the table's message says why."""
        try:
            job()
        except (GameError, TableError) as error:
            self.session.say(Sentence(error.message))
        except Exception:
            log.exception("the companion failed to handle a note")
            wrong = Message("Something went wrong: see the log.")
            self.session.say(Paragraph(wrong, Message("Press again.")))

    # What the parts of the table report.

    def _handle(self, note: Note) -> None:  # noqa: C901 - one case for each note
        session, camera = self.session, self.tray_camera
        is_for_wizard = bool(camera.wizard.page.button_use)
        match note:
            case ButtonReleased():
                with session.live_match.for_request(note.request):
                    self._release_button(note)
            case ButtonDown():
                self._held_s = None if is_for_wizard else note.held_s
            case CapturedReading():
                self._take_reading(note)
            case TimedOut():
                session.timed_out(note.request)
            case DiceSettled() if not is_for_wizard:
                session.dice_settled()
            case CameraFound():
                camera.found(note.name)
                session.camera_found()
            case CameraLost():
                camera.lost(note.reason)
                session.camera_lost(note.reason)
            case JournalMended():
                self._damage = note.notice
                self.session.say(note.notice.sentences[0])
            case RelockExposure():
                camera.watch.relock_exposure()
            case DiceSettled() | Changed():
                pass

    def _release_button(self, note: ButtonReleased) -> None:
        if note.held_s >= STUCK_S:
            return
        is_press_at_tray = note.is_finger and self.button.is_real and not note.held_s
        if is_press_at_tray and self.scorekeeper.press_button():
            self.session.say(Message("There is a new scorekeeper."))
            return
        # A press on a page does not show that the button at the tray works.
        wizard = self.tray_camera.wizard
        is_for_wizard = note.is_finger or wizard.page.button_use is not ButtonUse.CHECK
        if is_for_wizard and wizard.handle_press(note.held_s):
            return
        if note.held_s < BANK_S and self.session.table.situation is Situation.BOT:
            self.bots.act()
        else:
            self.session.release_button(note.held_s)

    def _take_reading(self, captured: CapturedReading) -> None:
        earlier = captured.earlier
        shown = self.session.answered(
            captured.request, captured.tray_reading, earlier.tray_reading if earlier else None
        )
        if shown is None:
            return
        self.pictures.add(captured)
        if earlier and shown is earlier.tray_reading:
            self.pictures.add(earlier)

    # The tasks of other threads.

    def _perform(self, task: Task) -> None:  # noqa: C901, PLR0912 - one case for each task
        match task:
            case Refresh():
                pass
            case Announce():
                self._join_url = task.join_url
            case Photographed():
                self.session.photographed(task.captured.tray_reading, task.step)
                self.pictures.add(task.captured)
            case EnterThrow():
                self.pictures.enter(self.session, task)
            case ShowOtherPhoto():
                self.pictures.show_other(self.session.table, task)
            case CorrectDie() | MarkForeignObject():
                before = self.pictures.correct(self.session, task, self._snapshot.photo)
                if before:
                    thing = before.reading.dice[task.die]
                    self.tray_camera.watch.mark_not_a_die(before.tray_reading.time_s, thing)
            case ThrowSimulatedDice():
                self._throw_simulated_dice()
            case AcknowledgeDamage():
                self._damage = None
                self._on_damage_read()
            case SetCoachMode():
                if self._coach is None:
                    raise TableError(Message("There is no coach."))
                self._coach.switch(CoachMode(task.mode), self.session.table.match)
            case LeaveSafeMode():
                self._leave_safe_mode()
            case RestoreBackup():
                self._restore(task)
            case _:
                self.session.do(task)

    def _throw_simulated_dice(self) -> None:
        tray, table = self.simulated_tray, self.session.table
        if tray is None:
            raise TableError(Message("These dice are real: throw them yourself."))
        if table.is_elsewhere:
            raise TableError(throws_elsewhere(table.current_match))
        table.check_no_bot_plays()
        if reason := table.throw_refusal:
            raise TableError(reason)
        if table.dice_log is not None:
            tray.throw_all()
        else:
            throw_like_a_player(tray, table.match)
        self.session.note_simulated_throw()

    def _leave_safe_mode(self) -> None:
        if self._safe_mode is None:
            raise TableError(Message("Traykeeper is not in safe mode."))
        self._safe_mode.leave()
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
            if is_done or not session.live_match.is_recorded:
                session.reload()

    # What the phones and the tray show.

    def _publish(self) -> Snapshot:
        """Publish a snapshot if the table shows anything new, and return the newest snapshot."""
        before, table = self._snapshot, self.session.table
        self.pictures.save(table, self.session.live_match.last_seen_position)
        if before.match and table.match and table.match is not before.match:
            # A player who is renamed keeps the same phone.
            self.scorekeeper.players.rename(new_names(before.match, table.match))
        indicator = self._indicator
        drawn = self._draw(before.version, indicator)
        if drawn == before:
            return before
        with self._published:
            self._snapshot = replace(drawn, version=before.version + 1)
            self._published.notify_all()
        words = spoken_text(drawn.message, drawn.advice)
        self.output.show(indicator, words, banked=has_banked(before.match, drawn.match))
        return self._snapshot

    def _has_news(self) -> bool:
        """Return whether something shown, such as the lamp or a problem, has changed although no note has arrived."""
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
            has_camera=session.table.camera.is_present or not camera.is_expected,
            started=session.table.camera.is_known,
            moved=camera.drift.has_moved,
            testing=camera.wizard.page.colour,
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
            step=session.live_match.steps,
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
