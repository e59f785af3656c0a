"""What is to be learnt from a scene: every die in pixels, and whether it may be read."""

from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from training.scenes.scene import NORMALS, Ball, PlacedDie, Scene

COCKED_DEG = 10.0
SEEN = 0.97


def labels(scene: Scene) -> dict[str, Any]:
    """The scene as one JSON object: dice with value, quad, box, tilt and how much of the top is seen."""
    camera = scene.camera
    tray = None
    if scene.tray is not None:
        x, y = scene.tray.width / 2, scene.tray.depth / 2
        floor = np.array([(-x, -y, 0), (x, -y, 0), (x, y, 0), (-x, y, 0)], float)
        tray = camera.project(floor).round(2).tolist()
    return {
        "seed": scene.seed,
        "width": camera.width,
        "height": camera.height,
        "tray": tray,
        "focal": camera.focal,
        "up": camera.turn[:, 2].round(5).tolist(),
        "hand": [_disc(scene, ball) for ball in scene.hand],
        "dice": [_die(scene, die) for die in scene.dice],
    }


def _die(scene: Scene, die: PlacedDie) -> dict[str, Any]:
    value, tilt = die.top()
    quad = scene.camera.project(die.top_face())
    up = die.turn @ np.array(NORMALS[value], float)
    foot = scene.camera.project((die.at - up * die.size / 2)[None])[0]
    outline = scene.camera.project(die.corners())
    return {
        "value": value,
        "tilt": round(tilt, 1),
        "how": die.how,
        "quad": quad.round(2).tolist(),
        "foot": foot.round(2).tolist(),
        "box": [*outline.min(axis=0).round(2).tolist(), *outline.max(axis=0).round(2).tolist()],
        "seen": round(_seen(scene, die), 3),
        "look": die.look,
    }


def _disc(scene: Scene, ball: Ball) -> list[float]:
    """x, y and radius of a ball in pixels; radius 0 behind the camera."""
    ahead = float((scene.camera.turn @ (ball.at - scene.camera.at))[2])
    if ahead < 0.1:
        return [0.0, 0.0, 0.0]
    x, y = scene.camera.project(ball.at[None])[0]
    return [
        round(float(x), 1),
        round(float(y), 1),
        round(ball.radius * scene.camera.focal / ahead, 1),
    ]


def _seen(scene: Scene, die: PlacedDie) -> float:
    """The share of the top face that the camera sees past other dice, the walls and the frame."""
    a, b, _, d = die.top_face() * 0.99 + die.at * 0.01
    grid = np.linspace(0.08, 0.92, 7)
    points = np.array([a + (b - a) * s + (d - a) * t for s, t in product(grid, grid)])
    pixels = scene.camera.project(points)
    inside = np.all((pixels >= 0) & (pixels <= (scene.camera.width, scene.camera.height)), axis=1)
    hidden = np.zeros(len(points), bool)
    for other in scene.dice:
        if other is not die:
            hidden |= hits(
                points, scene.camera.at, other.at, other.turn, np.full(3, other.size / 2 * 0.97)
            )
    for centre, half in walls(scene):
        hidden |= hits(points, scene.camera.at, centre, np.camera_thread(3), half)
    for ball in scene.hand:
        way = scene.camera.at - points
        way /= np.linalg.norm(way, axis=1, keepdims=True)
        nearest = np.maximum(0, ((ball.at - points) * way).sum(axis=1))[:, None] * way
        hidden |= np.linalg.norm(points + nearest - ball.at, axis=1) < ball.radius
    for thing in scene.things:
        if thing.kind == "cup":
            hidden |= hits(
                points,
                scene.camera.at,
                thing.at + (0, 0, 2),
                np.camera_thread(3),
                np.array([thing.size, thing.size, 2]),
            )
    return float((inside & ~hidden).mean())


def walls(scene: Scene) -> list[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """Middle and half the size of each side of the tray."""
    tray = scene.tray
    if tray is None:
        return []
    x, y, t, h = tray.width / 2, tray.depth / 2, tray.thick / 2, tray.wall / 2
    sides = [
        ((-x - t, 0, h), (t, y + 2 * t, h)),
        ((x + t, 0, h), (t, y + 2 * t, h)),
        ((0, -y - t, h), (x, t, h)),
        ((0, y + t, h), (x, t, h)),
    ]
    return [(np.array(c, float), np.array(s, float)) for c, s in sides]


def hits(
    points: NDArray[np.float64], camera_thread: NDArray[np.float64], centre: NDArray[np.float64],
    turn: NDArray[np.float64], half: NDArray[np.float64],
) -> NDArray[np.bool_]:  # fmt: skip
    """Which of the lines from points to the eye meet a box (slab method)."""
    start = (points - centre) @ turn
    way = (camera_thread - points) @ turn
    way = np.where(np.abs(way) < 1e-9, 1e-9, way)
    near = (-half * np.sign(way) - start) / way
    far = (half * np.sign(way) - start) / way
    enter, leave = near.max(axis=1), far.min(axis=1)
    hit: NDArray[np.bool_] = (enter < leave) & (leave > 1e-6)
    return hit
