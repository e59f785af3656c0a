"""Patches around single dice, and the expected outline of a flat die."""

import cv2
import numpy as np
import pytest

from vision.crops import (
    LEAN,
    PLANES,
    SIDE_LEVEL,
    TOP_LEVEL,
    VIEWS,
    cut_patch,
    network_input,
    patch_to_view,
    picture_to_die,
    silhouette,
    turn_inputs,
    turn_patches,
)
from vision.pose import CameraPose

GREY = np.full((200, 260, 3), 128, np.uint8)
TILTED = CameraPose(400.0, (130.0, 100.0), (0.3, 0.0, -0.95))
SIZES = PATCH_PX, DIE_PX = 64, 28
CUT = cut_patch(GREY, (130, 100), 40, 0.2, SIZES)


def square(at, edge, turn_deg, size=(200, 260)):
    image = np.zeros((*size, 3), np.uint8)
    corners = cv2.boxPoints((at, (edge, edge), turn_deg))
    cv2.fillConvexPoly(image, np.round(corners * 16).astype(np.int32), (255,) * 3, cv2.LINE_AA, 4)
    return image


@pytest.mark.parametrize("edge", [20, 40, 110])
@pytest.mark.parametrize("turn_deg", [0, 30, 77])
def test_a_die_is_upright_centred_and_of_one_size_in_its_patch(edge, turn_deg):
    image = square((130, 100), edge, turn_deg)

    cut = cut_patch(image, (130, 100), edge, np.radians(turn_deg), (48, 24))

    assert cut.shape == (3, 48, 48)
    assert cut[:, 14:34, 14:34].min() > 0.9
    assert cut[:, :, :10].max() < 0.1
    assert cut[:, :10].max() < 0.1


@pytest.mark.parametrize("at", [(0, 0), (-50, 100), (259, 199), (500, 500)])
def test_border_pixels_are_repeated_beyond_the_border(at):
    image = np.full((200, 260, 3), 255, np.uint8)

    assert cut_patch(image, at, 30, 0.4, (48, 24)).min() == 1


@pytest.mark.parametrize("shape", [(900, 1, 3), (1, 900, 3), (1, 1, 3)])
def test_a_patch_can_be_cut_from_a_single_line_of_pixels(shape):
    image = np.full(shape, 200, np.uint8)

    assert cut_patch(image, (shape[1] / 2, shape[0] / 2), 200.0, 0.0, (48, 24)).shape == (3, 48, 48)


def test_picture_to_die_turns_the_edge_of_a_die_along_x():
    turn = np.radians(30)

    assert picture_to_die(turn) @ [np.cos(turn), np.sin(turn)] == pytest.approx([1, 0], abs=1e-6)


def test_a_view_transforms_patches_and_directions_in_the_same_way():
    start = np.zeros((1, 1, 47, 47), np.float32)
    start[0, 0, 23 + 10, 23 + 14] = 1

    for view in VIEWS:
        (row, column) = np.argwhere(turn_patches(start, view)[0, 0])[0]
        assert patch_to_view(view) @ [14, 10] == pytest.approx([column - 23, row - 23], abs=1e-4)


def test_a_view_transforms_the_lean_like_the_patch():
    start = np.zeros((1, PLANES, PATCH_PX, PATCH_PX), np.float32)
    start[0, LEAN] = np.array([0.3, -0.2])[:, None, None]

    for view in VIEWS:
        assert turn_inputs(start, view)[0, LEAN, 5, 9] == pytest.approx(
            patch_to_view(view) @ [0.3, -0.2]
        )


def test_all_views_differ():
    patches = np.arange(9, dtype=np.float32).reshape(1, 1, 3, 3)

    assert len({turn_patches(patches, view).tobytes() for view in VIEWS}) == len(VIEWS)


def test_without_a_pose_the_lean_channels_are_zero():
    given = network_input(CUT, (130, 100), 0.2, None, SIZES)

    assert given.shape == (PLANES, PATCH_PX, PATCH_PX)
    assert given[:3] == pytest.approx(128 / 255, abs=0.01)
    assert not given[3:].any()


def test_the_lean_is_given_in_the_axes_of_the_die():
    given = network_input(CUT, (130, 100), np.pi / 2, TILTED, SIZES)

    assert given[3:6, 0, 0] == pytest.approx([0, -0.3, 1], abs=1e-6)
    assert given[6].max() == TOP_LEVEL


def test_from_directly_above_only_the_top_face_is_outlined():
    seen = silhouette(np.array([0.0, 0.0]), SIZES)

    assert (seen == TOP_LEVEL).sum() == pytest.approx(DIE_PX**2, rel=0.1)


def test_from_an_angle_the_side_towards_the_foot_is_outlined():
    seen = silhouette(np.array([0.5, 0.0]), SIZES)
    middle = seen[PATCH_PX // 2]
    at = PATCH_PX // 2

    assert (seen > 0.25).sum() == pytest.approx(DIE_PX**2 * 1.5, rel=0.1)
    assert middle[at - int(0.8 * DIE_PX)] == SIDE_LEVEL
    assert middle[at + int(0.4 * DIE_PX)] == TOP_LEVEL
    assert middle[at + int(0.8 * DIE_PX)] == 0
