"""A calibration under way: what is found so far and not yet saved, and how the page sees it."""

from dataclasses import dataclass, field, replace
from math import atan2, degrees, hypot

from calibration.dice_set import MIN_DICE, DieAppearance, learn_dice_set
from calibration.mat import FoundMat
from calibration.outline import Outline
from calibration.picture_checks import PictureCheck
from calibration.profile import DiceSet, Mat, Profile
from device.calibrating.picture_advice import advice, verdict
from device.session import messages
from game.message import Message, Paragraph
from game.situation import TableError
from vision.known_tray import MAX_LEANS
from vision.reading import Lean, Reading
from web.contracts.calibration import (
    CalibrationState,
    CheckResult,
    DiceProgress,
    HardwareCheck,
    SeenDie,
    SelfTestThrow,
)

N_DICE = 6
"""Of the usual set; dice that a set has more are learnt all the same."""

ENOUGH_DICE = 12
"""Two throws of six: all the faces have been seen under two different places of the light."""

TRIALS = 3
COLOURS = ("red", "green", "blue")

NOT_LOOKED_FOR = Message("The tray was not looked for yet.")


@dataclass(frozen=True, slots=True)
class DraftReading:
    """What was read last, and the size of its picture."""

    reading: Reading = field(default_factory=Reading)
    width: int = 0
    height: int = 0


@dataclass(frozen=True, slots=True)
class Draft:
    """Attributes are as in `web.contracts.calibration.CalibrationState` and `Profile`; `mat` as it was seen."""

    tray: Outline = field(default_factory=Outline.centred)
    sure: bool | None = False
    words: Message = NOT_LOOKED_FOR
    aside: Outline | None = None
    room: bool = True
    checks: tuple[PictureCheck, ...] = ()
    seen: DraftReading = field(default_factory=DraftReading)
    looks: tuple[DieAppearance, ...] = ()
    dice: DiceSet | None = None
    leans: tuple[Lean, ...] = ()
    mat: FoundMat | None = None
    measured: Mat | None = None
    trials: tuple[SelfTestThrow, ...] = ()
    pressed: bool = False
    held: bool = False
    lamp: tuple[tuple[str, bool], ...] = ()
    unsaved: bool = False

    @classmethod
    def of(cls, profile: Profile | None) -> "Draft":
        """What is saved, or nothing yet."""
        if profile is None:
            return cls()
        return cls(
            tray=profile.tray,
            sure=None,
            words=Message("The corners are as they were saved."),
            aside=profile.aside,
            dice=profile.dice,
            leans=profile.leans,
            measured=profile.mat,
        )

    def learning(self, looks: tuple[DieAppearance, ...], seen: DraftReading) -> "Draft":
        """With the dice of one more throw looked at."""
        dice = learn_dice_set(looks) if len(looks) >= ENOUGH_DICE else self.dice
        leans = (*self.leans, *seen.reading.leans)[-MAX_LEANS:]
        return replace(self, looks=looks, dice=dice, leans=leans, seen=seen, unsaved=True)

    def tried(self, seen: DraftReading) -> "Draft":
        """With one more throw of the self-test; one that was not read begins the count anew."""
        trial = _trial(seen.reading)
        passed = [t for t in self.trials if t.passed] if trial.passed else []
        return replace(self, trials=(*passed, trial)[-TRIALS:], seen=seen)

    def answered(self, colour: str, *, seen: bool) -> "Draft":
        return replace(self, lamp=tuple((dict(self.lamp) | {colour: seen}).items()))


def _trial(reading: Reading) -> SelfTestThrow:
    count = len(reading.dice_in_tray)
    if not reading.is_sure:
        return SelfTestThrow(
            reading.values, passed=False, words=Paragraph(*messages.advice(reading))
        )
    if count != N_DICE:
        told = messages.expected(N_DICE, count, Message("all dice of the set are needed"))
        return SelfTestThrow(reading.values, passed=False, words=told)
    read = Message("Read: %(dice)s.", dice=reading.values)
    return SelfTestThrow(reading.values, passed=True, words=read)


def not_the_same(seen: DraftReading, before: DraftReading) -> None:
    """Refuse a throw that lies as the one before: the same dice never count twice."""
    if not seen.reading.dice_in_tray:
        raise TableError(Message("The tray is empty: throw the dice, then read them."))
    if before.reading.dice_in_tray and _alike(seen.reading, before.reading):
        raise TableError(Message("Not thrown yet: the dice lie where they lay."))


def _alike(now: Reading, before: Reading) -> bool:
    """Whether most dice lie within a quarter of a die of where one showed the same."""
    near = [
        any(
            die.value == old.value and abs(die.x - old.x) + abs(die.y - old.y) < 0.25 * die.size
            for old in before.dice_in_tray
        )
        for die in now.dice_in_tray
    ]
    return sum(near) > len(near) / 2


@dataclass(frozen=True, slots=True)
class Around:
    """What the page must know besides: of the camera, the button, the lamp and what is saved."""

    camera: str | None
    simulated: bool
    size: tuple[int, int]
    real_button: bool
    showing: str | None
    made: str | None
    drift: Message | None


def state_of(draft: Draft, around: Around) -> CalibrationState:
    """The draft as plain data."""
    return CalibrationState(
        camera=around.camera,
        simulated=around.simulated,
        width=around.size[0],
        height=around.size[1],
        tray=draft.tray.corners,
        sure=draft.sure,
        words=draft.words,
        aside=draft.aside.corners if draft.aside else None,
        room=draft.room,
        checks=tuple(map(_shown, draft.checks)),
        dice=_dice(draft.seen),
        learning=_learning(draft),
        trials=draft.trials,
        needed=TRIALS,
        n_dice=N_DICE,
        parts=_parts(draft, around),
        made=around.made,
        unsaved=draft.unsaved,
        drift=around.drift,
    )


def _shown(check: PictureCheck) -> CheckResult:
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
    needed = max(ENOUGH_DICE, MIN_DICE)
    looked_at = len(draft.looks) or (draft.dice.dice if draft.dice else 0)
    return DiceProgress(looked_at, needed, draft.dice is not None, _dice_words(draft.dice))


def _dice_words(dice: DiceSet | None) -> Message | None:
    if dice is None:
        return None
    most = dice.looks[0]
    if len(dice.looks) == 1:
        return Message(
            "%(body)s dice with %(pips)s pips, %(n)s of them in a row as wide as the tray",
            body=_shade(most.body),
            pips=_shade(most.pip),
            n=round(1 / most.edge),
        )
    return Message(
        "dice of %(looks)s looks, most of them %(body)s with %(pips)s pips, %(n)s of these in a row "
        "as wide as the tray",
        looks=len(dice.looks),
        body=_shade(most.body),
        pips=_shade(most.pip),
        n=round(1 / most.edge),
    )


DARK, LIGHT, PALE = 30, 70, 18
"""Of lightness 0..100; and how far from grey a colour is still called by its lightness."""

HUES = (
    (25, Message("red")),
    (70, Message("orange")),
    (115, Message("yellow")),
    (190, Message("green")),
    (310, Message("blue")),
    (360, Message("red")),
)
"""Names by the angle of Lab's opponent colours, each up to so many degrees."""


def _shade(colour: tuple[float, float, float]) -> Message:
    """A colour in a word; ivory is white to people."""
    lightness, a, b = colour
    if hypot(a, b) < PALE or (lightness > LIGHT + 8 and hypot(a, b) < 2 * PALE):
        if lightness < DARK:
            return Message("black")
        return Message("white") if lightness > LIGHT else Message("grey")
    angle = degrees(atan2(b, a)) % 360
    return next(name for upto, name in HUES if angle <= upto)


def _parts(draft: Draft, around: Around) -> HardwareCheck:
    said = dict(draft.lamp)
    return HardwareCheck(
        real_button=around.real_button,
        pressed=draft.pressed,
        held=draft.held,
        lamp={colour: said.get(colour) for colour in COLOURS},
        showing=around.showing,
    )
