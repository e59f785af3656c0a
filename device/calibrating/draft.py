"""A calibration in progress: what has been found so far and has not been saved yet."""

from dataclasses import dataclass, field, replace

from calibration.dice_set import DieAppearance, learn_dice_set
from calibration.drift import Row, edge_signature, floor_brightness, measure_drift
from calibration.mat import FoundMat
from calibration.outline import Outline
from calibration.picture_checks import PictureCheck
from calibration.profile import DiceSet, Mat, Profile
from device.cameras.base import Image
from device.session import messages
from device.session.indicator import BANK_S
from game.message import Message, Paragraph
from game.situation import TableError
from vision.known_tray import MAX_LEANS
from vision.reading import Lean, Reading
from web.contracts import SelfTestThrow

ENOUGH_DICE = 12
"""Number of dice to learn from: two throws of six, so that each die is seen in two places under the light."""

TRIALS = 3
"""Number of successive throws that must be read with certainty to pass the self-test."""

NOT_LOOKED_FOR = Message("Traykeeper has not looked for the tray yet.")


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
        level: Brightness of the floor when the corners were set, from 0 to 1; None if it is unknown.
        sides: Rows of brightness across the sides of the tray when the corners were set; empty if they are unknown.
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
    level: float | None = None
    sides: tuple[Row, ...] = ()
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
            level=profile.level,
            sides=profile.sides,
        )

    def has_moved(self, preview: Image) -> bool:
        """Return whether a preview (height, width, 3) BGR shows the tray elsewhere than when its corners were set."""
        tray = self.tray.in_px(preview.shape[1], preview.shape[0])
        return measure_drift(preview, tray, self.sides, self.level).has_tray_moved

    def with_view(self, preview: Image, tray: Outline) -> "Draft":
        """Return the draft with the place of the tray in a preview (height, width, 3) BGR.

        If the mat was seen, the edges are not kept, because the floor looks different without it.

        Args:
            preview: The preview.
            tray: Outline of the tray's floor in it.
        """
        floor = tray.in_px(preview.shape[1], preview.shape[0])
        return replace(
            self,
            tray=tray,
            level=floor_brightness(preview, floor),
            sides=() if self.found_mat else edge_signature(preview, floor),
            leans=() if self.has_moved(preview) else self.leans,
        )

    def with_corners(self, preview: Image, tray: Outline, aside: Outline | None) -> "Draft":
        """Return the draft with the corners that a person set.

        Args:
            preview: A preview (height, width, 3) BGR.
            tray: Outline of the tray's floor.
            aside: Outline of the set-aside area; None if there is none.
        """
        message = Message("The corners are where you put them.")
        draft = self.with_view(preview, tray)
        return replace(draft, aside=aside, is_tray_sure=None, message=message, is_unsaved=True)

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
