"""The state of a calibration as the page shows it."""

from dataclasses import dataclass
from math import atan2, degrees, hypot

from calibration.picture_checks import PictureCheck
from calibration.profile import DiceSet
from device.calibrating.draft import ENOUGH_DICE, TRIALS, Draft, DraftReading
from device.calibrating.picture_advice import advice, verdict
from game.message import Message
from web.contracts import (
    CalibrationState,
    CheckResult,
    DiceProgress,
    HardwareCheck,
    SeenDie,
)

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


@dataclass(frozen=True, slots=True)
class CalibrationContext:
    """The facts that the page shows in addition to the draft.

    Attributes:
        camera: Name of the camera; None if there is none.
        n_dice: Number of dice in a throw of the self-test.
        simulated: Whether the tray is simulated.
        size: Width and height of a frame in pixels.
        real_button: Whether there is a physical button at the tray.
        showing: The colour that the lamp is showing while a person checks it; None outside the check.
        made: When the saved profile was made; None if there is none.
        drift: The changes since the profile was made; None if nothing has changed.
    """

    camera: str | None
    n_dice: int
    simulated: bool
    size: tuple[int, int]
    real_button: bool
    showing: str | None
    made: str | None
    drift: Message | None


def state_of(draft: Draft, context: CalibrationContext) -> CalibrationState:
    """Return the state of a calibration as plain data for the page.

    Args:
        draft: The calibration in progress.
        context: The facts that the page shows in addition to the draft.
    """
    return CalibrationState(
        camera=context.camera,
        simulated=context.simulated,
        width=context.size[0],
        height=context.size[1],
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
        n_dice=context.n_dice,
        parts=_parts(draft, context),
        made=context.made,
        unsaved=draft.is_unsaved,
        drift=context.drift,
    )


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


def _parts(draft: Draft, context: CalibrationContext) -> HardwareCheck:
    answers = dict(draft.colours_seen)
    return HardwareCheck(
        real_button=context.real_button,
        pressed=draft.has_pressed,
        held=draft.has_held,
        lamp={colour: answers.get(colour) for colour in LAMP_COLOURS},
        showing=context.showing,
    )
