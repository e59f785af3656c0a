"""The profile: the results of calibrating one tray under one camera.

All values are relative to the frame and the tray, so they hold for frames of any resolution. The names of
the fields of `HeldControls`, `DiceLook` and `Mat` are the keys of the profile file.
"""

from dataclasses import dataclass

from calibration.outline import Outline
from vision.reading import Lean

Colour = tuple[float, float, float]
"""CIE Lab: lightness from 0 to 100, and two opponent colours around 0."""


@dataclass(frozen=True, slots=True)
class HeldControls:
    """Camera settings that were fixed when the profile was made. None means unknown, or left to the camera.

    Attributes:
        focus_dpt: Lens position in dioptres (1 / metres).
        exposure_us: Exposure time in microseconds. Set together with `gain`, or not at all.
        gain: Analogue gain. Set together with `exposure_us`, or not at all.
        red: Gain of red relative to green.
        blue: Gain of blue relative to green.
        white_k: Colour temperature in kelvins, for USB cameras that set the white balance by temperature.
        focus_steps: Lens position of a USB camera, in its own unit.
    """

    focus_dpt: float | None = None
    exposure_us: int | None = None
    gain: float | None = None
    red: float | None = None
    blue: float | None = None
    white_k: int | None = None
    focus_steps: int | None = None


@dataclass(frozen=True, slots=True)
class DiceLook:
    """A group of dice that look alike.

    Attributes:
        edge: Median edge of the top face, in tray widths.
        spread: Difference of individual dice from that edge, as a share of that edge (90th percentile).
        body: Median colour of the bodies.
        pip: Median colour of the pips.
        tone: Distance of individual bodies from `body` in CIE Lab (90th percentile).
        dice: Number of dice that were examined.
    """

    edge: float
    spread: float
    body: Colour
    pip: Colour
    tone: float
    dice: int


@dataclass(frozen=True, slots=True)
class DiceSet:
    """The dice in use: one or several groups of dice that look alike, the largest group first."""

    looks: tuple[DiceLook, ...]

    @property
    def dice(self) -> int:
        """Number of dice that were examined."""
        return sum(look.dice for look in self.looks)


@dataclass(frozen=True, slots=True)
class Mat:
    """Measurements of the tray and the lens, made with the printed mat.

    Attributes:
        wide_mm: Longer side of the tray's floor.
        deep_mm: Shorter side of the tray's floor.
        bend: Radial distortion of the lens: k1 and k2 of OpenCV's model.
        focal: Focal length in frame widths.
    """

    wide_mm: float
    deep_mm: float
    bend: tuple[float, float]
    focal: float


@dataclass(frozen=True, slots=True)
class Profile:
    """Calibration of one tray under one camera.

    Attributes:
        camera: Name of the camera, as in `Camera.name`.
        made: Date and time in ISO 8601.
        tray: Floor of the tray.
        aside: Set-aside area, or None if dice are not set aside.
        level: Brightness of the floor from 0 to 1, for comparing the light.
        sides: How the brightness changes across each side of the tray (see `calibration.drift`).
        held: Camera settings that are kept fixed.
        dice: The dice in use, or None until they have been learnt.
        leans: How the flat dice appeared to lean in the throws from which the dice were learnt. The lens and
            the size of the dice are worked out from these leans.
        mat: Measurements made with the printed mat, or None if it was not used.
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
