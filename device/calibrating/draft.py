"""A calibration in progress: what has been found so far and has not been saved yet."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from calibration.dice_set import DieAppearance, describe_dice, filter_reading, learn_dice_set
from calibration.drift import edge_signature, floor_brightness
from calibration.mat import FoundMat, find_mat
from calibration.outline import Outline
from calibration.picture_checks import PictureCheck, check_picture
from calibration.profile import DiceSet, Mat, Profile
from calibration.set_aside_zone import propose_zone
from calibration.tray_finder import FoundTray, find_tray
from device.calibrating.drift_watch import DriftWatch
from device.calibrating.profile_file import ProfileStore, held_controls
from device.calibrating.wizard_camera import NO_CAMERA, WizardCamera
from device.cameras.base import Image
from device.cameras.simulated.tray import SimulatedTray
from device.session import messages
from device.session.indicator import BANK_S
from game.message import Message, Paragraph
from game.situation import TableError
from vision import read
from vision.known_tray import MAX_LEANS
from vision.reading import Lean, Reading
from web.contracts import CalibrationStep, SelfTestThrow

ENOUGH_DICE = 12
"""Number of dice to learn from: two throws of six, so that each die is seen in two places under the light."""

TRIALS = 3
"""Number of successive throws that must be read with certainty to pass the self-test."""

NOT_LOOKED_FOR = Message("Traykeeper has not looked for the tray yet.")

FOUND = Message("Traykeeper has found the tray. Are the corners where its floor and walls meet?")

NOT_SURE = Message(
    "Traykeeper is not sure where the tray is. Drag the corners to where its floor and walls meet."
)


@dataclass(frozen=True, slots=True)
class DraftReading:
    """The last reading during a calibration.

    Attributes:
        reading: The dice that were read.
        width: Width of the frame in pixels.
        height: Height of the frame in pixels.
    """

    reading: Reading = field(default_factory=Reading)
    width: int = 0
    height: int = 0


@dataclass(frozen=True, slots=True)
class Draft:
    """A calibration in progress.

    Attributes:
        tray: Outline of the tray's floor.
        is_tray_sure: Whether the tray was found with certainty; None if a person set the corners.
        message: Where the corners come from, or why the last press was refused.
        aside: Outline of the set-aside area; None if there is none.
        has_room_aside: Whether there is room for a set-aside area.
        checks: Results of the latest checks of a frame.
        last_reading: The last reading. The page shows it, and the next reading is compared with it.
        appearances: The appearances of the dice seen so far.
        dice: The set of dice that was learnt; None until enough dice have been seen.
        leans: How far dice seem to lean in the frame, which reveals the camera's position and lens.
        found_mat: The place at which the printed mat was seen; None if it was not seen.
        mat: Size of the tray in millimetres, measured with the mat; None if the tray was not measured.
        trials: The latest throws of the self-test.
        has_pressed: Whether a short press arrived during the check of the button.
        has_held: Whether a long press arrived during the check of the button.
        colours_seen: Each colour of the lamp that was asked about, and whether a person saw it.
        is_unsaved: Whether there are changes that have not been saved.
    """

    tray: Outline = field(default_factory=Outline.centred)
    is_tray_sure: bool | None = False
    message: Message = NOT_LOOKED_FOR
    aside: Outline | None = None
    has_room_aside: bool = True
    checks: tuple[PictureCheck, ...] = ()
    last_reading: DraftReading = field(default_factory=DraftReading)
    appearances: tuple[DieAppearance, ...] = ()
    dice: DiceSet | None = None
    leans: tuple[Lean, ...] = ()
    found_mat: FoundMat | None = None
    mat: Mat | None = None
    trials: tuple[SelfTestThrow, ...] = ()
    has_pressed: bool = False
    has_held: bool = False
    colours_seen: tuple[tuple[str, bool], ...] = ()
    is_unsaved: bool = False

    @classmethod
    def of(cls, profile: Profile | None) -> "Draft":
        """Return a draft that starts from the saved profile, or an empty draft if there is none."""
        if profile is None:
            return cls()
        return cls(
            tray=profile.tray,
            is_tray_sure=None,
            message=Message("The corners are as you saved them."),
            aside=profile.aside,
            dice=profile.dice,
            leans=profile.leans,
            mat=profile.mat,
        )

    def with_corners(self, tray: Outline, aside: Outline | None) -> "Draft":
        """Return the draft with the corners that a person set.

        Args:
            tray: Outline of the tray's floor.
            aside: Outline of the set-aside area; None if there is none.
        """
        message = Message("The corners are where you put them.")
        return replace(
            self, tray=tray, aside=aside, is_tray_sure=None, message=message, is_unsaved=True
        )

    def with_dice(self, new: tuple[DieAppearance, ...], seen: DraftReading) -> "Draft":
        """Return the draft after learning from one more throw.

        Args:
            new: The appearances of the dice of the throw.
            seen: The reading of the throw.
        """
        appearances = (*self.appearances, *new)
        dice = learn_dice_set(appearances) if len(appearances) >= ENOUGH_DICE else self.dice
        leans = (*self.leans, *seen.reading.leans)[-MAX_LEANS:]
        return replace(
            self,
            appearances=appearances,
            dice=dice,
            leans=leans,
            last_reading=seen,
            is_unsaved=True,
        )

    def without_dice(self) -> "Draft":
        """Return the draft without anything that was learnt about the dice."""
        return replace(
            self,
            appearances=(),
            dice=None,
            leans=(),
            last_reading=DraftReading(),
            is_unsaved=True,
        )

    def with_trial(self, seen: DraftReading, n_dice: int) -> "Draft":
        """Return the draft after one more throw of the self-test; a failed throw restarts the count.

        Args:
            seen: The reading of the throw.
            n_dice: Number of dice that were to be thrown.
        """
        trial = _trial(seen.reading, n_dice)
        passed = [t for t in self.trials if t.passed] if trial.passed else []
        return replace(self, trials=(*passed, trial)[-TRIALS:], last_reading=seen)

    def without_trials(self) -> "Draft":
        """Return the draft with the self-test restarted."""
        return replace(self, trials=(), last_reading=DraftReading())

    def with_press(self, held_s: float) -> "Draft":
        """Return the draft after a press of `held_s` seconds during the check of the button."""
        if held_s < BANK_S:
            return replace(self, has_pressed=True)
        return replace(self, has_held=True)

    def with_colour(self, colour: str, *, is_seen: bool) -> "Draft":
        """Return the draft after a person has said whether the lamp showed a colour.

        Args:
            colour: "red", "green" or "blue".
            is_seen: Whether the person saw that colour.
        """
        return replace(
            self, colours_seen=tuple((dict(self.colours_seen) | {colour: is_seen}).items())
        )


def _trial(reading: Reading, n_dice: int) -> SelfTestThrow:
    count = len(reading.dice_in_tray)
    if not reading.is_sure:
        return SelfTestThrow(
            reading.values, passed=False, words=Paragraph(*messages.advice(reading))
        )
    if count != n_dice:
        told = messages.wrong_dice_count(
            n_dice, count, Message("put all the dice in the set into the tray")
        )
        return SelfTestThrow(reading.values, passed=False, words=told)
    read = Message("Read: %(dice)s.", dice=reading.values)
    return SelfTestThrow(reading.values, passed=True, words=read)


def refuse_same_throw(seen: DraftReading, before: DraftReading) -> None:
    """Refuse a reading of an empty tray, or of dice that have not been thrown since the last reading.

    Args:
        seen: The new reading.
        before: The previous reading.

    Raises:
        TableError: If the new reading is refused.
    """
    if not seen.reading.dice_in_tray:
        raise TableError(Message("The tray is empty: throw the dice, then read them."))
    if before.reading.dice_in_tray and _is_same_throw(seen.reading, before.reading):
        raise TableError(Message("Not thrown yet: the dice have not moved."))


def _is_same_throw(now: Reading, before: Reading) -> bool:
    """Return whether most dice lie where dice with the same faces lay in an earlier reading.

    Args:
        now: The new reading.
        before: The earlier reading.
    """
    near = [
        any(
            die.value == old.value and abs(die.x - old.x) + abs(die.y - old.y) < 0.25 * die.size
            for old in before.dice_in_tray
        )
        for die in now.dice_in_tray
    ]
    return sum(near) > len(near) / 2


class DraftEditor:
    """Changes a calibration in progress, step by step and always on the same thread.

    Args:
        camera: Takes the frames for the calibration, and focuses the camera.
        profiles: The store that holds the calibration profile.
        n_dice: Number of dice in a throw of the self-test.
        simulated: The simulated tray; None if the tray is real.
        drift_watch: Knows what has changed since the profile was made; None if nothing watches for
            changes.
        on_saved: Called after the profile has been saved.

    Attributes:
        n_dice: Number of dice in a throw of the self-test.
        draft: The calibration in progress. Any thread may read it, because it is replaced and never
            modified.
    """

    def __init__(
        self,
        camera: WizardCamera,
        profiles: ProfileStore,
        *,
        n_dice: int,
        simulated: SimulatedTray | None,
        drift_watch: DriftWatch | None,
        on_saved: Callable[[], object],
    ) -> None:
        self.draft, self.n_dice = Draft(), n_dice
        self._camera, self._profiles, self._simulated = camera, profiles, simulated
        self._drift_watch, self._on_saved = drift_watch, on_saved
        self._draft_camera: str | None = None

    def load_profile(self, camera: str) -> None:
        """Start from the profile of a camera, unless the draft already belongs to that camera."""
        if camera != self._draft_camera:
            self._draft_camera = camera
            self.draft = Draft.of(self._profiles.profile_for(camera))

    def edit(self, change: Callable[[Draft], Draft]) -> None:
        """Replace the draft with what `change` returns for it."""
        self.draft = change(self.draft)

    def take_step(self, step: CalibrationStep) -> None:
        """Carry out a step.

        Raises:
            TableError: If the step is refused; the message says why and what to do.
        """
        match step:
            case CalibrationStep.FORGET:
                self.draft = self.draft.without_dice()
                self._camera.forget_faces()
            case CalibrationStep.RETEST:
                self.draft = self.draft.without_trials()
            case CalibrationStep.DISCARD:
                name = self._camera.name
                self.draft = Draft.of(self._profiles.profile_for(name) if name else None)
            case CalibrationStep.SAVE:
                self._save()
            case _:
                self._look(step)

    def press(self, step: CalibrationStep) -> None:
        """Carry out a step because the button was pressed. If it is refused, the reason becomes the draft's message."""
        try:
            self.take_step(step)
        except TableError as error:
            self.draft = replace(self.draft, message=error.message)

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
                self.draft = self.draft.with_trial(self._read()[0], self.n_dice)

    def _find_tray(self) -> None:
        """Look for the tray and for a printed mat in it, and propose a set-aside area."""
        images = self._camera.capture_for_finder()
        height, width = images[0].shape[:2]
        found, found_mat = find_tray(images), find_mat(images[0])
        message: Message = FOUND if found.is_sure else NOT_SURE
        draft = self.draft
        if found_mat is not None:
            if not found.is_sure:
                found = FoundTray(Outline.of(found_mat.corners, width, height), 0.0)
            measured = found_mat.measure(found.tray.in_px(width, height))
            message = Paragraph(
                _size(measured), message, Message("Now take the mat out of the tray.")
            )
            draft = replace(draft, found_mat=found_mat, mat=measured)
        aside = propose_zone(found.tray, width, height)
        self.draft = replace(
            draft,
            tray=found.tray,
            is_tray_sure=found.is_sure,
            message=message,
            aside=aside,
            has_room_aside=aside is not None,
            is_unsaved=True,
        )
        self._check(images[0])

    def _propose_aside(self) -> None:
        aside = propose_zone(self.draft.tray, *self._camera.frame_px)
        self.draft = replace(
            self.draft, aside=aside, has_room_aside=aside is not None, is_unsaved=True
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
        dice = self.draft.dice
        tray = self.draft.tray.in_px(width, height)
        checks = check_picture(image, tray, dice.looks[0].edge if dice else None)
        self.draft = replace(self.draft, checks=checks)

    def _throw(self) -> None:
        if self._simulated is None:
            raise TableError(Message("These dice are real: throw them yourself."))
        self._simulated.throw_all()

    def _learn_dice(self) -> None:
        seen, image = self._read()
        new = describe_dice(image, seen.reading, self.draft.tray.in_px(seen.width, seen.height))
        if not new:
            self.draft = replace(self.draft, last_reading=seen)
            raise TableError(
                Message("No die could be read reliably: throw again, and see the picture checks.")
            )
        self.draft = self.draft.with_dice(new, seen)

    def _read(self) -> tuple[DraftReading, Image]:
        """Read the dice in the still tray, using the corners in the draft; return the reading and its frame."""
        self._camera.wait_until_settled()
        image = self._camera.capture()
        height, width = image.shape[:2]
        draft = self.draft
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
        self.draft = replace(self.draft, is_unsaved=False)
        if self._drift_watch:
            self._drift_watch.forget()
        self._on_saved()

    def _profile(self, camera: str) -> Profile:
        draft, image = self.draft, self._camera.preview()  # drift is also measured in previews
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
