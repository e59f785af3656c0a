"""A calibration in progress: what was found so far and is not saved yet."""

from dataclasses import dataclass, field, replace

from calibration.dice_set import DieAppearance, learn_dice_set
from calibration.mat import FoundMat
from calibration.outline import Outline
from calibration.picture_checks import PictureCheck
from calibration.profile import DiceSet, Mat, Profile
from device.session import messages
from device.session.indicator import BANK_S
from game.message import Message, Paragraph
from game.situation import TableError
from vision.known_tray import MAX_LEANS
from vision.reading import Lean, Reading
from web.contracts.calibration import SelfTestThrow

N_DICE = 6
"""Dice in a throw of the self-test. A larger set is learnt all the same."""

ENOUGH_DICE = 12
"""Two throws of six: every face has been seen in two different places under the light."""

TRIALS = 3
"""Throws in a row that the self-test must read."""

NOT_LOOKED_FOR = Message("Traykeeper has not looked for the tray yet.")


@dataclass(frozen=True, slots=True)
class DraftReading:
    """The last reading, with the width and height of its frame in pixels."""

    reading: Reading = field(default_factory=Reading)
    width: int = 0
    height: int = 0


@dataclass(frozen=True, slots=True)
class Draft:
    """A calibration in progress.

    Attributes:
        tray: The floor of the tray.
        is_tray_sure: Whether the tray was found with certainty; None if a person set the corners.
        message: How the corners came about, or why the last press was refused.
        aside: The set-aside area; None if there is none.
        has_room_aside: Whether there is room for a set-aside area.
        checks: The newest checks of a frame.
        last_reading: The last reading, for the page and to recognise a throw that was not thrown.
        appearances: The dice that were learnt from so far.
        dice: The learnt set of dice; None until enough dice were seen.
        leans: How dice lean in the image, for the lens.
        found_mat: The printed mat as it was seen; None if it was not.
        mat: The tray in millimetres, measured with the mat; None if it was not measured.
        trials: The newest throws of the self-test.
        has_pressed: Whether a short press arrived during the check of the button.
        has_held: Whether a long press arrived during the check of the button.
        colours_seen: Whether a person saw each colour of the lamp that was asked about.
        is_unsaved: Whether there is something to save.
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
        """Return a draft that starts from the saved profile, or from nothing."""
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
            tray: The floor of the tray.
            aside: The set-aside area; None for none.
        """
        message = Message("The corners are where you put them.")
        return replace(
            self, tray=tray, aside=aside, is_tray_sure=None, message=message, is_unsaved=True
        )

    def with_dice(self, new: tuple[DieAppearance, ...], seen: DraftReading) -> "Draft":
        """Return the draft after learning from one more throw.

        Args:
            new: The dice of the throw.
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
        """Return the draft without what was learnt about the dice."""
        return replace(
            self,
            appearances=(),
            dice=None,
            leans=(),
            last_reading=DraftReading(),
            is_unsaved=True,
        )

    def with_trial(self, seen: DraftReading) -> "Draft":
        """Return the draft after one more throw of the self-test; a failed throw restarts the count."""
        trial = _trial(seen.reading)
        passed = [t for t in self.trials if t.passed] if trial.passed else []
        return replace(self, trials=(*passed, trial)[-TRIALS:], last_reading=seen)

    def without_trials(self) -> "Draft":
        """Return the draft with the self-test restarted."""
        return replace(self, trials=(), last_reading=DraftReading())

    def with_press(self, held_s: float) -> "Draft":
        """Return the draft after a press of `held_s` seconds in the check of the button."""
        if held_s < BANK_S:
            return replace(self, has_pressed=True)
        return replace(self, has_held=True)

    def with_colour(self, colour: str, *, is_seen: bool) -> "Draft":
        """Return the draft after a person said whether the lamp showed a colour.

        Args:
            colour: "red", "green" or "blue".
            is_seen: Whether the person saw it.
        """
        return replace(
            self, colours_seen=tuple((dict(self.colours_seen) | {colour: is_seen}).items())
        )


def _trial(reading: Reading) -> SelfTestThrow:
    count = len(reading.dice_in_tray)
    if not reading.is_sure:
        return SelfTestThrow(
            reading.values, passed=False, words=Paragraph(*messages.advice(reading))
        )
    if count != N_DICE:
        told = messages.wrong_dice_count(
            N_DICE, count, Message("put all dice of the set into the tray")
        )
        return SelfTestThrow(reading.values, passed=False, words=told)
    read = Message("Read: %(dice)s.", dice=reading.values)
    return SelfTestThrow(reading.values, passed=True, words=read)


def refuse_same_throw(seen: DraftReading, before: DraftReading) -> None:
    """Refuse an empty tray, and dice that were not thrown since the last reading.

    Args:
        seen: The new reading.
        before: The reading before it.

    Raises:
        TableError: If it is refused.
    """
    if not seen.reading.dice_in_tray:
        raise TableError(Message("The tray is empty: throw the dice, then read them."))
    if before.reading.dice_in_tray and _is_same_throw(seen.reading, before.reading):
        raise TableError(Message("Not thrown yet: the dice have not moved."))


def _is_same_throw(now: Reading, before: Reading) -> bool:
    """Whether most dice are within a quarter of a die of where one with the same face lay."""
    near = [
        any(
            die.value == old.value and abs(die.x - old.x) + abs(die.y - old.y) < 0.25 * die.size
            for old in before.dice_in_tray
        )
        for die in now.dice_in_tray
    ]
    return sum(near) > len(near) / 2
