"""The calibration wizard, whose methods the page and the terminal call."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from enum import StrEnum
from math import atan2, degrees, hypot
from threading import BoundedSemaphore
from time import monotonic, sleep

from calibration.dice_set import describe_dice, filter_reading
from calibration.drift import edge_signature, floor_brightness
from calibration.mat import find_mat
from calibration.outline import Outline, OutlineError, OutlineFault
from calibration.picture_checks import (
    CheckName,
    PictureCheck,
    PictureFinding,
    PictureSide,
    check_picture,
)
from calibration.profile import DiceSet, Mat, Profile
from calibration.set_aside_zone import propose_zone
from calibration.tray_finder import FoundTray, find_tray
from device.calibrating.draft import ENOUGH_DICE, TRIALS, Draft, DraftReading, refuse_same_throw
from device.calibrating.drift_watch import DriftWatch
from device.calibrating.profile_file import ProfileStore, held_controls
from device.calibrating.wizard_camera import NO_CAMERA, WizardCamera
from device.cameras.base import Image
from device.cameras.simulated.tray import SimulatedTray
from device.watching.tray_watch import TrayWatch
from game.message import Message, Paragraph, Percentage, Value, join_with_and
from game.situation import TableError
from vision import read
from web.contracts import (
    CalibrationState,
    CalibrationStep,
    CheckResult,
    DiceProgress,
    HardwareCheck,
    Points,
    SeenDie,
)

FOUND = Message("Traykeeper has found the tray. Are the corners where its floor and walls meet?")

NOT_MEASURED = Message(
    "The tray was not measured: lay the mat flat and fully in view, then find the tray again."
)
NOT_SURE = Message(
    "Traykeeper is not sure where the tray is. Drag the corners to where its floor and walls meet."
)

_SIDES = {
    PictureSide.LEFT: Message("left"),
    PictureSide.RIGHT: Message("right"),
    PictureSide.TOP: Message("top"),
    PictureSide.BOTTOM: Message("bottom"),
}

_FAULTS = {
    OutlineFault.OUTSIDE: Message("a corner is outside the picture: drag it back in"),
    OutlineFault.CROSSED: Message("the corners are in the wrong order: drag them back"),
    OutlineFault.TOO_CLOSE: Message("the corners are too close together: drag them apart"),
}

_ADVICE = {
    PictureFinding.CUT_OFF: Message(
        "Mount the camera higher, or move the tray to the middle of the picture."
    ),
    PictureFinding.FAR_AWAY: Message("Mount the camera lower, or use a lens with a narrower view."),
    PictureFinding.FROM_THE_SIDE: Message(
        "Move it over the middle of the tray so that it looks straight down."
    ),
    PictureFinding.TIGHT: Message(
        "With the camera a little higher, a nudge would not push the tray out of the picture."
    ),
    PictureFinding.DARK: Message(
        "Add light from the side, ideally from two lamps on the left and right."
    ),
    PictureFinding.TOO_BRIGHT: Message(
        "Dim the lamp or move it away, then let the camera adjust its exposure again."
    ),
    PictureFinding.UNEVEN: Message(
        "Move the lamp farther away, or add a second one on the other side."
    ),
    PictureFinding.MIRRORED: Message(
        "Move the lamp to the side, or put paper in front of it. Matt felt does not reflect."
    ),
    PictureFinding.BARE: Message("Put the dice in the tray."),
    PictureFinding.SOFT: Message(
        "Wipe the lens and let the camera focus again. If the lens has a focus ring, turn it."
    ),
}

LAMP_COLOURS = ("red", "green", "blue")

MAX_DARK, MIN_LIGHT = 30, 70
"""CIE lightness, 0 to 100: the largest that is called black, and the smallest that is called white."""

MAX_GREY_CHROMA = 18
"""Largest CIE chroma of a colour that is named by its lightness alone."""

HUES = (
    (25, Message("red")),
    (70, Message("orange")),
    (115, Message("yellow")),
    (190, Message("green")),
    (310, Message("blue")),
    (360, Message("red")),
)
"""Names of hues, each with the largest angle that it covers, in degrees in the a*b* plane of CIE Lab."""

MAX_COMMANDS = 3
"""Largest number of commands that are running or waiting: each needs frames of several MB."""

PAGE_S = 10.0
"""How long the calibration keeps the button and the lamp after the last request from its page, in seconds.

The page asks about once a second. If it stops asking, the button and the lamp belong to the match again."""


def advice(check: PictureCheck) -> Message | None:
    """Return advice about the problem that a check has found; None if there is no problem."""
    return _ADVICE.get(check.finding)


def verdict(check: PictureCheck) -> Message:
    """Return the result of a check as a message of one sentence."""
    match check.name:
        case CheckName.FRAMING:
            return _framing(check)
        case CheckName.LIGHT:
            return _light(check)
        case CheckName.GLARE:
            return _glare(check)
        case CheckName.FOCUS:
            return _focus(check)


def _framing(check: PictureCheck) -> Message:
    die_px = round(check.die_px)
    match check.finding:
        case PictureFinding.CUT_OFF:
            return Message("The tray is cut off at the %(sides)s.", sides=_sides(check))
        case PictureFinding.FAR_AWAY:
            return Message(
                "The tray is too far away: it fills %(share)s of the picture, and a die is "
                "only %(n)s px wide.",
                share=Percentage(check.share),
                n=die_px,
            )
        case PictureFinding.FROM_THE_SIDE:
            return Message("The camera looks at the tray from the side.")
        case PictureFinding.TIGHT:
            return Message(
                "The whole tray is visible, but there is no margin at the %(sides)s.",
                sides=_sides(check),
            )
    return Message("The whole tray is visible; a die is about %(n)s px wide.", n=die_px)


def _light(check: PictureCheck) -> Message:
    share = Percentage(check.share)
    match check.finding:
        case PictureFinding.DARK:
            return Message(
                "It is too dark: the tray reaches only %(share)s of full brightness.", share=share
            )
        case PictureFinding.TOO_BRIGHT:
            return Message("It is too bright: %(share)s of the tray is overexposed.", share=share)
        case PictureFinding.UNEVEN:
            return Message(
                "The light is uneven: one part of the tray gets %(n)s times as much as another.",
                n=round(check.ratio),
            )
    return Message("The light is good.")


def _glare(check: PictureCheck) -> Message:
    if check.finding is PictureFinding.MIRRORED:
        share = Percentage(check.share, 1)
        return Message("A lamp is reflected in %(share)s of the tray.", share=share)
    return Message("There are no reflections.")


def _focus(check: PictureCheck) -> Message:
    share = Percentage(check.share)
    match check.finding:
        case PictureFinding.BARE:
            return Message("There is nothing in the tray to focus on.")
        case PictureFinding.SOFT:
            return Message(
                "The picture is blurred: edges are %(share)s of a die wide.", share=share
            )
    return Message("The picture is sharp: edges are only %(share)s of a die wide.", share=share)


def _sides(check: PictureCheck) -> Value:
    return join_with_and([_SIDES[side] for side in check.sides])


def describe_fault(found: OutlineFault) -> Message:
    """Return a message saying why four corners do not form a valid outline, and what to do."""
    return _FAULTS[found]


def _check_result(check: PictureCheck) -> CheckResult:
    return CheckResult(str(check.name), check.ok, verdict(check), advice(check))


def _dice(seen: DraftReading) -> tuple[SeenDie, ...]:
    return tuple(
        SeenDie(
            die.value,
            die.x / seen.width,
            die.y / seen.height,
            die.w / seen.width,
            str(die.problem) if die.problem else None,
        )
        for die in seen.reading.dice
    )


def _learning(draft: Draft) -> DiceProgress:
    n_seen = len(draft.appearances) or (draft.dice.dice if draft.dice else 0)
    return DiceProgress(n_seen, ENOUGH_DICE, draft.dice is not None, _describe_set(draft.dice))


def _describe_set(dice: DiceSet | None) -> Message | None:
    if dice is None:
        return None
    most = dice.looks[0]
    if len(dice.looks) == 1:
        return Message(
            "%(body)s dice with %(pips)s pips; %(n)s of them side by side span the tray",
            body=colour_name(most.body),
            pips=colour_name(most.pip),
            n=round(1 / most.edge),
        )
    return Message(
        "%(looks)s kinds of dice, most of them %(body)s with %(pips)s pips; %(n)s of these "
        "side by side span the tray",
        looks=len(dice.looks),
        body=colour_name(most.body),
        pips=colour_name(most.pip),
        n=round(1 / most.edge),
    )


def colour_name(colour: tuple[float, float, float]) -> Message:
    """Return the name of a CIE Lab colour, such as "white" or "blue"."""
    lightness, a, b = colour
    chroma = hypot(a, b)
    is_ivory = lightness > MIN_LIGHT + 8 and chroma < 2 * MAX_GREY_CHROMA  # people call ivory white
    if chroma < MAX_GREY_CHROMA or is_ivory:
        if lightness < MAX_DARK:
            return Message("black")
        return Message("white") if lightness > MIN_LIGHT else Message("grey")
    angle = degrees(atan2(b, a)) % 360
    return next(name for upto, name in HUES if angle <= upto)


class ButtonUse(StrEnum):
    """The effect of pressing the button at the tray while the calibration page is open."""

    MATCH = ""
    CHECK = "button"
    LEARN = "learn"
    TEST = "test"


class Wizard:
    """The calibration of one table, which carries out commands from the page or the terminal.

    Commands run one after another on a separate thread; frames come from the camera's thread.

    Args:
        tray_watch: The tray watch, which owns the camera.
        profiles: The store that holds the calibration profile.
        n_dice: Number of dice in a throw of the self-test.
        simulated: The simulated tray; None if the tray is real.
        real_button: Whether there is a physical button at the tray.
        changed: Called when the lamp or the page may have to be updated.
        drift_watch: Knows what has changed since the profile was made; None if nothing watches for
            changes.
        clock: Monotonic clock in seconds.
        pause: Sleeps for a number of seconds.
    """

    def __init__(
        self,
        tray_watch: TrayWatch,
        profiles: ProfileStore,
        *,
        n_dice: int,
        simulated: SimulatedTray | None = None,
        real_button: bool = False,
        changed: Callable[[], object] = lambda: None,
        drift_watch: DriftWatch | None = None,
        clock: Callable[[], float] = monotonic,
        pause: Callable[[float], object] = sleep,
    ) -> None:
        self._clock, self._alive_s = clock, float("-inf")
        self._button_use, self._colour = ButtonUse.MATCH, ""
        self._profiles, self._changed, self._drift_watch = profiles, changed, drift_watch
        self._simulated, self._has_real_button = simulated, real_button
        self._camera = WizardCamera(tray_watch, clock, pause)
        self._draft, self._draft_camera, self._n_dice = Draft(), "", n_dice
        self._worker = ThreadPoolExecutor(1, "calibration")
        self._queue = BoundedSemaphore(MAX_COMMANDS)

    def camera_found(self, camera: str) -> None:
        """Note that a camera of this name works, and start from the profile that was saved for it."""
        self._camera.name = camera
        self._worker.submit(self._load_profile, camera)

    def camera_lost(self) -> None:
        """Record that there is no camera."""
        self._camera.name = None

    def close(self) -> None:
        """Let the running command finish, and drop the commands that are waiting."""
        self._worker.shutdown(wait=False, cancel_futures=True)

    @property
    def needs_calibration(self) -> bool:
        """Whether there is a real camera without a profile. The simulated tray needs no profile."""
        camera = self._camera.name
        if camera is None or self._simulated:
            return False
        return self._profiles.profile_for(camera) is None

    def handle_press(self, held_s: float) -> bool:
        """Handle a press of `held_s` seconds if the calibration page is using the button.

        Returns:
            Whether the press was handled; if not, the press is for the match.
        """
        match self.button_use:
            case ButtonUse.MATCH:
                return False
            case ButtonUse.CHECK:
                self._worker.submit(self._edit, lambda draft: draft.with_press(held_s))
            case ButtonUse.LEARN:
                self._worker.submit(self._press, CalibrationStep.LEARN)
            case ButtonUse.TEST:
                self._worker.submit(self._press, CalibrationStep.TEST)
        return True

    def profile_restored(self) -> None:
        """Start again from the saved profile, because a backup has replaced it."""
        self._worker.submit(self._start_again)

    def state(self) -> CalibrationState:
        """Return the current state of the calibration."""
        camera = self._camera.name
        profile = self._profiles.profile_for(camera) if camera else None
        draft = self._draft
        width, height = self._camera.frame_px
        answers = dict(draft.colours_seen)
        parts = HardwareCheck(
            real_button=self._has_real_button,
            pressed=draft.has_pressed,
            held=draft.has_held,
            lamp={colour: answers.get(colour) for colour in LAMP_COLOURS},
            showing=self.colour or None,
        )
        return CalibrationState(
            camera=camera,
            simulated=self._simulated is not None,
            width=width,
            height=height,
            tray=draft.tray.corners,
            sure=draft.is_tray_sure,
            words=draft.message,
            aside=draft.aside.corners if draft.aside else None,
            room=draft.has_room_aside,
            checks=tuple(map(_check_result, draft.checks)),
            dice=_dice(draft.last_reading),
            learning=_learning(draft),
            trials=draft.trials,
            needed=TRIALS,
            n_dice=self._n_dice,
            parts=parts,
            made=profile.made if profile else None,
            unsaved=draft.is_unsaved,
            drift=self._drift_watch.found.words if self._drift_watch else None,
        )

    @property
    def button_use(self) -> ButtonUse:
        """The effect of pressing the button, which is that of a match while the page is not open."""
        return self._button_use if self._is_open else ButtonUse.MATCH

    @property
    def colour(self) -> str:
        """The colour that the lamp shows while a person checks it; "" outside the check."""
        return self._colour if self._is_open else ""

    @property
    def _is_open(self) -> bool:
        return self._clock() - self._alive_s < PAGE_S

    def keep_alive(self) -> None:
        """Keep the button and the lamp for a few more seconds, because the page is open."""
        self._alive_s = self._clock()

    def picture(self) -> bytes | None:
        """Return the current image as JPEG, or None if there is no camera."""
        return self._camera.jpeg()

    def do(self, step: CalibrationStep) -> CalibrationState:
        """Carry out a step, and return the resulting state."""
        return self._run(lambda: self._take_step(step))

    def set_corners(self, tray: Points, aside: Points | None) -> CalibrationState:
        """Set the corners of the tray and of any set-aside area."""
        floor = _outline(tray, Message("The tray"))
        zone = _outline(aside, Message("The set-aside area")) if aside else None
        return self._run(
            lambda: self._edit(
                lambda draft: draft.with_corners(self._camera.preview(), floor, zone)
            )
        )

    def set_button_use(self, to: str) -> CalibrationState:
        """Set what pressing the button does."""
        self._button_use = ButtonUse(to)
        self.keep_alive()
        return self.state()

    def show_colour(self, colour: str) -> CalibrationState:
        """Show a colour on the lamp, or "" for its usual colour."""
        self._colour = colour
        self.keep_alive()
        self._changed()
        return self.state()

    def confirm_colour(self, colour: str, *, seen: bool) -> CalibrationState:
        """Record whether a person saw a colour on the lamp."""
        self._run(lambda: self._edit(lambda draft: draft.with_colour(colour, is_seen=seen)))
        return self.show_colour("")

    def _run(self, job: Callable[[], object]) -> CalibrationState:
        if not self._queue.acquire(blocking=False):
            raise TableError(Message("A calibration is in progress: wait until it is finished."))
        try:
            self._worker.submit(job).result()
        finally:
            self._queue.release()
        self.keep_alive()
        return self.state()

    # What changes the draft, always on the thread of the worker.

    def _load_profile(self, camera: str) -> None:
        """Start from the profile of a camera, unless the draft already belongs to that camera."""
        if camera != self._draft_camera:
            self._draft_camera = camera
            self._draft = Draft.of(self._profiles.profile_for(camera))

    def _discard(self) -> None:
        """Start from the saved profile."""
        name = self._camera.name
        self._draft = Draft.of(self._profiles.profile_for(name) if name else None)

    def _start_again(self) -> None:
        """Start from a saved profile that is another one than before."""
        self._discard()
        if self._drift_watch:
            self._drift_watch.forget()

    def _edit(self, change: Callable[[Draft], Draft]) -> None:
        """Replace the draft with what `change` returns for it."""
        self._draft = change(self._draft)

    def _take_step(self, step: CalibrationStep) -> None:
        """Carry out a step.

        Raises:
            TableError: If the step is refused; the message says why and what to do.
        """
        match step:
            case CalibrationStep.FORGET:
                self._draft = self._draft.without_dice()
                self._camera.forget_dice()
            case CalibrationStep.RETEST:
                self._draft = self._draft.without_trials()
            case CalibrationStep.DISCARD:
                self._discard()
            case CalibrationStep.SAVE:
                self._save()
            case _:
                self._look(step)

    def _press(self, step: CalibrationStep) -> None:
        """Carry out a step because the button was pressed. If it is refused, the reason becomes the draft's message."""
        try:
            self._take_step(step)
        except TableError as error:
            self._draft = replace(self._draft, message=error.message)

    def _look(self, step: CalibrationStep) -> None:
        """Carry out a step that needs the camera or new dice in the tray."""
        match step:
            case CalibrationStep.FIND:
                self._find_tray()
            case CalibrationStep.PROPOSE:
                self._propose_aside()
            case CalibrationStep.CHECK:
                self._check(self._camera.capture())
            case CalibrationStep.FOCUS:
                self._camera.refocus()
                self._check(self._camera.capture())
            case CalibrationStep.THROW:
                self._throw()
            case CalibrationStep.LEARN:
                self._learn_dice()
            case CalibrationStep.TEST:
                self._draft = self._draft.with_trial(self._read()[0], self._n_dice)

    def _find_tray(self) -> None:
        """Look for the tray and for a printed mat in it, and propose a set-aside area."""
        images = self._camera.capture_for_finder()
        height, width = images[0].shape[:2]
        found, found_mat = find_tray(images), find_mat(images[0])
        message: Message = FOUND if found.is_sure else NOT_SURE
        draft = self._draft
        if found_mat is not None and not found.is_sure:
            with suppress(OutlineError):  # most of the mat may be outside the picture
                found = FoundTray(Outline.of(found_mat.corners, width, height), 0.0)
        measured = found_mat.measure(found.tray.in_px(width, height)) if found_mat else None
        if measured is not None:
            message = Paragraph(
                _size(measured), message, Message("Now take the mat out of the tray.")
            )
        elif found_mat is not None:
            message = Paragraph(NOT_MEASURED, message)
        if found_mat is not None:
            draft = replace(draft, found_mat=found_mat, mat=measured)
        draft = draft.with_view(self._camera.preview(), found.tray)
        aside = propose_zone(found.tray, width, height)
        self._draft = replace(
            draft,
            is_tray_sure=found.is_sure,
            message=message,
            aside=aside,
            has_room_aside=aside is not None,
            is_unsaved=True,
        )
        self._check(images[0])

    def _propose_aside(self) -> None:
        aside = propose_zone(self._draft.tray, *self._camera.frame_px)
        self._draft = replace(
            self._draft, aside=aside, has_room_aside=aside is not None, is_unsaved=True
        )
        if aside is None:
            raise TableError(
                Message(
                    "There is no room beside the tray: mount the camera higher, or move the "
                    "tray to one side of the picture."
                )
            )

    def _check(self, image: Image) -> None:
        height, width = image.shape[:2]
        dice = self._draft.dice
        tray = self._draft.tray.in_px(width, height)
        checks = check_picture(image, tray, dice.looks[0].edge if dice else None)
        self._draft = replace(self._draft, checks=checks)

    def _throw(self) -> None:
        if self._simulated is None:
            raise TableError(Message("These dice are real: throw them yourself."))
        self._simulated.throw_all()

    def _learn_dice(self) -> None:
        seen, image = self._read()
        new = describe_dice(image, seen.reading, self._draft.tray.in_px(seen.width, seen.height))
        if not new:
            self._draft = replace(self._draft, last_reading=seen)
            raise TableError(
                Message("No die could be read reliably: throw again, and see the picture checks.")
            )
        self._draft = self._draft.with_dice(new, seen)

    def _read(self) -> tuple[DraftReading, Image]:
        """Read the dice in the still tray, using the corners in the draft; return the reading and its frame."""
        self._camera.wait_until_settled()
        image = self._camera.capture()
        height, width = image.shape[:2]
        draft = self._draft
        tray = draft.tray.in_px(width, height)
        aside = draft.aside.in_px(width, height) if draft.aside else None
        known = replace(self._camera.known_tray, leans=draft.leans)
        reading = read(image, tray, aside=aside, known=known)
        if draft.dice:
            reading = filter_reading(reading, tray, draft.dice)
        seen = DraftReading(reading, width, height)
        refuse_same_throw(seen, draft.last_reading)
        return seen, image

    def _save(self) -> None:
        if self._camera.name is None:
            raise TableError(NO_CAMERA)
        try:
            self._profiles.save(self._profile(self._camera.name))
        except OSError as error:
            raise TableError(
                Message(
                    "The calibration cannot be saved (%(why)s): is the disk full, or read-only?",
                    why=str(error.strerror),
                )
            ) from None
        self._draft = replace(self._draft, is_unsaved=False)
        if self._drift_watch:
            self._drift_watch.forget()
        self._changed()

    def _profile(self, camera: str) -> Profile:
        draft, image = self._draft, self._camera.preview()  # drift is also measured in previews
        if draft.has_moved(image):
            raise TableError(
                Message(
                    "The tray or the camera has moved since the corners were set: set them again, or let "
                    "Traykeeper find the tray."
                )
            )
        tray = draft.tray.in_px(image.shape[1], image.shape[0])
        mat = draft.mat
        if draft.found_mat:  # the corners may have been moved since the tray was measured
            mat = draft.found_mat.measure(draft.tray.in_px(*draft.found_mat.size))
        return Profile(
            camera=camera,
            made=datetime.now(UTC).isoformat(timespec="seconds"),
            tray=draft.tray,
            aside=draft.aside,
            level=floor_brightness(image, tray),
            sides=edge_signature(image, tray),
            held=held_controls(self._camera.tuning()),
            dice=draft.dice,
            leans=draft.leans,
            mat=mat,
        )


def _size(mat: Mat) -> Message:
    return Message(
        "According to the mat, the floor of the tray is %(wide)s by %(deep)s mm.",
        wide=round(mat.wide_mm),
        deep=round(mat.deep_mm),
    )


def _outline(points: Points, what: Message) -> Outline:
    try:
        a, b, c, d = points
        return Outline((a, b, c, d))
    except OutlineError as error:
        why = describe_fault(error.fault)
        raise TableError(Message("%(what)s: %(why)s.", what=what, why=why)) from None
