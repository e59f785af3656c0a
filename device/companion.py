"""The one thread that owns the match.

Button, phones and camera put notes into its inbox; it works them off one after the other on a
`Session`, and after each publishes an immutable snapshot that any thread may read. It is the `Table`
that the page talks to.
"""

import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Condition, Thread
from time import monotonic, sleep

from device.calibrating.calibrated_camera import calibrated_opener
from device.calibrating.drift_watch import Drifted, DriftWatch
from device.calibrating.profile_store import ProfileStore
from device.calibrating.wizard import Wizard
from device.cameras.base import Camera, open_no_camera
from device.cameras.simulated.player import throw_like_a_player
from device.cameras.simulated.tray import SimulatedTray
from device.coach.coach import TableCoach
from device.hardware.button import TrayButton
from device.hardware.lamp import LAMPS
from device.hardware.outputs import Output, Signals
from device.hardware.simulated_button import SimulatedButton
from device.hardware.systemd import keep_alive
from device.hardware.voice import spoken_text
from device.inbox import (
    Announce,
    Asked,
    ButtonDown,
    ButtonHeld,
    ButtonPressed,
    Close,
    Inbox,
    JournalMended,
    Note,
    Photographed,
    Resettle,
)
from device.live_view import LiveView
from device.pictures_in_view import PicturesInView
from device.session.indicator import SHUTDOWN_S
from device.session.live_match import LiveMatch
from device.session.session import Session
from device.session.table_state import NeedsAttention
from device.snapshots import Surroundings, Troubles, draw, indicator_of
from device.storage.misreads import MisreadCollector, MisreadStore
from device.storage.photo_album import PhotoAlbum, shows
from device.storage.throw_pictures import ThrowPictures
from device.watching.burst import BURST_FRAMES
from device.watching.motion import STILL_S
from device.watching.phone_picture import read_phone_picture
from device.watching.reports import (
    CameraFound,
    CameraLost,
    CapturedReading,
    DiceSettled,
    Report,
    TimedOut,
)
from device.watching.tray_watch import CameraThread, TrayWatch
from device.watching.watch_loop import WatchOptions
from game.commands import (
    AcknowledgeDamage,
    Command,
    CorrectDie,
    EnterThrow,
    Hold,
    MarkForeignObject,
    MoveSimulatedButton,
    Press,
    RestoreBackup,
    SetCoachMode,
    SubmitPhoto,
    ThrowSimulatedDice,
)
from game.errors import GameError
from game.match.match import new_names
from game.message import Message, Paragraph, Sentence, join_with_semicolons
from game.rules.ruleset import Ruleset
from game.situation import TableError
from game.stats.announcements import has_banked
from vision import Reading
from web.access.scorekeeper import Scorekeeper
from web.contracts.coach import Coaching, CoachMode
from web.contracts.table import Snapshot

log = logging.getLogger(__name__)

ANSWER_S = 10.0
"""No command takes nearly as long; a phone that waits longer is told so."""

RESTORE_S = 120.0
"""A card writes some MB a second; restoring is rare."""

HANGS = Message("it hangs: check its cable, then restart the companion")

BUSY = Message("The table is busy: look at what it shows, then do it again.")

TAP_S = 0.0
"""A short press of the simulated button."""

TURN_S = 1.0
"""The loop goes round at least as often, so that whoever watches it sees it run."""


class Companion:
    """Joins camera, button, lamp and match; see `web.contracts.table.Table` for what it can be asked.

    Args:
        inbox: what it works off.
        live_match: the match and its journal.
        rules: for a match that begins at the button.
        open_camera: opens the camera, again after it failed; None where phones take the pictures.
        output: lamp, buzzer, voice: tells where the table stands.
        button: posts into the inbox; None where there is none, and `no_button` says why.
        tray: the simulated tray, where there is no real one: then it can be thrown.
        profiles: where the profile is kept; None keeps one in memory.
        scorekeeper: who may change anything from a phone; tells the inbox of changes.
        still_s, period_s, looks: see `TrayWatch`.
        hands_off: whether thrown dice are read by themselves once they lie still.
        shut_down: what a very long hold does; None where that is not allowed.
        throw_pictures: keeps the picture of each throw; None keeps none.
        misreads: keeps pictures that people put right; None keeps none.
        damage: what people have to know about the journal as it was found; usually nothing.
        heeded: called when somebody has read that.
        coach: works out figures, and tells the inbox of them; without one there are none.
        alive: called by the loop at every turn, every `TURN_S` at least.
        clock: seconds that never run backwards, the camera's, too.
        pause: lets so many seconds go by.

    Attributes:
        wizard: the calibration of this table.
        tray_watch: looks at the tray.
        simulated_tray: the tray where it is a simulated one.
    """

    def __init__(
        self,
        inbox: Inbox,
        live_match: LiveMatch,
        rules: Ruleset,
        open_camera: Callable[[], Camera] | None,
        output: Output,
        *,
        button: TrayButton | None = None,
        no_button: Message | None = None,
        tray: SimulatedTray | None = None,
        profiles: ProfileStore | None = None,
        scorekeeper: Scorekeeper | None = None,
        still_s: float = STILL_S,
        period_s: float = 1 / 15,
        hands_off: bool = False,
        looks: int = BURST_FRAMES,
        shut_down: Callable[[], object] | None = None,
        throw_pictures: ThrowPictures | None = None,
        misreads: MisreadStore | None = None,
        damage: Message | None = None,
        heeded: Callable[[], object] = lambda: None,
        coach: TableCoach | None = None,
        alive: Callable[[], object] = lambda: None,
        clock: Callable[[], float] = monotonic,
        pause: Callable[[float], object] = sleep,
    ) -> None:
        self._inbox, self._alive, self._clock = inbox, alive, clock
        # A thread that reads keeps networks of its own, some 31 MB: all phones share this one.
        self._picture_reader = ThreadPoolExecutor(1, "phone pictures")
        real_button = button is not None and not button.is_simulated
        self.scorekeeper = scorekeeper or Scorekeeper(
            on_change=inbox.changed, has_button=real_button, clock=clock
        )
        self._coach = coach
        self._profiles = profiles = profiles or ProfileStore()
        self._drift_watch = DriftWatch(profiles, self._drifted, clock)
        self.tray_watch = TrayWatch(
            calibrated_opener(open_camera or open_no_camera, profiles),
            inbox.post,
            WatchOptions(
                still_s=still_s,
                period_s=period_s,
                reports_settled_dice=hands_off,
                burst_frames=looks,
                filter_reading=self._sift,
                leans=lambda camera: self._profiles.leans_for(camera.name),
                on_idle=self._drift_watch.compare,
            ),
            clock,
        )
        self._live_view = LiveView(self.tray_watch.preview, clock)
        self._camera_thread = CameraThread(self.tray_watch) if open_camera else None
        self._button, self._no_button = button, no_button
        self._simulated_button = (
            SimulatedButton(button, clock, pause) if button and button.is_simulated else None
        )
        self.wizard = Wizard(
            self.tray_watch,
            profiles,
            simulated=tray,
            real_button=real_button,
            changed=inbox.changed,
            drift_watch=self._drift_watch,
            clock=clock,
            pause=pause,
        )
        self._session = Session(live_match, rules, self.tray_watch, shut_down=shut_down)
        self._session.camera.is_known = self.by_phone
        if damage:  # spoken, too
            self._session.table.message = Paragraph(
                damage.sentences[0], self._session.table.message
            )
        self._live_match, self.simulated_tray = live_match, tray
        self._output = output if isinstance(output, Signals) else Signals(output)
        self._throw_pictures, self._kept = throw_pictures, 0
        self._misreads = MisreadCollector(misreads) if misreads else None
        self._damage, self._heeded, self._hangs = damage, heeded, False
        self._hands_off = hands_off
        self._camera_trouble: Message | None = None
        self._photo_album = PhotoAlbum()
        self._pictures = PicturesInView(self._photo_album)
        self._camera_name: str | None = None
        self._held_s: float | None = None
        self._join_url = ""
        self._published = Condition()
        self._snapshot = draw(1, self._session, self._surroundings, self._coaching)
        self._thread = Thread(target=self._run, name="companion", daemon=True)

    def start(self) -> None:
        self._thread.start()
        if self._camera_thread:
            self._camera_thread.start()

    def close(self) -> None:
        """Finish what is queued, then give camera, button and lamp back."""
        if self._camera_thread:
            self._camera_thread.close()
        self._picture_reader.shutdown(cancel_futures=True)
        self.wizard.close()
        if self._button:
            self._button.close()
        self._inbox.post(Close())
        if self._thread.is_alive():
            self._thread.join()
        self._output.close()

    # What any thread may ask

    def snapshot(self) -> Snapshot:
        return self._snapshot

    def wait(self, after: int, timeout_s: float) -> Snapshot | None:
        with self._published:
            self._published.wait_for(lambda: self._snapshot.version > after, timeout_s)
            return self._snapshot if self._snapshot.version > after else None

    def photo(self, photo_id: str) -> bytes | None:
        return self._photo_album.get(photo_id)

    def photo_die(self, photo_id: str, die: int) -> bytes | None:
        return self._photo_album.die(photo_id, die)

    def view(self) -> bytes | None:
        """What the camera sees of the tray now, small, as JPEG; None while there is none."""
        return self._live_view.jpeg()

    @property
    def by_phone(self) -> bool:
        """Whether no camera looks at the tray, and none is missed: phones take the pictures."""
        return self._camera_thread is None

    @property
    def troubles(self) -> Troubles:
        """What is wrong here, for the health page."""
        no_button = (self._no_button,) if self._no_button else ()
        parts = (*no_button, *self._output.troubles)
        output = join_with_semicolons(parts) if parts else None
        return Troubles(self._camera_trouble, self._live_match.trouble, self._damage, output)

    def announce(self, join_url: str) -> Snapshot:
        """From now on the QR code leads here."""
        return self._ask(Announce(join_url))

    def do(self, command: Command, request: str = "") -> Snapshot:
        """Do what somebody asks for; gives the snapshot after it.

        A press goes through the pin where that is simulated, so that it is a finger like any other.
        The `request` is written with the steps that it leads to.

        Raises:
            TableError, GameError: it is refused; says why, and what to do.
        """
        match command:
            case Press():
                return self.do(Hold(TAP_S), request)
            case Hold() if command.seconds >= SHUTDOWN_S:
                raise TableError(
                    Message("Only the button at the tray shuts the machine down: hold that one.")
                )
            case Hold() if self._simulated_button:
                self._simulated_button.hold(command.seconds, request)
            case MoveSimulatedButton():
                if self._simulated_button is None:
                    raise TableError(Message("The button is real: press it at the tray."))
                self._simulated_button.move(
                    down=command.down, held_s=command.seconds, request=request
                )
            case SubmitPhoto():
                reads = self._picture_reader.submit(
                    read_phone_picture, command.picture, self._clock()
                )
                return self._ask(Photographed(reads.result()), request)
        return self._ask(command, request)

    def _ask(self, command: Command | Announce | Photographed, request: str = "") -> Snapshot:
        asked = Asked(command, request)
        self._inbox.post(asked)
        try:
            return asked.done.result(RESTORE_S if isinstance(command, RestoreBackup) else ANSWER_S)
        except TimeoutError:
            asked.done.cancel()  # what has not begun by now is not done later
            raise TableError(BUSY) from None

    # The thread

    def _run(self) -> None:
        while self.step(TURN_S):
            pass

    def step(self, timeout_s: float) -> bool:
        """Work off the next note, if one comes in time; False once it was the last one."""
        self._alive()
        note = self._inbox.take(timeout_s)
        if isinstance(note, Asked):
            self._answer(note)
        elif note is not None:
            self._try(lambda: self._take(note))
        if note is not None or self._feel_the_camera() or self._has_lapsed:
            self._try(self._publish)
        return not isinstance(note, Close)

    def _answer(self, asked: Asked) -> None:
        if not asked.done.set_running_or_notify_cancel():
            return
        try:
            with self._live_match.asked_by(asked.request):
                self._perform(asked.command)
            asked.done.set_result(self._publish())
        except Exception as error:  # noqa: BLE001 - handed to whoever asked
            asked.done.set_exception(error)

    def _try(self, job: Callable[[], object]) -> None:
        """A refusal becomes the message on every phone."""
        try:
            job()
        except (GameError, TableError) as error:
            self._session.table.message = Sentence(error.message)
        except Exception:
            log.exception("a note to the companion failed")
            wrong = Message("Something went wrong here: it is in the log.")
            self._session.table.message = Paragraph(wrong, Message("Press again."))

    def _take(self, note: Note) -> None:
        match note:
            case ButtonPressed():
                with self._live_match.asked_by(note.request):
                    self._pressed()
            case ButtonHeld():
                with self._live_match.asked_by(note.request):
                    if not self.wizard.handle_press(note.seconds):
                        self._session.release_button(note.seconds)
            case ButtonDown():
                self._held_s = None if self.wizard.page.button_use else note.seconds
            case JournalMended():
                self._damage = note.notice
                self._session.table.message = note.notice.sentences[0]
            case Resettle():
                self.tray_watch.relock_exposure()
            case CapturedReading() | TimedOut() | DiceSettled() | CameraFound() | CameraLost():
                self._hear(note)

    def _pressed(self) -> None:
        # A press on the page is no proof of standing at the tray.
        if self._simulated_button is None and self.scorekeeper.press_button():
            self._session.table.message = Message("The pencil is handed over.")
        elif not self.wizard.handle_press(TAP_S):
            self._session.release_button(TAP_S)

    def _hear(self, report: Report) -> None:
        """What the camera thread tells."""
        match report:
            case CapturedReading():
                earlier = report.earlier
                shown = self._session.results.answered(
                    report.request, report.tray_reading, earlier.tray_reading if earlier else None
                )
                if shown:
                    self._see(report)
                    if earlier and shown is earlier.tray_reading:
                        self._see(earlier)
                    self._pictures.judged(self._session.table)
            case TimedOut():
                self._session.requests.timed_out(report.request)
            case DiceSettled() if not self.wizard.page.button_use:
                self._session.requests.dice_settled()
            case CameraFound():
                self._camera_name, self._camera_trouble = report.name, None
                self.wizard.camera_found(report.name)
                self._session.camera.found()
            case CameraLost():
                self._lose_camera(report.reason)

    def _perform(self, command: Command | Announce | Photographed) -> None:
        match command:
            case Announce():
                self._join_url = command.join_url
            case Hold() | MoveSimulatedButton() if self._simulated_button:
                pass  # the pin has told it already
            case ThrowSimulatedDice():
                self._throw()
            case EnterThrow():
                self._tap_in(command)
            case Photographed():
                self._photographed(command.seen)
            case CorrectDie() | MarkForeignObject():
                self._tapped(command)
            case AcknowledgeDamage():
                self._damage = None
                self._heeded()
            case SetCoachMode():
                self._advise(command)
            case RestoreBackup():
                self._put_back(command)
            case _:
                self._session.do(command)

    def _throw(self) -> None:
        if self.simulated_tray is None:
            raise TableError(Message("These dice are real: throw them yourself."))
        if self._session.table.dice_log is not None:
            self.simulated_tray.throw_all()
        else:
            throw_like_a_player(self.simulated_tray, self._session.table.match)

    def _advise(self, command: SetCoachMode) -> None:
        if self._coach is None:
            raise TableError(Message("There is no coach here."))
        self._coach.switch(CoachMode(command.mode))

    def _put_back(self, command: RestoreBackup) -> None:
        """What fails late may have put other matches there: nothing is added to those but their own."""
        done = False
        try:
            with keep_alive(self._alive, RESTORE_S):
                command.restore()
            done = True
        finally:
            self._profiles.reload()
            if done or not self._live_match.is_recorded:
                self._session.starts.reload()

    def _tap_in(self, command: EnterThrow) -> None:
        """Where a reading needs attention, its picture shows what is tapped in."""
        before = self._session.table.match
        heeding = isinstance(self._session.table.overlay, NeedsAttention)
        self._session.do(command)
        after = self._session.table.match
        if self._misreads and before and after and heeding and after is not before:
            self._misreads.tapped_in(before, after)

    def _photographed(self, seen: CapturedReading) -> None:
        self._session.results.photographed(seen.tray_reading)
        self._see(seen)
        self._pictures.judged(self._session.table)

    def _tapped(self, command: CorrectDie | MarkForeignObject) -> None:
        """A die of the last throw is corrected; any other is told to the open question."""
        photo = self._snapshot.photo
        if photo is None or photo.id != command.photo:
            raise TableError(
                Message("That photo is an old one: look at the newest, and tap there.")
            )
        if command.die >= len(photo.dice):
            raise TableError(
                Message("There is no die %(n)s on that photo: they count from 0.", n=command.die)
            )
        slot = photo.dice[command.die].slot
        if isinstance(command, MarkForeignObject):
            self._leave_out(command.die)
        elif slot is None:
            self._pictures.told(self._session, command.die, command.face)
        else:
            self._session.correct_die(slot, command.face)

    def _leave_out(self, die: int) -> None:
        """It is dropped from the open question, and the watch learns that it is nothing."""
        seen = self._pictures.newest
        self._pictures.left_out(self._session, die)
        if seen:
            self.tray_watch.mark_not_a_die(seen.tray_reading.time_s, seen.reading.dice[die])

    # The camera

    def _see(self, seen: CapturedReading) -> None:
        """What the camera saw, before people say more of it."""
        if self._misreads:
            self._misreads.saw(seen)
        self._pictures.see(seen)

    def _lose_camera(self, reason: Message) -> None:
        self._camera_name, self._camera_trouble = None, reason
        self.wizard.camera_lost()
        self._session.camera.lost(reason)

    def _feel_the_camera(self) -> bool:
        """A camera that never comes back from a call cannot say so itself."""
        if self.by_phone or self.tray_watch.link.is_hung == self._hangs:
            return False
        self._hangs = not self._hangs
        if self._hangs:
            self._lose_camera(HANGS)
        elif name := self.tray_watch.preview.camera_name:
            self._hear(CameraFound(name))
        return True

    def _sift(self, reading: Reading, camera: Camera) -> Reading:
        return self._profiles.filter_reading(reading, camera.tray, camera.name)

    def _drifted(self, drifted: Drifted) -> None:
        """Comes on the camera's thread."""
        if drifted.should_relock:
            self._inbox.post(Resettle())
        self._inbox.changed()

    # What is shown

    @property
    def _surroundings(self) -> Surroundings:
        drifted = self._drift_watch.found
        return Surroundings(
            simulated=self.simulated_tray is not None,
            camera=self._camera_name,
            by_phone=self.by_phone,
            hands_off=self._hands_off,
            photo=self._pictures.photo(self._session.table),
            join_url=self._join_url,
            held_s=self._held_s,
            moved=drifted.has_moved,
            testing=self.wizard.page.colour,
            calibrated=not self.wizard.needs_calibration,
            notice=drifted.words or self._profiles.notice,
            troubles=self.troubles,
            scorekeeper=self.scorekeeper.view(),
        )

    @property
    def _coaching(self) -> Coaching:
        return self._coach.coaching(self._session.table.match) if self._coach else Coaching()

    @property
    def _has_lapsed(self) -> bool:
        """A page left the lamp's test, or a phone asked for the pencil in vain."""
        around = self._surroundings
        lamp = LAMPS[indicator_of(self._session, around)]
        return self._snapshot.lamp != lamp or self._snapshot.scorekeeper != around.scorekeeper

    def _publish(self) -> Snapshot:
        self._keep_picture()
        self._follow_names()
        if self._misreads and self._session.table.match:
            self._misreads.learn(self._session.table.match)
        around = self._surroundings
        drawn = draw(self._snapshot.version, self._session, around, self._coaching)
        if drawn == self._snapshot:
            return drawn
        banked = has_banked(self._snapshot.match, drawn.match)
        with self._published:
            self._snapshot = replace(drawn, version=drawn.version + 1)
            self._published.notify_all()
        words = spoken_text(drawn.message, drawn.advice)
        self._output.show(indicator_of(self._session, around), words, banked=banked)
        return self._snapshot

    def _follow_names(self) -> None:
        """A player's own phone stays that player's under another name."""
        before, after = self._snapshot.match, self._session.table.match
        if before and after and after is not before:
            self.scorekeeper.players.rename(new_names(before, after))

    def _keep_picture(self) -> None:
        """Of a throw that was just read, and not of what was seen since."""
        seen, picture = self._live_match.seen, self._pictures.picture
        if self._throw_pictures and picture and seen not in (0, self._kept):
            self._kept = seen
            throw = self._session.table.last_throw
            if throw and shows(picture.reading, throw):
                self._throw_pictures.keep(seen, picture.image)
