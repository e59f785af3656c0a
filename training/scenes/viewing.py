"""Draws cameras over trays at random: their angle of view, distance and tilt."""

import numpy as np
from numpy.random import Generator

from training.scenes.throws.rest import Rest
from training.scenes.world import Pinhole, RestingDie, Vector

IMAGE_SIZES_PX = ((480, 360), (480, 270), (400, 400), (480, 320))
TRAY_SHARE = {"table": (0.5, 0.97), "field": (0.7, 1.02), "clutter": (0.6, 1.1)}
"""Smallest and largest share of the height of the image that the tray fills."""
CLOSE_DIE_SHARE = (0.1, 0.62)
"""Smallest and largest share of the width of the image that one die fills in a close-up."""
ZOOM_SIZES_PX = ((360, 270), (300, 300))
ZOOM_DIE_PX = (26.0, 130.0)
"""Smallest and largest edge of a die seen through a longer lens."""
MIN_LEANING_DEG = 8.0
LOW_VIEW_DEG = (22.0, 82.0)
"""Range of the angle between straight down and the viewing direction of a camera that looks from the side."""
UPRIGHT_SHARE, UPRIGHT_DEVIATION = 0.85, 0.1
"""Share of tilted cameras whose images show what is farther away higher up, as photographs do, and how far they deviate from
that, in radians."""


def draw_camera(
    rng: Generator,
    rest: Rest,
    dice: tuple[RestingDie, ...],
    kind: str,
    size: tuple[int, int] | None,
    *,
    low: bool = False,
) -> Pinhole:
    """Draw a random camera over the tray or, for a close-up, near a die.

    Args:
        rng: Source of random numbers.
        rest: A simulated throw after the dice have come to rest, in a tray or on an open table.
        dice: The dice in the scene.
        kind: Kind of scene, a key of `staging.SCENE_WEIGHTS`.
        size: Width and height of the image in pixels. None draws one of the usual sizes.
        low: Whether the camera looks from the side instead of from above.
    """
    width, height = (
        size or IMAGE_SIZES_PX[int(rng.choice(len(IMAGE_SIZES_PX), p=[0.45, 0.3, 0.1, 0.15]))]
    )
    tilt = abs(rng.normal(0, np.radians(6)))
    if rng.random() < 0.25:
        tilt = np.radians(rng.uniform(8, 26))
    if rest.open_floor and rng.random() < 0.2:
        tilt = np.radians(rng.uniform(15, 42))
    if low:
        tilt = np.radians(rng.uniform(*LOW_VIEW_DEG))
    fov = np.radians(rng.uniform(28, 95))  # field of view along the longer side
    focal = max(width, height) / 2 / np.tan(fov / 2)
    if kind == "close" and dice:
        die = dice[0]
        share = float(np.exp(rng.uniform(*np.log(CLOSE_DIE_SHARE))))
        away = max(focal * die.edge_mm / (share * width), 1.6 * die.edge_mm)
        aim = die.at + rng.normal(0, 0.6, 3) * die.edge_mm * (1, 1, 0)
        return aim_camera(rng, (width, height), focal, aim, away + die.edge_mm, tilt)
    span = _span(rest, dice)
    away = focal * span / (float(rng.uniform(*TRAY_SHARE.get(kind, TRAY_SHARE["table"]))) * height)
    aim = np.array([*rng.normal(0, 0.04 * span, 2), 0.0])
    if rest.open_floor and dice:
        aim += np.mean([d.at for d in dice], axis=0) * (1, 1, 0)
    return aim_camera(rng, (width, height), focal, aim, away, tilt)


def _span(rest: Rest, dice: tuple[RestingDie, ...]) -> float:
    """Return the extent of the tray, or of the dice on an open table, in millimetres."""
    if not rest.open_floor:
        return float(np.ptp(rest.tray.outline, axis=0).min())
    if not dice:
        return 150.0
    places = np.array([d.at for d in dice])
    return max(
        float(np.ptp(places[:, :2], axis=0).max()) + 3 * dice[0].edge_mm, 5 * dice[0].edge_mm
    )


def zoom_camera(rng: Generator, eye: Pinhole, dice: tuple[RestingDie, ...]) -> Pinhole:
    """Return a camera at the same position with a longer lens, aimed at a die.

    In half of the images with cocked or stacked dice, the camera aims at one of them. With the longer lens, a die is as
    large as in an image with the resolution of a real camera, but the image takes only a sixth of the time to render.

    Args:
        rng: Source of random numbers.
        eye: The camera whose lens is replaced.
        dice: The dice in the scene.
    """
    leaning = [die for die in dice if die.top()[1] > MIN_LEANING_DEG or die.stacked]
    some = leaning if leaning and rng.random() < 0.5 else dice
    die = some[int(rng.integers(len(some)))]
    aim = die.at + rng.normal(0, 0.9, 3) * die.edge_mm * (1, 1, 0)
    edge_px = float(np.exp(rng.uniform(*np.log(ZOOM_DIE_PX))))
    focal = edge_px * float(np.linalg.norm(aim - eye.at)) / die.edge_mm
    size = ZOOM_SIZES_PX[int(rng.integers(len(ZOOM_SIZES_PX)))]
    return _aimed(size, focal, eye.at, aim, eye.turn[0])


def aim_camera(  # noqa: PLR0917 - the pose of a camera
    rng: Generator, size: tuple[int, int], focal: float, aim: Vector, away: float, tilt: float
) -> Pinhole:
    """Return a camera that looks at a point from a distance, rotated at random around the point and about its own axis.

    Most cameras are held upright: what is farther away is higher up in their images.

    Args:
        rng: Source of random numbers.
        size: Width and height in pixels.
        focal: Focal length in pixels.
        aim: Point (3,) at the centre of the image, in millimetres.
        away: Distance of the camera from that point in millimetres.
        tilt: Angle between the viewing direction and straight down, in radians.
    """
    roll = rng.normal(0, 0.12) if rng.random() < 0.7 else rng.uniform(0, 2 * np.pi)
    azimuth = roll - np.pi / 2 + rng.normal(0, UPRIGHT_DEVIATION)
    if rng.random() > UPRIGHT_SHARE:
        azimuth = rng.uniform(0, 2 * np.pi)
    lean = np.sin(tilt)
    at = aim + away * np.array([lean * np.cos(azimuth), lean * np.sin(azimuth), np.cos(tilt)])
    return _aimed(size, focal, at, aim, np.array([np.cos(roll), np.sin(roll), 0.0]))


def _aimed(size: tuple[int, int], focal: float, at: Vector, aim: Vector, along: Vector) -> Pinhole:
    """Return a camera at `at` that looks at `aim`, and whose rows of pixels are as parallel to `along` as possible."""
    ahead = (aim - at) / np.linalg.norm(aim - at)
    down = np.cross(ahead, along)
    down /= np.linalg.norm(down)
    right = np.cross(down, ahead)
    return Pinhole(size[0], size[1], float(focal), at, np.array([right, down, ahead]))
