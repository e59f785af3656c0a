"""Scenes with dice that are hard to read: stacks, flakes, hard light, glare, side views and moved lamps."""

import numpy as np
import pytest

from training.scenes.kept_out import Chooser, Purpose


def a_world(rests, seed, **request):
    from training.scenes.staging import SceneRequest, stage_world

    return stage_world(
        seed, Purpose.TEACH, rests, SceneRequest("table", tile_px=64, size=(160, 120), **request)
    )


def test_a_stacked_die_lies_flat_on_another_die(rests):
    stacks = 0
    for seed in range(12):
        dice = a_world(rests, seed, stack_chance=1.0).dice
        for die in (one for one in dice if one.stacked and one.top()[1] < 1):
            below = [d for d in dice if d is not die and np.hypot(*(d.at - die.at)[:2]) < d.edge_mm]
            if any(
                np.isclose(die.at[2] - d.at[2], (die.edge_mm + d.edge_mm) / 2, atol=0.5)
                for d in below
            ):
                stacks += 1

    assert stacks >= 6


def test_a_hard_lamp_is_small_and_the_room_gives_hardly_any_light(rests):
    from training.scenes.lighting import light_from_room

    for seed in range(6):
        light = a_world(rests, seed, single_lamp_chance=1.0).light

        assert light.kind.startswith("hard ")
        assert light.kind != "hard tube"
        assert all(lamp.radius_mm < 0.13 * np.linalg.norm(lamp.at) for lamp in light.lamps)
        assert light_from_room(light.room).max() < 0.6


def test_a_moved_lamp_shines_from_another_place(rests):
    from training.scenes.hard_light import move_lamps

    light = a_world(rests, 3, single_lamp_chance=1.0).light
    moved = move_lamps(np.random.default_rng(1), light)

    assert not np.allclose(moved.lamps[0].at, light.lamps[0].at, atol=1)


def test_a_low_view_is_tilted_by_at_least_30_degrees_from_vertical(rests):
    for seed in range(4):
        up = a_world(rests, seed, low_view_chance=1.0).camera.turn[:, 2]

        assert -up[2] < np.cos(np.radians(30))


def test_flakes_are_as_large_as_pips(rests):
    from training.scenes.grounds.covers import make_plain_cover
    from training.scenes.grounds.flakes import strew_flakes

    plain = make_plain_cover((0.4, 0.3, 0.2), 0.5)
    strewn = strew_flakes(Chooser(np.random.default_rng(4), Purpose.TEACH), plain, edge_mm=16.0)
    changed = np.abs(strewn.colours - plain.colours[0, 0]).max(axis=2) > 0.02

    assert 0.001 < changed.mean() < 0.7


def test_the_ground_can_be_recoloured_to_match_the_dice():
    from training.scenes.grounds.covers import make_plain_cover
    from training.scenes.grounds.flakes import match_dice_colour

    red = (0.5, 0.02, 0.02)
    ground = match_dice_colour(
        np.random.default_rng(2), make_plain_cover((0.2, 0.6, 0.2), 0.5), red
    )
    red_share = ground.colours.mean(axis=(0, 1))

    assert red_share[0] > 4 * red_share[1]


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_glare_is_added_to_both_images_and_is_weaker_on_dice(seed):
    from training.rendering.glare import add_glare
    from training.scenes.world import Part

    light = np.full((60, 80, 3), 0.2, np.float32)
    part = np.full((60, 80), Part.GROUND, np.uint8)
    part[20:40, 30:50] = Part.DIE
    lit, before = add_glare(np.random.default_rng(seed), light, light.copy(), part)

    assert (lit >= light - 1e-6).all()
    assert before.max() > 0.4
    assert (lit - light)[28:32, 38:42].max() <= (before - light)[28:32, 38:42].max() + 1e-6


def test_each_photograph_is_used_for_either_training_or_testing_and_keeps_its_values(tmp_path):
    import json

    import cv2

    from training.learning.samples.photographs import Photographs, PhotoSplit

    picture = np.random.default_rng(0).integers(0, 255, (48, 64, 3), np.uint8)
    pictures = []
    for k in range(20):
        name = f"{k}.png"
        cv2.imwrite(str(tmp_path / name), picture)
        pictures.append({"file": name, "single": False, "places": [[30, 20, 12, 0.1, 4]]})
    places = tmp_path / "places.json"
    places.write_text(json.dumps({"folder": str(tmp_path), "pictures": pictures}))
    taught, kept = (Photographs.load(places, share) for share in PhotoSplit)
    view = taught.view(0, whole=True)

    assert {row["file"] for row in taught.rows}.isdisjoint(row["file"] for row in kept.rows)
    assert len(taught.rows) + len(kept.rows) == 20
    assert view.dice.value.tolist() == [4]
    assert not view.is_cast
    assert np.allclose(view.dice.quads[0].mean(axis=0), (30, 20), atol=1e-3)
