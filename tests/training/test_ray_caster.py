"""The ray caster: its images, masks and labels agree with each other."""

from dataclasses import replace

import numpy as np
import pytest

from training.scenes.kept_out import Purpose


@pytest.fixture(scope="module")
def staged(rests):
    """Return a scene of a table with dice."""
    from training.scenes.staging import SceneRequest, stage_world

    return stage_world(
        3, Purpose.TEACH, rests, SceneRequest("table", tile_px=64, hand_chance=0.0, size=(240, 180))
    )


@pytest.fixture(scope="module")
def shown(staged):
    """Return the rendered image of the scene."""
    from training.rendering.ray_caster import cast_picture

    return cast_picture(staged)


def test_the_same_scene_gives_the_same_image(staged, shown):
    from training.rendering.ray_caster import cast_picture

    assert np.array_equal(cast_picture(staged).light, shown.light)


def test_light_is_finite_and_not_negative(shown):
    for light in (shown.light, shown.empty):
        assert np.isfinite(light).all()
        assert light.min() >= 0
        assert light.mean() > 0


def test_each_die_is_where_its_label_says(staged, shown):
    from training.rendering.ray_caster import visible_top_shares
    from training.scenes.truth import true_labels

    seen = visible_top_shares(staged)
    for number, die in enumerate(true_labels(staged, seen)["dice"]):
        if die["seen"] < 0.9:
            continue
        x, y = np.mean(die["quad"], axis=0).astype(int)

        assert shown.die[y, x] == number
        ys, xs = np.nonzero(shown.die == number)
        left, top, right, bottom = die["box"]
        assert left - 1 <= xs.min() <= xs.max() <= right + 1
        assert top - 1 <= ys.min() <= ys.max() <= bottom + 1


def test_each_pip_contrasts_with_the_face_around_it(staged):
    from training.rendering.ray_caster import cast_picture
    from training.scenes.dice.pips import pip_centres
    from training.scenes.world import FACE_NORMALS, face_axes

    die = min(staged.dice, key=lambda d: d.top()[1])
    close = replace(staged, camera=looking_down(die), hand=None, solids=(), dice=(die,))
    light = cast_picture(close, empty=False).light
    style, value = staged.styles[die.style], die.top()[0]
    n = np.array(FACE_NORMALS[value], float)
    u, v = face_axes(n)
    places = pip_centres(style.pips, value)
    pixels = close.camera.project(
        die.at + (n + places[:, :1] * u + places[:, 1:] * v) @ die.turn.T * die.edge_mm / 2
    )
    inner = np.array([light[int(y), int(x)] for x, y in pixels])
    free = close.camera.project((die.at + (n + 0.85 * u) @ die.turn.T * die.edge_mm / 2)[None])[0]
    outer = light[int(free[1]), int(free[0])]

    assert (np.abs(np.log((inner + 1e-3) / (outer + 1e-3))).max(axis=1) > 0.1).all()


def looking_down(die):
    from training.scenes.world import Pinhole

    turn = np.array([[1.0, 0, 0], [0, -1, 0], [0, 0, -1]])
    return Pinhole(128, 128, 250.0, die.at + np.array([0, 0, 6 * die.edge_mm]), turn)


def test_the_empty_tray_image_has_no_dice_and_is_otherwise_unchanged(staged, shown):
    from training.scenes.world import Part

    ground = shown.part == Part.GROUND
    change = np.abs(shown.light - shown.empty).sum(axis=2) / (shown.empty.sum(axis=2) + 1e-6)

    assert np.median(change[ground]) < 0.02
    bare = replace(staged, dice=(), hand=None, solids=tuple(s for s in staged.solids if s.fixed))
    from training.rendering.ray_caster import cast_picture

    alone = cast_picture(bare, empty=False).light
    off = np.abs(alone - shown.empty).sum(axis=2) / (alone.sum(axis=2) + 1e-6)
    assert np.median(off) < 0.05


def test_a_stacked_die_hides_half_of_the_top_of_the_die_below(staged):
    from training.rendering.ray_caster import visible_top_shares

    die = replace(staged.dice[0], at=np.array([0, 0, 8.0]), turn=np.eye(3), edge_mm=16.0)
    above = replace(die, at=np.array([8.0, 0, 24.0]))
    camera = looking_down(die)
    alone = replace(staged, dice=(die,), solids=(), hand=None, camera=camera)

    assert visible_top_shares(alone) == [1.0]
    half, whole = visible_top_shares(replace(alone, dice=(die, above)))
    assert 0.3 < half < 0.7
    assert whole == 1.0
