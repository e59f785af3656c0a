"""Camera shots of a rendered view: the labels stay correct in every shot."""

import numpy as np
import pytest


@pytest.fixture(scope="module")
def view(rests):
    """Return a view with an empty-tray image and several visible dice."""
    from training.learning.samples.tray_views import cast_view
    from training.scenes.kept_out import Purpose
    from training.scenes.staging import SceneRequest

    def of(seed):
        return cast_view(
            seed, Purpose.TEACH, rests, SceneRequest("table", hand_chance=0.0), empty=True
        )

    return next(
        v
        for v in map(of, range(20))
        if v.empty is not None and len(v.dice.value) > 1 and v.dice.seen.max() > 0.95
    )


def test_labels_still_lie_on_their_dice_after_a_transformation(view):
    from training.learning.samples.camera_shots import affine_map, take_shot

    rng = np.random.default_rng(2)
    best = int(view.dice.seen.argmax())
    centre = view.dice.quads[best].mean(axis=0)
    for _ in range(5):
        into = affine_map(rng, 0.8, centre, (96, 80), rng.uniform(0, 6))
        taken = take_shot(view, into, (96, 80), rng)
        x, y = taken.dice.quads[best].mean(axis=0).round().astype(int)

        assert taken.picture.shape == (80, 96, 3)
        assert taken.die[y, x] == best


def test_both_images_of_a_shot_are_taken_by_the_same_camera(view):
    from training.learning.samples.camera_shots import affine_map, take_shot

    rng = np.random.default_rng(3)
    into = affine_map(rng, 0.5, np.array([200.0, 150.0]), (160, 120), 0.0)
    pairs = [take_shot(view, into, (160, 120), rng) for _ in range(12)]
    known = [p for p in pairs if p.empty is not None]
    off = [
        np.abs(p.picture.astype(float).mean(axis=(0, 1)) - p.empty.astype(float).mean(axis=(0, 1)))
        for p in known
    ]

    assert len(known) >= 5
    assert np.median(off) < 25


def test_lean_points_from_foot_to_top(view):
    flat = (view.dice.tilt_deg < 1) & ~view.dice.stacked
    tops = view.dice.quads.mean(axis=1)
    edges = np.linalg.norm(view.dice.quads[:, 0] - view.dice.quads[:, 1], axis=1)
    for k in np.flatnonzero(flat):
        lean = view.lean(tops[k])
        off = (tops[k] - view.dice.foot[k]) / edges[k]

        assert np.allclose(lean, off, atol=0.12)


@pytest.mark.parametrize("seed", range(4))
def test_a_view_of_an_evening_shows_the_whole_tray_from_above(seed):
    from training.learning.samples.tray_views import cast_evening
    from training.scenes.kept_out import Purpose

    view = cast_evening(seed, Purpose.TEACH, empty=True)

    size = view.part.shape[::-1]
    assert (view.tray > -0.05 * np.array(size)).all()
    assert (view.tray < 1.05 * np.array(size)).all()
    assert np.degrees(np.arccos(-view.up[2])) < 20
    assert view.empty.shape == view.light.shape
    again = cast_evening(seed, Purpose.TEACH, empty=True)
    assert np.array_equal(view.light, again.light)
