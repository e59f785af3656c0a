"""Random scenes: the same seed gives the same scene, and nothing is inside a die."""

import numpy as np
import pytest

from training.scenes.kept_out import Purpose


@pytest.fixture
def staged(rests):
    """Return a function that makes the scene of a seed."""
    from training.scenes.staging import SceneRequest, stage_world

    return lambda seed, kind="table", hand=0.0: stage_world(
        seed,
        Purpose.TEACH,
        rests,
        SceneRequest(kind, tile_px=32, hand_chance=hand, size=(160, 120)),
    )


def test_the_same_seed_gives_the_same_scene(staged):
    one, again, other = staged(5), staged(5), staged(6)

    assert [d.at.tolist() for d in one.dice] == [d.at.tolist() for d in again.dice]
    assert one.styles == again.styles
    assert np.array_equal(one.covers[one.ground].colours, again.covers[again.ground].colours)
    assert one.styles != other.styles


@pytest.mark.parametrize("kind", ["table", "field", "clutter"])
def test_dice_stand_on_the_floor_or_on_something(staged, kind):
    for seed in range(4):
        for die in staged(seed, kind).dice:
            if die.in_tray:
                assert die.corners()[:, 2].min() > -0.25 * die.edge_mm


def test_a_field_scene_has_dozens_of_dice_of_many_styles_and_some_are_cocked(staged):
    world = staged(1, "field")

    assert len(world.dice) > 25
    assert len(world.styles) > 8
    assert any(die.top()[1] > 5 for die in world.dice)
    assert any(die.touching for die in world.dice)


def test_hard_light_is_one_or_two_small_lamps_in_a_dark_room(rests):
    from training.scenes.lighting import light_from_room
    from training.scenes.staging import SceneRequest, stage_world

    for seed in range(4):
        light = stage_world(
            seed, Purpose.TEACH, rests, SceneRequest("table", tile_px=32, hard_chance=1.0)
        ).light

        assert light.kind == "hard"
        assert 1 <= len(light.lamps) <= 2
        assert all(lamp.radius_mm < 0.11 * np.linalg.norm(lamp.at) for lamp in light.lamps)
        assert light_from_room(light.room).max() < 0.3


def test_no_object_is_inside_a_die(staged):
    from training.scenes.objects.clutter import distance_to_box

    for seed in range(4):
        world = staged(seed, "clutter")
        places = np.array([die.at for die in world.dice]).reshape(-1, 3)
        obstacles = 0
        for solid in world.solids:
            if solid.part == 3 and len(places) and solid.half.max() > 4:
                obstacles += int((distance_to_box(solid, places) < 0.2).any())

        assert obstacles <= 1  # an obstacle under a cocked die may reach into its box


def test_no_finger_is_inside_a_die(staged):
    from training.scenes.staging import remove_dice_in_hand

    for seed in range(6):
        world = staged(seed, hand=1.0)

        assert world.hand is not None
        assert remove_dice_in_hand(world.hand, world.dice) == world.dice


@pytest.mark.parametrize("kind", ["rectangle", "hexagon", "octagon", "round", "cut", "rounded"])
def test_walls_surround_the_floor(kind):
    from training.scenes.grounds.tray_shapes import are_inside, draw_tray_floor, make_wall_boxes

    tray = draw_tray_floor(kind, np.random.default_rng(4), 200.0, 150.0)
    walls = make_wall_boxes(tray)

    assert len(walls) == len(tray.outline)
    assert are_inside(tray, np.zeros((1, 2))).all()
    assert not are_inside(tray, np.array([w.at[:2] for w in walls]), 0.1).any()


def test_a_saved_library_loads_unchanged(rests, tmp_path):
    from training.scenes.throws.rest_library import load_rests, save_rests

    save_rests(list(rests.rests), tmp_path / "rests.npz")
    again = load_rests(tmp_path / "rests.npz")

    assert len(again.rests) == len(rests.rests)
    assert np.array_equal(again.tables, rests.tables)
    for one, other in zip(rests.rests, again.rests, strict=True):
        assert np.allclose(one.at, other.at, atol=1e-3)
        assert np.allclose(one.tilts_deg(), other.tilts_deg(), atol=0.1)
