"""The calibration, as its page needs it: one state and a few commands.

Points are (x, y) as fractions of the image's width and height. `device.calibrating.wizard` implements
`Calibration`.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from game.message import Message

Point = tuple[float, float]
Points = tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The result of one check of the image.

    Attributes:
        name: The name of the check.
        ok: Whether the check passed; None if the image does not allow the check.
        verdict: The result in a sentence.
        advice: What to do about it; None if there is nothing to do.
    """

    name: str
    ok: bool | None
    verdict: Message
    advice: Message | None


@dataclass(frozen=True, slots=True)
class SeenDie:
    """A die in the image.

    Attributes:
        value: The face that was read; None if it is uncertain.
        x: Horizontal position of its centre, as a share of the image's width.
        y: Vertical position of its centre, as a share of the image's height.
        w: Width of its box, as a share of the image's width.
        problem: Why the face is uncertain, if it is.
    """

    value: int | None
    x: float
    y: float
    w: float
    problem: str | None


@dataclass(frozen=True, slots=True)
class DiceProgress:
    """How much of the dice set has been learnt.

    Attributes:
        looked_at: How many dice have been measured.
        needed: How many dice have to be measured.
        learnt: Whether the dice set is known.
        words: Description of the dice; None while they are unknown.
    """

    looked_at: int
    needed: int
    learnt: bool
    words: Message | None


@dataclass(frozen=True, slots=True)
class SelfTestThrow:
    """One throw of the self-test.

    Attributes:
        values: The faces that were read.
        passed: Whether every die was read with certainty.
        words: The result in a sentence.
    """

    values: tuple[int, ...]
    passed: bool
    words: Message


@dataclass(frozen=True, slots=True)
class HardwareCheck:
    """The check of the button and the lamp.

    Attributes:
        real_button: Whether there is a real button.
        pressed: Whether a press of the button was noticed.
        held: Whether a hold of the button was noticed.
        lamp: Colour -> whether a person saw it on the lamp; None if nobody has said yet.
        showing: The colour that the lamp shows for the check; None outside the check.
    """

    real_button: bool
    pressed: bool
    held: bool
    lamp: dict[str, bool | None]
    showing: str | None


@dataclass(frozen=True, slots=True)
class CalibrationState:
    """The state of the calibration. The fields have the same names as in the API's JSON.

    Attributes:
        camera: Name of the camera; None while there is none.
        simulated: Whether the tray is simulated; the page then offers to throw.
        width: Width of the image in pixels.
        height: Height of the image in pixels.
        tray: Corners of the tray.
        sure: Whether the tray was found with certainty; None if a person set the corners.
        words: How the corners were found, in a sentence.
        aside: Corners of the set-aside area; None if it is off.
        room: Whether there is room for a set-aside area.
        checks: The latest checks of the image.
        dice: The dice that were seen last.
        learning: The progress in learning the dice set.
        trials: The throws of the self-test so far.
        needed: How many throws have to pass.
        n_dice: How many dice each throw has.
        parts: The check of the button and the lamp.
        made: When the saved profile was made; None if there is none.
        unsaved: Whether there are changes to save.
        drift: The changes since the profile was made; None if nothing has changed.
    """

    camera: str | None
    simulated: bool
    width: int
    height: int
    tray: Points
    sure: bool | None
    words: Message
    aside: Points | None
    room: bool
    checks: tuple[CheckResult, ...]
    dice: tuple[SeenDie, ...]
    learning: DiceProgress
    trials: tuple[SelfTestThrow, ...]
    needed: int
    n_dice: int
    parts: HardwareCheck
    made: str | None
    unsaved: bool
    drift: Message | None


class CalibrationStep(StrEnum):
    """A command without arguments. Each value is the last part of a path of the API."""

    FIND = "find"
    """Look for the tray and propose a set-aside area next to it."""

    PROPOSE = "propose"
    """Turn on the set-aside area where there is most room."""

    CHECK = "check"
    """Check the quality of a new image."""

    FOCUS = "focus"
    """Set focus and exposure again, if the camera can."""

    THROW = "throw"
    """Throw all simulated dice."""

    LEARN = "learn"
    """Learn from the dice of one throw."""

    FORGET = "forget"
    """Forget the dice, to learn them again."""

    TEST = "test"
    """Read one throw of the self-test."""

    RETEST = "retest"
    """Start the self-test again."""

    SAVE = "save"
    """Save the profile."""

    DISCARD = "discard"
    """Go back to the saved profile."""


class Calibration(Protocol):
    """Makes the profile from what the camera sees. Any thread may call its methods.

    Every command returns the new state, or raises `game.situation.TableError` if it is refused.
    """

    def state(self) -> CalibrationState:
        """Return the current state."""

    def keep_alive(self) -> None:
        """Reserve the button and the lamp for the calibration for a few more seconds."""

    def picture(self) -> bytes | None:
        """Return the current image as JPEG, or None while there is no camera."""

    def do(self, step: CalibrationStep) -> CalibrationState:
        """Run a command without arguments."""

    def set_corners(self, tray: Points, aside: Points | None) -> CalibrationState:
        """Set the corners that a person has placed.

        Args:
            tray: Corners of the tray.
            aside: Corners of the set-aside area; None turns it off.
        """

    def set_button_use(self, to: str) -> CalibrationState:
        """Set what a press of the button is used for while the calibration page is open.

        Args:
            to: "button" checks the button, "learn" measures dice to learn the dice set, "test" reads
                a throw of the self-test, and "" leaves the button to the match.
        """

    def show_colour(self, colour: str) -> CalibrationState:
        """Show "red", "green" or "blue" on the lamp, or "" for its usual colour."""

    def confirm_colour(self, colour: str, *, seen: bool) -> CalibrationState:
        """Record what a person saw on the lamp.

        Args:
            colour: The colour that was shown.
            seen: Whether the person saw that colour.
        """
