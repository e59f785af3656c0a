"""The work of the companion on its single thread."""

from collections.abc import Callable
from dataclasses import dataclass

from device.calibrating.wizard import ButtonUse
from device.cameras.simulated.player import throw_like_a_player
from device.cameras.simulated.tray import SimulatedTray
from device.coach.coach import TableCoach
from device.companion.bot_turns import BotTurns
from device.companion.inbox import (
    RESTORE_S,
    TURN_S,
    Announce,
    ButtonDown,
    ButtonReleased,
    Changed,
    JournalMended,
    Note,
    Photographed,
    Refresh,
    RelockExposure,
    Task,
)
from device.companion.picture_keeper import PictureKeeper
from device.companion.snapshots import (
    SnapshotPublisher,
    Surroundings,
    Troubles,
    draw,
    indicator_of,
)
from device.companion.table_button import TableButton
from device.companion.tray_camera import TrayCamera
from device.hardware.lamp import LAMPS
from device.hardware.outputs import Signals
from device.hardware.systemd import keep_alive
from device.session.indicator import BANK_S, STUCK_S
from device.session.live_match import throws_elsewhere
from device.session.session import Session
from device.session.table_state import TableState
from device.watching.reports import (
    CameraFound,
    CameraLost,
    CapturedReading,
    DiceSettled,
    Report,
    TimedOut,
)
from game.commands import (
    AcknowledgeDamage,
    CorrectDie,
    EnterThrow,
    LeaveSafeMode,
    MarkForeignObject,
    RestoreBackup,
    SetCoachMode,
    ShowOtherPhoto,
    ThrowSimulatedDice,
)
from game.match.match import new_names
from game.message import Message, join_with_semicolons
from game.practice.bot_steps import is_practice
from game.situation import Situation, TableError
from web.access.scorekeeper import Scorekeeper
from web.contracts.coach import Coaching, CoachMode
from web.contracts.shared_match import OtherTrayView
from web.contracts.table import Snapshot


@dataclass(slots=True)
class JournalNotice:
    """The notice about damage to the journal.

    Attributes:
        message: The notice; None if there is none, or if somebody has read it.
        on_read: Called when somebody has read the notice.
    """

    message: Message | None = None
    on_read: Callable[[], object] = lambda: None

    def acknowledge(self) -> None:
        """Drop the notice, because somebody has read it."""
        self.message = None
        self.on_read()


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
class TableParts:
    """The parts of one table.

    Attributes:
        session: Decides what presses, readings and commands mean.
        bots: Plays the turns of bots.
        camera: The camera over the tray.
        button: The button.
        output: Lamp, buzzer and voice.
        pictures: Keeps the pictures that were read.
        scorekeeper: Decides which phone may change the match.
        coach: Calculates chances and the best decisions; None if there is no coach.
        notice: What people have to know about damage to the journal.
        simulated_tray: The simulated tray; None if the tray is real.
        hands_off: Whether thrown dice are read without a press of the button.
        is_alive: Called repeatedly during a long task, to tell the watchdog that the program is working.
        safe_mode: The notice that Traykeeper runs in safe mode; None if it does not.
        other_tray: Returns what is known about the other tray of a shared match, or None if there is none.
    """

    session: Session
    bots: BotTurns
    camera: TrayCamera
    button: TableButton
    output: Signals
    pictures: PictureKeeper
    scorekeeper: Scorekeeper
    coach: TableCoach | None
    notice: JournalNotice
    simulated_tray: SimulatedTray | None
    hands_off: bool
    is_alive: Callable[[], object]
    safe_mode: SafeModeNotice | None = None
    other_tray: Callable[[], OtherTrayView | None] = lambda: None


class TableWorker:
    """Handles the notes and tasks in the companion's inbox.

    Args:
        parts: The parts of the table.

    Attributes:
        publisher: Publishes what the table shows.
    """

    def __init__(self, parts: TableParts) -> None:
        self._parts = parts
        self._held_s: float | None = None
        self._join_url = ""
        first = draw(1, parts.session, self._surroundings, self._coaching)
        self.publisher = SnapshotPublisher(first, parts.output)

    @property
    def troubles(self) -> Troubles:
        """The current problems with the parts of the table."""
        parts = self._parts
        no_button = (parts.button.trouble,) if parts.button.trouble else ()
        failing = (*no_button, *parts.output.troubles)
        output = join_with_semicolons(failing) if failing else None
        journal = parts.session.table.live_match.trouble
        safe = parts.safe_mode.message if parts.safe_mode else None
        return Troubles(parts.camera.trouble, journal, parts.notice.message, output, safe)

    def handle(self, note: Note) -> None:
        """Implement `NoteWorker.handle`: handle a note from a part of the table."""
        match note:
            case ButtonReleased():
                with self._parts.session.table.live_match.for_request(note.request):
                    self._release_button(note)
            case ButtonDown():
                self._held_s = None if self._parts.camera.wizard.page.button_use else note.held_s
            case JournalMended():
                self._parts.notice.message = note.notice
                self.say(note.notice.sentences[0])
            case RelockExposure():
                self._parts.camera.watch.relock_exposure()
            case Changed():
                pass
            case _:
                self._take(note)

    def perform(self, task: Task, request: str) -> None:
        """Implement `NoteWorker.perform`: carry out a task that another thread is waiting for."""
        with self._parts.session.table.live_match.for_request(request):
            self._perform(task)

    def publish(self) -> Snapshot:
        """Implement `NoteWorker.publish`: publish the state of the table, and return it."""
        table = self._parts.session.table
        self._parts.pictures.save(table)
        before, after = self.publisher.snapshot.match, table.match
        if before and after and after is not before:  # a player who is renamed keeps the same phone
            self._parts.scorekeeper.players.rename(new_names(before, after))
        around = self._surroundings
        drawn = draw(self.publisher.snapshot.version, self._parts.session, around, self._coaching)
        return self.publisher.publish(drawn, indicator_of(self._parts.session, around))

    def wait_s(self) -> float:
        """Implement `NoteWorker.wait_s`: return the seconds until a bot may have to act, at most `TURN_S`."""
        wait_s = self._parts.bots.wait_s()
        return TURN_S if wait_s is None else min(wait_s, TURN_S)

    def act(self) -> None:
        """Implement `NoteWorker.act`: take the next step of a bot, if it is due."""
        self._parts.bots.act()

    def has_news(self) -> bool:
        """Implement `NoteWorker.has_news`: return whether something shown, such as the lamp or a problem, has changed."""
        if report := self._parts.camera.check_hung():
            self._take(report)
            return True
        around, shown = self._surroundings, self.publisher.snapshot
        lamp = LAMPS[indicator_of(self._parts.session, around)]
        return (
            shown.lamp,
            shown.troubles,
            shown.scorekeeper,
            shown.other_tray,
            shown.unread_throw,
        ) != (
            lamp,
            around.troubles.at_the_table,
            around.scorekeeper,
            around.other_tray,
            self._parts.session.table.unread_throw,
        )

    def say(self, message: Message) -> None:
        """Implement `NoteWorker.say`: show this as the message of the table."""
        self._parts.session.table.message = message

    def _release_button(self, note: ButtonReleased) -> None:
        parts = self._parts
        if note.held_s >= STUCK_S:
            return
        is_press_at_tray = note.is_finger and parts.button.is_real and not note.held_s
        if is_press_at_tray and parts.scorekeeper.press_button():
            self.say(Message("There is a new scorekeeper."))
            return
        # A press on a page does not show that the button at the tray works.
        is_for_wizard = note.is_finger or parts.camera.wizard.page.button_use is not ButtonUse.CHECK
        if is_for_wizard and parts.camera.wizard.handle_press(note.held_s):
            return
        if note.held_s < BANK_S and parts.session.table.situation is Situation.BOT:
            parts.bots.act()
        else:
            parts.session.release_button(note.held_s)

    def _take(self, report: Report) -> None:
        session, camera = self._parts.session, self._parts.camera
        match report:
            case CapturedReading():
                self._take_reading(report)
            case TimedOut():
                session.requests.timed_out(report.request)
            case DiceSettled():
                if not camera.wizard.page.button_use:
                    session.requests.dice_settled()
            case CameraFound():
                camera.found(report.name)
                session.camera.found()
            case CameraLost():
                camera.lost(report.reason)
                session.camera.lost(report.reason)

    def _take_reading(self, captured: CapturedReading) -> None:
        earlier = captured.earlier
        shown = self._parts.session.results.answered(
            captured.request, captured.tray_reading, earlier.tray_reading if earlier else None
        )
        if shown is None:
            return
        self._parts.pictures.add(captured)
        if earlier and shown is earlier.tray_reading:
            self._parts.pictures.add(earlier)
        self._parts.pictures.assign(self._parts.session.table)

    def _perform(self, task: Task) -> None:
        parts = self._parts
        match task:
            case Refresh():
                pass
            case Announce():
                self._join_url = task.join_url
            case Photographed():
                parts.session.check_step(task.step)
                parts.session.results.photographed(task.captured.tray_reading)
                parts.pictures.add(task.captured)
                parts.pictures.assign(parts.session.table)
            case EnterThrow() | ShowOtherPhoto():
                self._take_without_camera(task)
            case CorrectDie() | MarkForeignObject():
                self._correct(task)
            case ThrowSimulatedDice():
                _throw_simulated_dice(parts.simulated_tray, parts.session.table)
            case AcknowledgeDamage():
                parts.notice.acknowledge()
            case LeaveSafeMode() | SetCoachMode():
                self._change_mode(task)
            case RestoreBackup():
                self._restore(task)
            case _:
                parts.session.do(task)

    def _take_without_camera(self, command: EnterThrow | ShowOtherPhoto) -> None:
        pictures, session = self._parts.pictures, self._parts.session
        if isinstance(command, EnterThrow):
            pictures.enter(session, command)
        else:
            pictures.show_other(session.table, command)

    def _correct(self, command: CorrectDie | MarkForeignObject) -> None:
        photo = self.publisher.snapshot.photo
        before = self._parts.pictures.correct(self._parts.session, command, photo)
        if before:
            foreign_object = before.reading.dice[command.die]
            self._parts.camera.watch.mark_not_a_die(before.tray_reading.time_s, foreign_object)

    def _change_mode(self, command: LeaveSafeMode | SetCoachMode) -> None:
        coach, safe_mode = self._parts.coach, self._parts.safe_mode
        match command:
            case SetCoachMode() if coach:
                match = self._parts.session.table.match
                practice = match is not None and is_practice(match)
                coach.switch(CoachMode(command.mode), practice=practice)
            case SetCoachMode():
                raise TableError(Message("There is no coach."))
            case LeaveSafeMode() if safe_mode:
                safe_mode.leave()
                self.say(
                    Message(
                        "Traykeeper will now start normally. If that fails, it will return to safe mode."
                    )
                )
            case LeaveSafeMode():
                raise TableError(Message("Traykeeper is not in safe mode."))

    def _restore(self, command: RestoreBackup) -> None:
        """Restore a backup, and continue with the most recent match in the restored journal.

        A restore that fails late may already have replaced the journal. In that case, the match in
        memory is dropped, so that none of its steps is added to a match from the backup.
        """
        session, is_done = self._parts.session, False
        try:
            with keep_alive(self._parts.is_alive, RESTORE_S):
                command.restore()
            is_done = True
        finally:
            self._parts.camera.profiles.reload()
            if is_done or not session.table.live_match.is_recorded:
                session.starts.reload()

    @property
    def _surroundings(self) -> Surroundings:
        parts, camera = self._parts, self._parts.camera
        return Surroundings(
            simulated=parts.simulated_tray is not None,
            camera=camera.name,
            by_phone=not camera.is_expected,
            hands_off=parts.hands_off,
            photo=parts.pictures.photo(parts.session.table),
            join_url=self._join_url,
            held_s=STUCK_S if parts.button.is_stuck else self._held_s,
            moved=camera.drift.has_moved,
            testing=camera.wizard.page.colour,
            calibrated=camera.is_calibrated,
            notice=camera.notice,
            troubles=self.troubles,
            scorekeeper=parts.scorekeeper.view(),
            other_tray=parts.other_tray(),
        )

    @property
    def _coaching(self) -> Coaching:
        coach = self._parts.coach
        return coach.coaching(self._parts.session.table.match) if coach else Coaching()


def _throw_simulated_dice(tray: SimulatedTray | None, table: TableState) -> None:
    if tray is None:
        raise TableError(Message("These dice are real: throw them yourself."))
    if table.is_elsewhere:
        raise TableError(throws_elsewhere(table.live_match.match))
    table.check_no_bot_plays()
    if reason := table.throw_refusal:
        raise TableError(reason)
    if table.dice_log is not None:
        tray.throw_all()
    else:
        throw_like_a_player(tray, table.match)
    table.has_simulated_throw = True
