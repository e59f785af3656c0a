"""The caster and the labels tell of the same dice."""

from dataclasses import replace

import numpy as np
import pytest

from training.scenes.kept_out import Purpose


@pytest.fixture(scope="module")
def staged(rests):
    from training.scenes.staging import Wish, world

    return world(3, Purpose.TEACH, rests, Wish("table", side=64, hand=0.0, size=(240, 180)))


@pytest.fixture(scope="module")
def shown(staged):
    from training.rendering.ray_caster import cast

    return cast(staged)


def test_the_same_world_gives_the_same_picture(staged, shown):
    from training.rendering.ray_caster import cast

    assert np.array_equal(cast(staged).light, shown.light)


def test_light_is_finite_and_not_negative(shown):
    for light in (shown.light, shown.empty):
        assert np.isfinite(light).all()
        assert light.min() >= 0
        assert light.mean() > 0


def test_each_die_is_seen_where_its_label_is(staged, shown):
    from training.rendering.ray_caster import tops_seen
    from training.scenes.truth import truth

    seen = tops_seen(staged)
    for number, die in enumerate(truth(staged, seen)["dice"]):
        if die["seen"] < 0.9:
            continue
        x, y = np.mean(die["quad"], axis=0).astype(int)

        assert shown.die[y, x] == number
        ys, xs = np.nonzero(shown.die == number)
        left, top, right, bottom = die["box"]
        assert left - 1 <= xs.min() <= xs.max() <= right + 1
        assert top - 1 <= ys.min() <= ys.max() <= bottom + 1


def test_pips_are_where_the_labels_put_them(staged):
    """Close up, the places of the top's pips are darker or lighter than the face around them."""
    from training.rendering.ray_caster import cast
    from training.scenes.dice.pips import pip_places
    from training.scenes.world import NORMALS, face_axes

    die = min(staged.dice, key=lambda d: d.top()[1])
    close = replace(staged, camera=looking_down(die), hand=None, solids=(), dice=(die,))
    light = cast(close, empty=False).light
    style, value = staged.styles[die.style], die.top()[0]
    n = np.array(NORMALS[value], float)
    u, v = face_axes(n)
    places = pip_places(style.pips, value)
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


def test_the_empty_tray_has_no_dice_and_is_the_same_elsewhere(staged, shown):
    from training.scenes.world import Part

    ground = shown.part == Part.GROUND
    change = np.abs(shown.light - shown.empty).sum(axis=2) / (shown.empty.sum(axis=2) + 1e-6)

    assert np.median(change[ground]) < 0.02
    bare = replace(staged, dice=(), hand=None, solids=tuple(s for s in staged.solids if s.fixed))
    from training.rendering.ray_caster import cast

    alone = cast(bare, empty=False).light
    off = np.abs(alone - shown.empty).sum(axis=2) / (alone.sum(axis=2) + 1e-6)
    assert np.median(off) < 0.05


def test_how_much_of_a_top_is_seen(staged):
    from training.rendering.ray_caster import tops_seen

    die = replace(staged.dice[0], at=np.array([0, 0, 8.0]), turn=np.eye(3), edge_mm=16.0)
    above = replace(die, at=np.array([8.0, 0, 24.0]))
    camera = looking_down(die)
    alone = replace(staged, dice=(die,), solids=(), hand=None, camera=camera)

    assert tops_seen(alone) == [1.0]
    half, whole = tops_seen(replace(alone, dice=(die, above)))
    assert 0.3 < half < 0.7
    assert whole == 1.0
