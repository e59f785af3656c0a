"""The work of the companion on its single thread."""

from device.calibrating.wizard import ButtonUse
from device.cameras.simulated.player import throw_like_a_player
from device.cameras.simulated.tray import SimulatedTray
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
from device.companion.snapshots import SnapshotPublisher
from device.companion.table_parts import TableParts
from device.hardware.systemd import keep_alive
from device.session.indicator import BANK_S, STUCK_S
from device.session.live_match import throws_elsewhere
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
from game.message import Message
from game.situation import Situation, TableError
from web.contracts.coach import CoachMode
from web.contracts.table import Snapshot


class TableWorker:
    """Handles the notes and tasks in the companion's inbox.

    Args:
        parts: The parts of the table.

    Attributes:
        publisher: Publishes what the table shows.
    """

    def __init__(self, parts: TableParts) -> None:
        self._parts = parts
        self.publisher = SnapshotPublisher(parts)

    def handle(self, note: Note) -> None:
        """Implement `NoteWorker.handle`: handle a note from a part of the table."""
        match note:
            case ButtonReleased():
                with self._parts.session.table.live_match.for_request(note.request):
                    self._release_button(note)
            case ButtonDown():
                is_for_wizard = bool(self._parts.camera.wizard.page.button_use)
                self.publisher.held_s = None if is_for_wizard else note.held_s
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
        return self.publisher.publish()

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
        return self.publisher.has_news

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
                self.publisher.join_url = task.join_url
            case Photographed():
                parts.session.check_step(task.step)
                parts.session.results.photographed(task.captured.tray_reading)
                parts.pictures.add(task.captured)
                parts.pictures.assign(parts.session.table)
            case EnterThrow() | ShowOtherPhoto() | CorrectDie() | MarkForeignObject():
                self._use_pictures(task)
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

    def _use_pictures(
        self, command: EnterThrow | ShowOtherPhoto | CorrectDie | MarkForeignObject
    ) -> None:
        """Carry out a command that adds a picture, or that says what the dice in a picture really are."""
        pictures, session = self._parts.pictures, self._parts.session
        match command:
            case EnterThrow():
                pictures.enter(session, command)
            case ShowOtherPhoto():
                pictures.show_other(session.table, command)
            case _:
                before = pictures.correct(session, command, self.publisher.snapshot.photo)
                if before:
                    thing = before.reading.dice[command.die]
                    self._parts.camera.watch.mark_not_a_die(before.tray_reading.time_s, thing)

    def _change_mode(self, command: LeaveSafeMode | SetCoachMode) -> None:
        coach, safe_mode = self._parts.coach, self._parts.safe_mode
        match command:
            case SetCoachMode() if coach:
                coach.switch(CoachMode(command.mode), self._parts.session.table.match)
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
