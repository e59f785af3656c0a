"""What the calibration page needs of the companion: one plain state, and the few things to ask.

Points are (x, y) as shares of the picture's width and height. The companion's `Fitting` implements
`Calibration`; nothing in this room knows how.
"""

from dataclasses import dataclass, fields, is_dataclass
from enum import StrEnum
from typing import Any, Protocol

from game.message import Message, Translate

Point = tuple[float, float]
Points = tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class CheckResult:
    """A check: `ok` is None where the picture cannot tell; `advice` is None where all is well."""

    name: str
    ok: bool | None
    verdict: Message
    advice: Message | None


@dataclass(frozen=True, slots=True)
class SeenDie:
    """A die in the picture; `w` is the width of its box as a share of the picture's width."""

    value: int | None
    x: float
    y: float
    w: float
    problem: str | None


@dataclass(frozen=True, slots=True)
class DiceProgress:
    """How far the dice set is known: dice looked at of those needed, and what they are like.

    `words` is None while they are not known.
    """

    looked_at: int
    needed: int
    learnt: bool
    words: Message | None


@dataclass(frozen=True, slots=True)
class SelfTestThrow:
    """A throw of the self-test: what was read, and whether that was all for sure."""

    values: tuple[int, ...]
    passed: bool
    words: Message


@dataclass(frozen=True, slots=True)
class HardwareCheck:
    """What was noticed of the button, and what a person said of the lamp's colours."""

    real_button: bool
    pressed: bool
    held: bool
    lamp: dict[str, bool | None]
    showing: str | None


@dataclass(frozen=True, slots=True)
class CalibrationState:
    """Where the calibration stands.

    Attributes:
        camera: its name; None while there is none.
        simulated: the tray is not there: the page offers throwing.
        width, height: of the picture, in pixels.
        tray: four corners.
        sure: whether the tray was found for sure; None where a person set the corners.
        words: how the corners came about, in a sentence.
        aside: the set-aside zone; None where it is off.
        room: whether there is room for one.
        checks: the last findings.
        dice: what was seen last.
        trials: throws of the self-test so far.
        needed: throws that must pass.
        n_dice: dice in each.
        made: when the saved profile was made; None where there is none.
        unsaved: whether there is something to save.
        drift: what changed since it was made; None where nothing did.
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
    """What can be done without saying more; the names are those of the routes."""

    FIND = "find"  # look for the tray, and propose a zone beside it
    PROPOSE = "propose"  # switch the zone on, where there is most room
    CHECK = "check"  # how good a new picture is
    FOCUS = "focus"  # find focus and exposure again, where the camera can
    THROW = "throw"  # throw all simulated dice
    LEARN = "learn"  # look at the dice of one throw
    FORGET = "forget"  # learn the dice anew
    TEST = "test"  # read one throw of the self-test
    RETEST = "retest"  # begin the self-test anew
    SAVE = "save"  # write the profile
    DISCARD = "discard"  # back to what is saved


class Calibration(Protocol):
    """The calibration as the page sees it; every method may be called from any thread.

    Those that change something return the state after it, and raise `game.situation.TableError` where it
    is refused.
    """

    def state(self) -> CalibrationState: ...

    def keep_alive(self) -> None:
        """Who calibrates is there: button and lamp are the calibration's for a while."""

    def picture(self) -> bytes | None:
        """What the camera sees now, as JPEG; None while there is no camera."""

    def do(self, step: CalibrationStep) -> CalibrationState:
        """Take one of the steps that need no more to be told."""

    def set_corners(self, tray: Points, aside: Points | None) -> CalibrationState:
        """The corners are there."""

    def set_button_use(self, to: str) -> CalibrationState:
        """What a press at the tray is for: "button", "learn", "test" or "" for the match."""

    def show_colour(self, colour: str) -> CalibrationState:
        """The lamp shows red, green, blue or "" for what it usually shows."""

    def confirm_colour(self, colour: str, *, seen: bool) -> CalibrationState:
        """A person says whether the lamp showed this colour."""


def calibration_json(state: CalibrationState, say: Translate = str) -> dict[str, Any]:
    """The state as the API answers it, its messages said so; where there is none, it is empty."""
    told: dict[str, Any] = _plain(state, say)
    learning = told["learning"]
    learning["words"] = learning["words"] or ""
    told["drift"] = told["drift"] or ""
    for check in told["checks"]:
        check["advice"] = check["advice"] or ""
    return told


def _plain(value: Any, say: Translate) -> Any:
    if isinstance(value, Message):
        return say(value)
    if isinstance(value, tuple):
        return [_plain(part, say) for part in value]
    if is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name), say) for field in fields(value)}
    return value
