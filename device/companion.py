"""The one thread that owns the match.

Button, phones and eye send it messages; it works them off one after the other on a `Session`,
and after each publishes an immutable snapshot that any thread may read. It is the `Table` that
the page talks to.
"""

import logging
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import replace
from queue import Empty, SimpleQueue
from threading import Condition, Thread
from typing import Any

from gpiozero import GPIOZeroError

from device.calibrating.calibrated_camera import fitted_opener
from device.calibrating.drift_watch import Drifted, DriftWatch
from device.calibrating.profile_store import ProfileStore
from device.calibrating.wizard import Wizard
from device.cameras.base import Camera, Image
from device.cameras.simulated.player import throw_as_a_person
from device.cameras.simulated.tray import SimulatedTray
from device.coach.coach import TableCoach
from device.hardware.button import TrayButton
from device.hardware.lamp import LAMPS
from device.hardware.outputs import Output, Signals
from device.hardware.simulated_button import SimulatedButton
from device.hardware.voice import words_for
from device.session.indicator import SHUTDOWN_S, Indicator, sign_for
from device.session.live_match import LiveMatch
from device.session.session import Session
from device.session.verdict import NeedsAttention, OpenQuestion
from device.snapshots import Troubles
from device.storage.misreads import MisreadCollector, MisreadStore
from device.storage.photo_album import PhotoAlbum, jpeg, with_slots
from device.storage.throw_pictures import ThrowPictures
from device.watching.camera_thread import CameraThread
from device.watching.reports import CameraFound, CameraLost, Report, Seen, TimedOut
from game.errors import GameError
from game.match.events import Event
from game.match.match import Match
from game.rules.ruleset import Ruleset
from game.situation import Situation, TableError
from vision import Reading
from web.access.pencil import Pencil
from web.contracts.coach import Coaching, Mode
from web.contracts.table import Photo, Snapshot

log = logging.getLogger(__name__)

Job = Callable[[], object]

ANSWER_S = 10.0
"""No job takes nearly as long; a phone that waits longer is told so."""

RESTORE_S = 120.0
"""A card writes some MB a second; restoring is rare."""

HANGS = "it hangs: check its cable, then restart the companion"

TAP_S = 0.05
"""A short press of the simulated button."""

TURN_S = 1.0
"""The loop goes round at least as often, so that whoever watches it sees it run."""


class Companion:
    """Joins camera, button, lamp and match; see `web.contracts.table.Table` for what it can be asked.

    Args:
        live_match: the match and its journal.
        rules: for a match that begins at the button.
        open_camera: opens the camera, again after it failed.
        output: lamp, buzzer, voice: tells where the table stands.
        tray: the simulated tray, where there is no real one: then it can be thrown.
        profiles: where the profile is kept; None keeps one in memory.
        pencil: who may change anything from a phone.
        still_s, period_s: see `CameraThread`.
        shut_down: what a very long hold does; None where that is not allowed.
        throw_pictures: keeps the picture of each throw; None keeps none.
        corrections: keeps pictures that people put right; None keeps none.
        damage: what people have to know about the journal as it was found; usually nothing.
        coach: works out figures; without one there are none.
        alive: called by the loop at every turn, every `TURN_S` at least.

    Attributes:
        wizard: the calibration of this table.
    """

    def __init__(
        self,
        live_match: LiveMatch,
        rules: Ruleset,
        open_camera: Callable[[], Camera],
        output: Output,
        *,
        tray: SimulatedTray | None = None,
        profiles: ProfileStore | None = None,
        pencil: Pencil | None = None,
        still_s: float = 0.4,
        period_s: float = 1 / 15,
        shut_down: Callable[[], object] | None = None,
        throw_pictures: ThrowPictures | None = None,
        corrections: MisreadStore | None = None,
        damage: str = "",
        coach: TableCoach | None = None,
        alive: Callable[[], object] = lambda: None,
    ) -> None:
        self._alive = alive
        self.pencil = pencil or Pencil()
        self.pencil.changed = self._refresh
        self._coach = coach
        if coach:
            coach.changed = self._refresh
        self._profiles = profiles = profiles or ProfileStore()
        self._drift_watch = DriftWatch(profiles, self._drifted)
        self._camera_thread = CameraThread(
            fitted_opener(open_camera, profiles),
            self._report,
            still_s=still_s,
            period_s=period_s,
            sift=self._sift,
            idle=self._drift_watch.look,
        )
        self.wizard = Wizard(
            self._camera_thread, profiles, simulated=tray, changed=self._refresh, kept=self._refresh
        )
        self._session = Session(live_match, rules, self._camera_thread, shut_down=shut_down)
        if damage:  # spoken, too
            first = damage.partition(". ")[0]
            self._session.message = f"{first}. {self._session.message}"
        self._live_match, self.simulated_tray = live_match, tray
        self._output = output if isinstance(output, Signals) else Signals(output)
        self._throw_pictures, self._kept = throw_pictures, 0
        self._misread_collector = MisreadCollector(corrections) if corrections else None
        self._damage, self._camera_trouble, self._hangs = damage, "", False
        self._photo_album = PhotoAlbum()
        self._button: TrayButton | None = None
        self._button_trouble = ""
        self._simulated_button: SimulatedButton | None = None
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()
        self._changed = Condition()
        self._seen: Seen | None = None
        self._photo: Photo | None = None
        self._camera_name: str | None = None
        self._held_s: float | None = None
        self._join_url = ""
        self._moved = False
        self._snapshot = self._draw(version=1)
        self._thread = Thread(target=self._run, name="companion", daemon=True)

    def start(self) -> None:
        self._thread.start()
        self._camera_thread.start()

    def close(self) -> None:
        """Finish what is queued, then give camera, button and lamp back."""
        self._camera_thread.close()
        if self._button:
            self._button.close()
        self._jobs.put(None)
        self._thread.join()
        self._output.close()

    def announce(self, join_url: str) -> Snapshot:
        """From now on the QR code leads here."""

        def note() -> None:
            self._join_url = join_url

        return self._ask(note)

    def attach(self, make_button: Callable[["Companion"], TrayButton]) -> None:
        """Give the companion its button, whose messages it takes; without one the phones do it."""
        try:
            self._button = make_button(self)
        except (GPIOZeroError, OSError) as error:
            log.exception("there is no button")
            self._button_trouble = f"No button: {error}"
            return
        self._simulated_button = SimulatedButton(self._button) if self._button.simulated else None
        self.wizard.real_button = self.pencil.by_button = not self._button.simulated

    # What comes in from the hardware

    def pressed(self) -> None:
        if (
            self._simulated_button is None and self.pencil.press()
        ):  # a page's button is not at the tray
            self._post(lambda: self._session.say("The pencil is handed over."))
            return
        if not self.wizard.pressed(TAP_S):
            self._post(self._session.press)

    def held(self, seconds: float) -> None:
        if not self.wizard.pressed(seconds):
            self._post(lambda: self._session.hold(seconds))

    def holding(self, seconds: float | None) -> None:
        """The button is down for so long; None when it was let go."""

        def note() -> None:
            self._held_s = None if self.wizard.listening else seconds

        self._post(note)

    def _report(self, report: Report) -> None:
        self._post(lambda: self._take(report))

    def _take(self, report: Report) -> None:
        match report:
            case Seen():
                self._see(report)
                earlier = report.earlier
                self._session.seen(report.look, report.sight, earlier.sight if earlier else None)
                if earlier and self._session.offering:
                    self._see(earlier)
            case TimedOut():
                self._session.timed_out(report.look)
            case CameraFound():
                self._camera_name, self._camera_trouble = report.name, ""
                self.wizard.found(report.name)
                self._session.camera_found()
            case CameraLost():
                self._lose_camera(report.reason)

    def _lose_camera(self, reason: str) -> None:
        self._camera_name, self._camera_trouble = None, reason
        self.wizard.lost()
        self._session.camera_lost(reason)

    def _feel_the_eye(self) -> Job | None:
        """A camera that never comes back from a call cannot say so itself."""
        if self._camera_thread.hangs == self._hangs:
            return None
        self._hangs = not self._hangs
        if self._hangs:
            return lambda: self._lose_camera(HANGS)
        name = self._camera_thread.camera_name
        return None if name is None else lambda: self._take(CameraFound(name))

    def _sift(self, reading: Reading, image: Image, camera: Camera) -> Reading:
        return self._profiles.sift(reading, image, camera.tray, camera.name)

    def _drifted(self, drifted: Drifted) -> None:
        """Comes on the eye's thread."""

        def note() -> None:
            self.wizard.drift, self._moved = drifted.words, drifted.moved
            if drifted.resettle:
                self._camera_thread.resettle()

        self._post(note)

    def _refresh(self) -> None:
        """Lamp and page anew, where the calibration changed what they show."""

        def note() -> None:
            self._moved = self._moved and bool(self.wizard.drift)

        self._post(note)

    def _see(self, seen: Seen) -> None:
        """What the camera saw, before people say more of it."""
        if self._misread_collector:
            self._misread_collector.saw(seen)
        self._show(seen)

    def _show(self, seen: Seen) -> None:
        self._seen = seen
        self._photo = self._photo_album.add(seen.image, seen.sight.reading, seen.zones)

    # The thread

    def _run(self) -> None:
        while (job := self._next_job()) is not None:
            job()
            self._try(self._publish)

    def _next_job(self) -> Job | None:
        while True:
            self._alive()
            with suppress(Empty):
                return self._jobs.get(timeout=TURN_S)
            if job := self._feel_the_eye():
                return job
            if self._has_lapsed:
                return lambda: None

    @property
    def _has_lapsed(self) -> bool:
        """A page left the lamp's test, or a phone asked for the pencil in vain."""
        return (
            self._snapshot.lamp != LAMPS[self._indicator]
            or self._snapshot.pencil != self.pencil.view()
        )

    def _post(self, job: Job) -> None:
        """Do this on the companion's thread; a refusal becomes the message on every phone."""
        self._jobs.put(lambda: self._try(job))

    def _try(self, job: Job) -> None:
        try:
            job()
        except (GameError, TableError) as error:
            self._session.message = _sentence(str(error))
        except Exception:
            log.exception("a message to the companion failed")
            self._session.message = "Something went wrong here: it is in the log. Press again."

    def _ask(self, job: Job, patience_s: float = ANSWER_S) -> Snapshot:
        """Do this on the companion's thread and wait for the snapshot after it."""
        done: Future[Snapshot] = Future()

        def answer() -> None:
            try:
                job()
                done.set_result(self._publish())
            except Exception as error:  # noqa: BLE001 - handed to whoever asked
                done.set_exception(error)

        self._jobs.put(answer)
        return done.result(timeout=patience_s)

    def _publish(self) -> Snapshot:
        self._keep_frame()
        if self._misread_collector and self._live_match:
            self._misread_collector.learn(self._live_match.match)
        drawn = self._draw(self._snapshot.version)
        if drawn == self._snapshot:
            return drawn
        with self._changed:
            self._snapshot = replace(drawn, version=drawn.version + 1)
            self._changed.notify_all()
        self._output.show(self._indicator, words_for(drawn.message, drawn.advice))
        return self._snapshot

    def _keep_frame(self) -> None:
        if self._throw_pictures and self._seen and self._live_match.seen not in (0, self._kept):
            self._kept = self._live_match.seen
            self._throw_pictures.keep(self._kept, self._seen.image)

    @property
    def troubles(self) -> Troubles:
        """What is wrong here, for the health page."""
        output = "; ".join(filter(None, (self._button_trouble, self._output.trouble)))
        return Troubles(self._camera_trouble, self._live_match.trouble, self._damage, output)

    def _draw(self, version: int) -> Snapshot:
        session, overlay = self._session, self._session.overlay
        match = self._live_match.match if self._live_match else None
        return Snapshot(
            version=version,
            situation=session.situation,
            message=session.message,
            lamp=LAMPS[self._indicator],
            advice=overlay.advice if isinstance(overlay, NeedsAttention) else (),
            match=match,
            rolloff=session.rolloff if session.situation is Situation.NO_MATCH else None,
            photo=self._photo_of(match),
            question=overlay.question if isinstance(overlay, OpenQuestion) else None,
            choices=session.choices,
            simulated=self.simulated_tray is not None,
            camera=self._camera_name,
            join_url=self._join_url,
            calibrated=self.wizard.calibrated or not self.wizard.wanted,
            notice=self.wizard.drift or self._profiles.trouble,
            troubles=self.troubles.at_the_table,
            pencil=self.pencil.view(),
            coach=self._coach.coaching(match) if self._coach else Coaching(),
        )

    @property
    def _indicator(self) -> Indicator:
        session = self._session
        return sign_for(
            session.situation,
            self._live_match.match if self._live_match else None,
            held_s=self._held_s or 0.0,
            has_camera=session.has_camera,
            started=session.started,
            moved=self._moved,
            testing=self.wizard.showing,
            asked=self.pencil.view().by_button,
        )

    def _photo_of(self, match: Match | None) -> Photo | None:
        if self._photo is None or self._seen is None or match is None:
            return self._photo
        return with_slots(self._photo, self._seen.sight.reading, match.last_throw)

    # What the page can ask

    def snapshot(self) -> Snapshot:
        return self._snapshot

    def wait(self, after: int, timeout_s: float) -> Snapshot | None:
        with self._changed:
            self._changed.wait_for(lambda: self._snapshot.version > after, timeout_s)
            return self._snapshot if self._snapshot.version > after else None

    def photo(self, photo_id: str) -> bytes | None:
        return self._photo_album.get(photo_id)

    def view(self) -> bytes | None:
        """What the camera sees now, small, as JPEG; None while there is no camera."""
        latest = self._camera_thread.latest
        return None if latest is None else jpeg(latest)

    def press(self) -> Snapshot:
        return self.hold(TAP_S)

    def reread(self) -> Snapshot:
        return self._ask(self._session.read_again)

    def hold(self, seconds: float) -> Snapshot:
        """Through the pin where it is simulated, so that it is a finger like any other.

        Raises:
            TableError: it would shut the machine down: whoever wants that stands at the tray.
        """
        if seconds >= SHUTDOWN_S:
            raise TableError("Only the button at the tray shuts the machine down: hold that one.")
        if self._simulated_button is None:
            return self._ask(lambda: self._session.hold(seconds))
        self._simulated_button.hold(seconds)
        return self._ask(lambda: None)

    def button(self, *, down: bool) -> Snapshot:
        if self._simulated_button is None:
            raise TableError("The button is real: press it at the tray.")
        self._simulated_button.move(down=down)
        return self._ask(lambda: None)

    def throw(self) -> Snapshot:
        tray = self.simulated_tray
        if tray is None:
            raise TableError("These dice are real: throw them yourself.")
        match = self._live_match.match if self._live_match else None
        return self._ask(lambda: throw_as_a_person(tray, match))

    def new_match(
        self,
        names: tuple[str, ...],
        *,
        rules: str | None = None,
        target: int | None = None,
        options: Mapping[str, Any] | None = None,
        teams: tuple[int, ...] | None = None,
    ) -> Snapshot:
        return self._ask(
            lambda: self._session.new_match(
                names, rules=rules, target=target, options=options, teams=teams
            )
        )

    def invite(
        self,
        question: str,
        names: tuple[str, ...],
        *,
        rules: str | None = None,
        target: int | None = None,
        answered: Callable[[bool], object],
    ) -> Snapshot:
        """Ask at the table whether these may begin a match; `answered` hears what was chosen."""
        return self._ask(
            lambda: self._session.invite(
                question, names, rules=rules, target=target, answered=answered
            )
        )

    def rematch(self) -> Snapshot:
        return self._ask(self._session.rematch)

    def heed(self) -> Snapshot:
        def note() -> None:
            self._damage = ""

        return self._ask(note)

    def advise(self, mode: Mode) -> Snapshot:
        coach = self._coach
        if coach is None:
            raise TableError("There is no coach here.")

        return self._ask(lambda: coach.switch(mode))

    def replaced(self, put_back: Callable[[], object]) -> Snapshot:
        """Let a backup be put in place of journal and profile, and go on with what is there then."""

        def change() -> None:
            put_back()
            self._profiles.reload()
            self._session.reload()

        return self._ask(change, RESTORE_S)

    def reopen(self, match_id: int) -> Snapshot:
        return self._ask(lambda: self._session.reopen(match_id))

    def dice(self, dice: tuple[int, ...]) -> Snapshot:
        return self._ask(lambda: self._tap_in(dice))

    def _tap_in(self, dice: tuple[int, ...]) -> None:
        """Where a reading needs attention, its picture shows what is tapped in."""
        before = self._live_match.match if self._live_match else None
        heeding = isinstance(self._session.overlay, NeedsAttention)
        self._session.dice(dice)
        if self._misread_collector and before and heeding and self._live_match.match is not before:
            self._misread_collector.tapped_in(before, self._live_match.match)

    def keep(self, dice: tuple[int, ...]) -> Snapshot:
        return self._ask(lambda: self._session.keep(dice))

    def bank(self, dice: tuple[int, ...] | None = None) -> Snapshot:
        return self._ask(lambda: self._session.bank(dice))

    def correct(self, dice: tuple[int, ...], index: int | None = None) -> Snapshot:
        return self._ask(lambda: self._session.correct(dice, index))

    def face(self, photo_id: str, die: int, value: int) -> Snapshot:
        return self._ask(lambda: self._face(photo_id, die, value))

    def _face(self, photo_id: str, die: int, value: int) -> None:
        """A die of the last throw is corrected; any other is told to the open question."""
        photo, seen = self._snapshot.photo, self._seen
        if seen is None or photo is None or photo.id != photo_id:
            raise TableError("That photo is an old one: look at the newest, and tap there.")
        if die >= len(photo.dice):
            raise TableError(f"There is no die {die} on that photo: they count from 0.")
        told = replace(seen, sight=seen.sight.told(die, value))
        if (slot := photo.dice[die].slot) is None:
            self._session.told(told.sight)
        else:
            self._session.correct_die(slot, value)
        self._show(told)

    def by_hand(self, event: Event) -> Snapshot:
        return self._ask(lambda: self._session.by_hand(event))

    def insert(self, line: str, before: int | None = None) -> Snapshot:
        return self._ask(lambda: self._session.insert(line, before))

    def drop(self, start: int, stop: int) -> Snapshot:
        return self._ask(lambda: self._session.drop(start, stop))

    def answer(self, choice_id: str) -> Snapshot:
        return self._ask(lambda: self._session.answer(choice_id))

    def undo(self) -> Snapshot:
        return self._ask(self._session.undo)

    def redo(self) -> Snapshot:
        return self._ask(self._session.redo)


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."
