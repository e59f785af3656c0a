"""Calibration as it is done on the phone and on the terminal: the `web.contracts.calibration.Calibration`.

Pictures are taken on the camera's thread. Whatever edits the draft is queued for a thread of its own
and done there, one after the other; the draft is replaced, never changed, so that anybody may look at
it meanwhile.
"""

import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from threading import BoundedSemaphore, Lock
from time import monotonic, sleep
from typing import Any

import numpy as np

from calibration import mat, picture_checks, set_aside_zone, tray_finder
from calibration.dice_set import describe_dice, filter_reading
from calibration.drift import edge_signature, floor_brightness
from calibration.outline import Outline, OutlineError
from calibration.profile import Mat, Profile
from device.calibrating import picture_advice
from device.calibrating.draft import Around, Draft, DraftReading, not_the_same, state_of
from device.calibrating.drift_watch import DriftWatch
from device.calibrating.profile_store import ProfileStore, held
from device.cameras.base import Camera, CameraError, Image
from device.cameras.controls import Tunable, Tuning
from device.cameras.simulated.tray import SimulatedTray
from device.cameras.tray_picture import encode_jpeg
from device.session.indicator import BANK_S
from device.watching.tray_watch import TrayWatch
from game.message import Message, Paragraph
from game.situation import TableError
from vision import read
from web.contracts.calibration import CalibrationState, CalibrationStep, Points

log = logging.getLogger(__name__)

LOOKS = 3
"""Pictures in which the tray is looked for: what noise hides in one is in another."""

PICTURE_S = 6.0
"""Longer than a camera needs that has just been opened; focusing has its own patience."""

FOCUS_S = 20.0
SAME_S = 0.4
"""The page asks for a picture once a second."""

WAITING = 3
"""Steps that are done or wait at once: each holds pictures of some MB."""

UNTIL_STILL_S = 10.0
ROLL_S = 0.05

HEARD_S = 10.0
"""The holder's page asks every second or so; when it no longer does, button and lamp are the match's again."""

FOUND = Message("The tray was found: are the corners where floor and walls meet?")
NOT_SURE = Message("Not sure where the tray is: drag the corners to where floor and walls meet.")
NO_CAMERA = Message("There is no camera now: it is tried again every few seconds.")


class Wizard:
    """Fits the profile to what the camera sees.

    Args:
        tray_watch: watches the tray.
        profiles: where the profile is kept.
        simulated: the simulated tray, where there is one.
        real_button: whether there is a button that a finger can press.
        changed: called when what lamp or page show has changed.
        drift_watch: knows what has changed since the profile was made; None where nobody looks.
        clock: seconds that never run backwards.
        pause: lets so many seconds go by.
    """

    def __init__(
        self,
        tray_watch: TrayWatch,
        profiles: ProfileStore,
        *,
        simulated: SimulatedTray | None = None,
        real_button: bool = False,
        changed: Callable[[], object] = lambda: None,
        drift_watch: DriftWatch | None = None,
        clock: Callable[[], float] = monotonic,
        pause: Callable[[float], object] = sleep,
    ) -> None:
        self._tray_watch, self._profiles, self._simulated = tray_watch, profiles, simulated
        self._real_button, self._changed, self._drift_watch = real_button, changed, drift_watch
        self._clock, self._pause = clock, pause
        self._worker = ThreadPoolExecutor(1, "calibration")
        self._camera: str | None = None
        self._size = (16, 9)
        self._draft = Draft()
        self._drafted_for: str | None = None
        self._listening = self._showing = ""
        self._heard_s = 0.0
        self._jobs = BoundedSemaphore(WAITING)
        self._pictured, self._pictured_s = Lock(), float("-inf")
        self._picture: bytes | None = None

    # What the companion tells and asks

    def camera_found(self, camera: str) -> None:
        """There is a camera, of this name: the draft begins with what is saved for it."""
        self._camera = camera
        self._worker.submit(self._begin, camera)

    def _begin(self, camera: str) -> None:
        if camera != self._drafted_for:
            self._drafted_for = camera
            self._draft = Draft.of(self._profiles.profile_for(camera))

    def camera_lost(self) -> None:
        self._camera = None

    def close(self) -> None:
        """What is under way is finished, what waits is not begun."""
        self._worker.shutdown(wait=False, cancel_futures=True)

    @property
    def is_calibrated(self) -> bool:
        """Whether there is a profile for the camera that is there."""
        return self._camera is not None and self._profiles.profile_for(self._camera) is not None

    @property
    def needs_calibration(self) -> bool:
        """Whether the camera that is there should be calibrated: the simulated tray knows itself."""
        return self._camera is not None and self._simulated is None

    @property
    def listening(self) -> str:
        """What a press at the tray is for; empty where it is the match's."""
        return self._listening if self._heard else ""

    @property
    def showing(self) -> str:
        """The colour that the lamp shows for the parts check; empty without one."""
        return self._showing if self._heard else ""

    @property
    def _heard(self) -> bool:
        return self._clock() - self._heard_s < HEARD_S

    def handle_press(self, seconds: float) -> bool:
        """The button was let go after so long; gives whether that was for the calibration."""
        match self.listening:
            case "button":
                self._worker.submit(self._note, seconds)
            case "learn":
                self._worker.submit(self._told, self._learn)
            case "test":
                self._worker.submit(self._told, self._test)
            case _:
                return False
        return True

    def _note(self, seconds: float) -> None:
        if seconds < BANK_S:
            self._set(pressed=True)
        else:
            self._set(held=True)

    def _told(self, job: Callable[[], object]) -> None:
        """Nobody waits at a page: a refusal is said there when it asks next."""
        try:
            job()
        except TableError as error:
            self._set(words=error.message)

    def _queued(self, job: Callable[[], object]) -> CalibrationState:
        """The state after it was done."""
        if not self._jobs.acquire(blocking=False):
            raise TableError(Message("The calibration is at work: wait until that is done."))
        try:
            self._worker.submit(job).result()
        finally:
            self._jobs.release()
        self.keep_alive()
        return self.state()

    # What the page asks

    def keep_alive(self) -> None:
        self._heard_s = self._clock()

    def state(self) -> CalibrationState:
        profile = self._profiles.profile_for(self._camera) if self._camera else None
        around = Around(
            self._camera, self._simulated is not None, self._size, self._real_button,
            self.showing or None, profile.made if profile else None,
            self._drift_watch.found.words if self._drift_watch else None,
        )  # fmt: skip
        return state_of(self._draft, around)

    def picture(self) -> bytes | None:
        """One at a time, and the same for all who ask within a moment."""
        with self._pictured:
            if self._clock() - self._pictured_s >= SAME_S:
                try:
                    self._picture = encode_jpeg(self._look())
                except TableError:
                    self._picture = None
                self._pictured_s = self._clock()
            return self._picture

    def do(self, step: CalibrationStep) -> CalibrationState:
        jobs = {
            CalibrationStep.FIND: self._find,
            CalibrationStep.PROPOSE: self._propose_aside,
            CalibrationStep.CHECK: self._check,
            CalibrationStep.FOCUS: self._focus,
            CalibrationStep.THROW: self._throw,
            CalibrationStep.LEARN: self._learn,
            CalibrationStep.FORGET: self._forget,
            CalibrationStep.TEST: self._test,
            CalibrationStep.RETEST: self._retest,
            CalibrationStep.SAVE: self._save,
            CalibrationStep.DISCARD: self._discard,
        }
        return self._queued(jobs[step])

    def _find(self) -> None:
        images = self._looks()
        found = self._found(images)
        height, width = images[0].shape[:2]
        aside = set_aside_zone.propose_zone(found.tray, width, height)
        self._set(aside=aside, room=aside is not None)
        self._judge(images[0])

    def _found(self, images: list[Image]) -> tray_finder.FoundTray:
        """The tray, and what a mat in it tells."""
        found, sighting = tray_finder.find_tray(images), mat.find_mat(images[0])
        height, width = images[0].shape[:2]
        words: Message = FOUND if found.is_sure else NOT_SURE
        measured = self._draft.measured
        if sighting is not None:
            if not found.is_sure:
                found = tray_finder.FoundTray(Outline.of(sighting.corners, width, height), 0.0)
            measured = sighting.measure(found.tray.in_px(width, height))
            words = Paragraph(_size(measured), words, Message("Then take the mat out."))
        self._set(tray=found.tray, sure=found.is_sure, words=words, unsaved=True,
                  mat=sighting or self._draft.mat, measured=measured)  # fmt: skip
        return found

    def set_corners(self, tray: Points, aside: Points | None) -> CalibrationState:
        floor = _outline(tray, Message("The tray"))
        zone = _outline(aside, Message("The zone")) if aside else None
        words = Message("The corners are where you set them.")
        return self._queued(
            lambda: self._set(tray=floor, aside=zone, sure=None, words=words, unsaved=True)
        )

    def _propose_aside(self) -> None:
        aside = set_aside_zone.propose_zone(self._draft.tray, *self._size)
        self._set(aside=aside, room=aside is not None, unsaved=True)
        if aside is None:
            raise TableError(
                Message(
                    "There is no room beside the tray: hang the camera higher, or move the tray to "
                    "one side of the picture."
                )
            )

    def _check(self) -> None:
        self._judge(self._look())

    def _judge(self, image: Image) -> None:
        height, width = image.shape[:2]
        dice = self._draft.dice
        quad = self._draft.tray.in_px(width, height)
        self._set(
            checks=picture_checks.check_picture(image, quad, dice.looks[0].edge if dice else None)
        )

    def _focus(self) -> None:
        if not self._ask(_focused, FOCUS_S):
            raise TableError(
                Message("This camera cannot be set from here: turn the ring of its lens.")
            )
        self._judge(self._look())

    def set_button_use(self, to: str) -> CalibrationState:
        self._listening = to
        self.keep_alive()
        return self.state()

    def show_colour(self, colour: str) -> CalibrationState:
        self._showing = colour
        self.keep_alive()
        state = self.state()
        self._changed()
        return state

    def confirm_colour(self, colour: str, *, seen: bool) -> CalibrationState:
        self._queued(lambda: self._answered(colour, seen=seen))
        return self.show_colour("")

    def _answered(self, colour: str, *, seen: bool) -> None:
        self._draft = self._draft.answered(colour, seen=seen)

    def _throw(self) -> None:
        if self._simulated is None:
            raise TableError(Message("These dice are real: throw them yourself."))
        self._simulated.throw_all()

    def _learn(self) -> None:
        seen, image = self._read()
        new = describe_dice(image, seen.reading, self._draft.tray.in_px(seen.width, seen.height))
        if not new:
            self._set(seen=seen)
            raise TableError(
                Message("No die was read for sure: throw again, and look at the checks.")
            )
        looked_at = (*self._draft.looks, *new)
        self._draft = self._draft.learning(looked_at, seen)

    def _forget(self) -> None:
        self._set(looks=(), dice=None, leans=(), seen=DraftReading(), unsaved=True)

    def _test(self) -> None:
        seen, _ = self._read()
        self._draft = self._draft.tried(seen)

    def _retest(self) -> None:
        self._set(trials=(), seen=DraftReading())

    def _save(self) -> None:
        if self._camera is None:
            raise TableError(NO_CAMERA)
        try:
            self._profiles.save(self._profile(self._camera))
        except OSError as error:
            raise TableError(
                Message(
                    "The calibration cannot be saved (%(why)s): is the disk full, or read-only?",
                    why=str(error.strerror),
                )
            ) from None
        self._set(unsaved=False)
        if self._drift_watch:
            self._drift_watch.forget()
        self._changed()

    def _discard(self) -> None:
        self._draft = Draft.of(self._profiles.profile_for(self._camera) if self._camera else None)

    # How

    def _profile(self, camera: str) -> Profile:
        draft, preview = self._draft, self._tray_watch.preview.latest
        # As the drift is looked for in previews, what it is compared with is taken from one.
        image = self._look() if preview is None else preview
        quad = draft.tray.in_px(image.shape[1], image.shape[0])
        return Profile(
            camera=camera,
            made=datetime.now(UTC).isoformat(timespec="seconds"),
            tray=draft.tray,
            aside=draft.aside,
            level=floor_brightness(image, quad),
            sides=edge_signature(image, quad),
            held=held(self._ask(_tuning)),
            dice=draft.dice,
            leans=draft.leans,
            mat=self._measured(),
        )

    def _measured(self) -> Mat | None:
        """The tray in millimetres, where the mat was seen; anew, as its corners may have moved."""
        seen = self._draft.mat
        if seen is None:
            return self._draft.measured
        return seen.measure(self._draft.tray.in_px(*seen.size))

    def _read(self) -> tuple[DraftReading, Image]:
        """What lies in the tray of the draft, once it is still, and its picture."""
        self._wait_till_still()
        image = self._look()
        height, width = image.shape[:2]
        draft = self._draft
        quad = draft.tray.in_px(width, height)
        aside = draft.aside.in_px(width, height) if draft.aside else None
        table = replace(self._tray_watch.memory.known, leans=draft.leans)
        reading = read(image, quad, aside=aside, known=table)
        if draft.dice:
            reading = filter_reading(reading, quad, draft.dice)
        seen = DraftReading(reading, width, height)
        not_the_same(seen, draft.seen)
        return seen, image

    def _wait_till_still(self) -> None:
        self._pause(ROLL_S)  # dice that were just thrown are not yet seen to move
        end_s = self._clock() + UNTIL_STILL_S
        while not self._tray_watch.preview.is_settled:
            if self._clock() > end_s:
                raise TableError(
                    Message("The tray is not still: take your hand away, then read again.")
                )
            self._pause(ROLL_S)

    def _look(self) -> Image:
        image: Image = self._ask(lambda camera: camera.capture().image)
        self._size = image.shape[1], image.shape[0]
        return image

    def _looks(self) -> list[Image]:
        images = [self._look() for _ in range(LOOKS)]
        return [np.asarray(image) for image in images if image.shape == images[0].shape]

    def _ask(self, errand: Callable[[Camera], object], wait_s: float | None = None) -> Any:
        try:
            return self._tray_watch.run_with_camera(errand).result(timeout=wait_s or PICTURE_S)
        except (CameraError, TimeoutError):
            raise TableError(NO_CAMERA) from None

    def _set(self, **changes: Any) -> None:
        self._draft = replace(self._draft, **changes)


def _size(measured: Mat) -> Message:
    return Message(
        "The mat tells: the floor is %(wide)s by %(deep)s mm.",
        wide=round(measured.wide_mm),
        deep=round(measured.deep_mm),
    )


def _focused(camera: Camera) -> bool:
    """Focus and exposure are found anew, where the camera can."""
    if not isinstance(camera, Tunable):
        return False
    camera.refocus()
    camera.resettle()
    return True


def _tuning(camera: Camera) -> Tuning:
    return camera.tuning if isinstance(camera, Tunable) else Tuning()


def _outline(points: Points, what: Message) -> Outline:
    try:
        a, b, c, d = points
        return Outline((a, b, c, d))
    except OutlineError as error:
        why = picture_advice.fault(error.fault)
        raise TableError(Message("%(what)s: %(why)s.", what=what, why=why)) from None
