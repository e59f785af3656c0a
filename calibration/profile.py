"""The profile: all that calibration found out of one tray under one camera.

Everything in it is relative to the picture and the tray, so that it holds for pictures of any size.
"""

from dataclasses import dataclass

from calibration.outline import Outline
from vision.reading import Lean

Colour = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class HeldControls:
    """What the camera held when the profile was made; None is not known, or not to be set.

    Attributes:
        focus_dpt: lens position, 1 / metres.
        exposure_us, gain: set both, or none.
        red, blue: gains of these colours against green.
        white_k: colour temperature, where a USB camera balances by that.
    """

    focus_dpt: float | None = None
    exposure_us: int | None = None
    gain: float | None = None
    red: float | None = None
    blue: float | None = None
    white_k: int | None = None


@dataclass(frozen=True, slots=True)
class DiceLook:
    """Dice that look alike.

    Attributes:
        edge: of a die's top face, in tray widths.
        spread: how much single dice differ from it, as a share of it.
        body, pip: colours as CIE Lab: lightness 0..100, two opponent colours around 0.
        tone: how far the bodies of single dice lie from `body`, in the same units.
        dice: how many were looked at.
    """

    edge: float
    spread: float
    body: Colour
    pip: Colour
    tone: float
    dice: int


@dataclass(frozen=True, slots=True)
class DiceSet:
    """The dice that are played with here, of one look or of several: the most usual first."""

    looks: tuple[DiceLook, ...]

    @property
    def dice(self) -> int:
        """How many were looked at."""
        return sum(look.dice for look in self.looks)


@dataclass(frozen=True, slots=True)
class Mat:
    """What the printed mat told.

    Attributes:
        wide_mm, deep_mm: the tray's floor.
        bend: radial distortion of the lens, k1 and k2 of OpenCV's model.
        focal: in picture widths.
    """

    wide_mm: float
    deep_mm: float
    bend: tuple[float, float]
    focal: float


@dataclass(frozen=True, slots=True)
class Profile:
    """What is known of one tray under one camera.

    Attributes:
        camera: its name, as `Camera.name` tells it.
        made: when, in the form of ISO 8601.
        tray: the floor of the tray.
        aside: where set-aside dice are laid; None where nothing is set aside.
        level: brightness of the floor, 0..1, against which the light is compared.
        sides: how the picture changes across each side of the tray; see `calibration.drift`.
        held: of the camera.
        dice: None while they were not learnt.
        leans: how they stood that lay flat in the throws they were learnt from: they tell the lens,
            and their sizes.
        mat: None where there was none.
    """

    camera: str
    made: str
    tray: Outline
    aside: Outline | None = None
    level: float | None = None
    sides: tuple[tuple[float, ...], ...] = ()
    held: HeldControls = HeldControls()
    dice: DiceSet | None = None
    leans: tuple[Lean, ...] = ()
    mat: Mat | None = None
