"""Calibration as it is done on the phone and on the terminal: the `web.contracts.calibration.Calibration`.

Pictures are taken on the eye's thread; all else happens on the thread that asks, one at a time.
The draft is replaced, never changed, so that anybody may look at it meanwhile.
"""

import logging
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from datetime import UTC, datetime
from threading import RLock, Thread
from time import monotonic, sleep
from typing import Any, Protocol

import numpy as np

from calibration import mat, picture_checks, set_aside_zone, tray_finder
from calibration.dice_set import looks, sift
from calibration.drift import level, signature
from calibration.outline import Outline
from calibration.profile import Mat, Profile
from device.calibrating.draft import Around, Draft, DraftReading, not_the_same, state_of
from device.calibrating.profile_store import ProfileStore, held
from device.cameras.base import Camera, CameraError, Image
from device.cameras.controls import Tunable, Tuning
from device.cameras.simulated.tray import SimulatedTray
from device.session.indicator import BANK_S
from device.storage.photo_album import jpeg
from game.situation import TableError
from vision import read
from web.contracts.calibration import CalibrationState, Points

log = logging.getLogger(__name__)

LOOKS = 3
"""Pictures in which the tray is looked for: what noise hides in one is in another."""

PICTURE_S = 6.0
"""Longer than a camera needs that has just been opened; focusing has its own patience."""

FOCUS_S = 20.0
STILL_S = 10.0
ROLL_S = 0.05

HEARD_S = 10.0
"""The page asks every second or so; when it no longer does, button and lamp are the match's again."""

FOUND = "The tray was found: are the corners where floor and walls meet?"
NOT_SURE = "Not sure where the tray is: drag the corners to where floor and walls meet."
NO_CAMERA = "There is no camera now: it is tried again every few seconds."


class Watcher(Protocol):
    """The part of the eye that is needed."""

    @property
    def settled(self) -> bool: ...

    @property
    def latest(self) -> Image | None: ...

    def with_camera(self, errand: Callable[[Camera], object]) -> "Future[object]": ...


class Wizard:
    """Fits the profile to what the camera sees.

    Args:
        camera_thread: watches the tray.
        profiles: where the profile is kept.
        simulated: the simulated tray, where there is one.
        changed: called when what the lamp shows has changed.
        kept: called when a profile was saved.

    Attributes:
        real_button: whether there is a button that a finger can press.
        drift: what has changed since the profile was made, in a sentence.
    """

    def __init__(
        self,
        camera_thread: Watcher,
        profiles: ProfileStore,
        *,
        simulated: SimulatedTray | None = None,
        changed: Callable[[], object] = lambda: None,
        kept: Callable[[], object] = lambda: None,
    ) -> None:
        self._camera_thread, self._profiles, self._simulated = camera_thread, profiles, simulated
        self._changed, self._kept = changed, kept
        self.real_button = False
        self.drift = ""
        self._lock = RLock()
        self._camera: str | None = None
        self._size = (16, 9)
        self._draft = Draft()
        self._drafted_for: str | None = None
        self._listening = self._showing = ""
        self._heard_s = 0.0

    # What the companion tells and asks

    def found(self, camera: str) -> None:
        """There is a camera, of this name: the draft begins with what is saved for it."""
        if camera != self._drafted_for:
            self._drafted_for = camera
            self._draft = Draft.of(self._profiles.of(camera))
        self._camera = camera

    def lost(self) -> None:
        self._camera = None

    @property
    def calibrated(self) -> bool:
        """Whether there is a profile for the camera that is there."""
        return self._camera is not None and self._profiles.of(self._camera) is not None

    @property
    def wanted(self) -> bool:
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
        return monotonic() - self._heard_s < HEARD_S

    def pressed(self, seconds: float) -> bool:
        """The button was let go after so long; gives whether that was for the calibration."""
        match self.listening:
            case "button":
                self._note(seconds)
            case "learn":
                self._in_background(self.learn)
            case "test":
                self._in_background(self.test)
            case _:
                return False
        return True

    def _note(self, seconds: float) -> None:
        if seconds < BANK_S:
            self._draft = replace(self._draft, pressed=True)
        else:
            self._draft = replace(self._draft, held=True)

    def _in_background(self, job: Callable[[], object]) -> None:
        def run() -> None:
            try:
                job()
            except TableError as error:
                self._draft = replace(self._draft, words=str(error))

        Thread(target=run, name="calibration", daemon=True).start()

    # What the page asks

    def state(self) -> CalibrationState:
        self._heard_s = monotonic()
        profile = self._profiles.of(self._camera) if self._camera else None
        around = Around(
            self._camera, self._simulated is not None, self._size, self.real_button,
            self.showing or None, profile.made if profile else None, self.drift,
        )  # fmt: skip
        return state_of(self._draft, around)

    def picture(self) -> bytes | None:
        try:
            return jpeg(self._look())
        except TableError:
            return None

    def find(self) -> CalibrationState:
        with self._lock:
            images = self._looks()
            found = self._found(images)
            height, width = images[0].shape[:2]
            aside = set_aside_zone.propose(found.tray, width, height)
            self._set(aside=aside, room=aside is not None)
            self._judge(images[0])
        return self.state()

    def _found(self, images: list[Image]) -> tray_finder.FoundTray:
        """The tray, and what a mat in it tells."""
        found, sighting = tray_finder.find(images), mat.find(images[0])
        height, width = images[0].shape[:2]
        words = FOUND if found.sure else NOT_SURE
        measured = self._draft.measured
        if sighting is not None:
            if not found.sure:
                found = tray_finder.FoundTray(Outline.of(sighting.corners, width, height), 0.0)
            measured = sighting.measured(found.tray.in_px(width, height))
            words = f"The mat tells: {_size(measured)}. {words} Then take the mat out."
        self._set(tray=found.tray, sure=found.sure, words=words, unsaved=True,
                  mat=sighting or self._draft.mat, measured=measured)  # fmt: skip
        return found

    def place(self, tray: Points, aside: Points | None) -> CalibrationState:
        with self._lock:
            self._set(tray=_outline(tray, "the tray"),
                      aside=_outline(aside, "the zone") if aside else None,
                      sure=None, words="The corners are where you set them.", unsaved=True)  # fmt: skip
        return self.state()

    def propose_aside(self) -> CalibrationState:
        with self._lock:
            aside = set_aside_zone.propose(self._draft.tray, *self._size)
            self._set(aside=aside, room=aside is not None, unsaved=True)
            if aside is None:
                raise TableError(
                    "There is no room beside the tray: hang the camera higher, or move the tray"
                    " to one side of the picture."
                )
        return self.state()

    def check(self) -> CalibrationState:
        with self._lock:
            self._judge(self._look())
        return self.state()

    def _judge(self, image: Image) -> None:
        height, width = image.shape[:2]
        dice = self._draft.dice
        quad = self._draft.tray.in_px(width, height)
        self._set(checks=picture_checks.check(image, quad, dice.edge if dice else None))

    def focus(self) -> CalibrationState:
        with self._lock:
            if not self._ask(_focused, FOCUS_S):
                raise TableError("This camera cannot be set from here: turn the ring of its lens.")
            self._judge(self._look())
        return self.state()

    def listen(self, to: str) -> CalibrationState:
        self._listening = to
        return self.state()

    def show(self, colour: str) -> CalibrationState:
        self._showing = colour
        state = self.state()
        self._changed()
        return state

    def lamp(self, colour: str, *, seen: bool) -> CalibrationState:
        self._draft = self._draft.answered(colour, seen=seen)
        return self.show("")

    def throw(self) -> CalibrationState:
        if self._simulated is None:
            raise TableError("These dice are real: throw them yourself.")
        self._simulated.throw_all()
        return self.state()

    def learn(self) -> CalibrationState:
        with self._lock:
            seen, image = self._read()
            new = looks(image, seen.reading, self._draft.tray.in_px(seen.width, seen.height))
            if not new:
                self._set(seen=seen)
                raise TableError("No die was read for sure: throw again, and look at the checks.")
            looked_at = (*self._draft.looks, *new)
            self._draft = self._draft.learning(looked_at, seen)
        return self.state()

    def forget(self) -> CalibrationState:
        with self._lock:
            self._set(looks=(), dice=None, seen=DraftReading(), unsaved=True)
        return self.state()

    def test(self) -> CalibrationState:
        with self._lock:
            seen, _ = self._read()
            self._draft = self._draft.tried(seen)
        return self.state()

    def retest(self) -> CalibrationState:
        with self._lock:
            self._set(trials=(), seen=DraftReading())
        return self.state()

    def save(self) -> CalibrationState:
        with self._lock:
            if self._camera is None:
                raise TableError(NO_CAMERA)
            try:
                self._profiles.keep(self._profile(self._camera))
            except OSError as error:
                raise TableError(
                    f"The profile cannot be written ({error.strerror}): is the disk full, or"
                    " read-only?"
                ) from None
            self._set(unsaved=False)
            self.drift = ""
            self._kept()
        return self.state()

    def discard(self) -> CalibrationState:
        with self._lock:
            self._draft = Draft.of(self._profiles.of(self._camera) if self._camera else None)
        return self.state()

    # How

    def _profile(self, camera: str) -> Profile:
        draft, preview = self._draft, self._camera_thread.latest
        # As the drift is looked for in previews, what it is compared with is taken from one.
        image = self._look() if preview is None else preview
        quad = draft.tray.in_px(image.shape[1], image.shape[0])
        return Profile(
            camera=camera,
            made=datetime.now(UTC).isoformat(timespec="seconds"),
            tray=draft.tray,
            aside=draft.aside,
            level=level(image, quad),
            sides=signature(image, quad),
            held=held(self._ask(_tuning)),
            dice=draft.dice,
            mat=self._measured(),
        )

    def _measured(self) -> Mat | None:
        """The tray in millimetres, where the mat was seen; anew, as its corners may have moved."""
        seen = self._draft.mat
        if seen is None:
            return self._draft.measured
        return seen.measured(self._draft.tray.in_px(*seen.size))

    def _read(self) -> tuple[DraftReading, Image]:
        """What lies in the tray of the draft, once it is still, and its picture."""
        self._wait_till_still()
        image = self._look()
        height, width = image.shape[:2]
        draft = self._draft
        quad = draft.tray.in_px(width, height)
        aside = draft.aside.in_px(width, height) if draft.aside else None
        reading = read(image, quad, aside=aside)
        if draft.dice:
            reading = sift(reading, image, quad, draft.dice)
        seen = DraftReading(reading, width, height)
        not_the_same(seen, draft.seen)
        return seen, image

    def _wait_till_still(self) -> None:
        sleep(ROLL_S)  # dice that were just thrown are not yet seen to move
        end_s = monotonic() + STILL_S
        while not self._camera_thread.settled:
            if monotonic() > end_s:
                raise TableError("The tray is not still: take your hand away, then read again.")
            sleep(ROLL_S)

    def _look(self) -> Image:
        image: Image = self._ask(lambda camera: camera.capture().image)
        self._size = image.shape[1], image.shape[0]
        return image

    def _looks(self) -> list[Image]:
        images = [self._look() for _ in range(LOOKS)]
        return [np.asarray(image) for image in images if image.shape == images[0].shape]

    def _ask(self, errand: Callable[[Camera], object], wait_s: float | None = None) -> Any:
        try:
            return self._camera_thread.with_camera(errand).result(timeout=wait_s or PICTURE_S)
        except (CameraError, TimeoutError):
            raise TableError(NO_CAMERA) from None

    def _set(self, **changes: Any) -> None:
        self._draft = replace(self._draft, **changes)


def _size(measured: Mat) -> str:
    return f"the floor is {measured.wide_mm:.0f} by {measured.deep_mm:.0f} mm"


def _focused(camera: Camera) -> bool:
    """Focus and exposure are found anew, where the camera can."""
    if not isinstance(camera, Tunable):
        return False
    camera.refocus()
    camera.resettle()
    return True


def _tuning(camera: Camera) -> Tuning:
    return camera.tuning if isinstance(camera, Tunable) else Tuning()


def _outline(points: Points, what: str) -> Outline:
    try:
        a, b, c, d = points
        return Outline((a, b, c, d))
    except ValueError as error:
        raise TableError(f"Of {what}, {error}.") from None
