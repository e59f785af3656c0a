"""The mat is drawn, printed, seen by a known camera, and found."""

import re
import zlib

import cv2
import numpy as np
import pytest

from calibration.mat import (
    CELLS,
    MARKER_MM,
    SIZES_MM,
    MatSheet,
    PrintedBox,
    as_pdf,
    as_svg,
    find_mat,
)
from vision.reading import Quad

PX_PER_MM = 8
SIZE = (1536, 864)
LENS = np.array([[1180.0, 0, 768], [0, 1180.0, 432], [0, 0, 1]])
FAR_MM = np.array([-150.0, -105.0, 420.0])


def printed(boxes, size_mm):
    """Draw the boxes as a printer would."""
    wide, deep = size_mm
    paper = np.full((round(deep * PX_PER_MM), round(wide * PX_PER_MM)), 255, np.uint8)
    for box in boxes:
        left, top = round(box.x * PX_PER_MM), round(box.y * PX_PER_MM)
        right, low = round((box.x + box.w) * PX_PER_MM), round((box.y + box.h) * PX_PER_MM)
        paper[top:low, left:right] = 0
    return paper


def photographed(paper, turn, bend):
    """Return a frame of the paper through a lens with this distortion, and the corners of the paper in it."""
    rotation, _ = cv2.Rodrigues(np.array(turn))
    dist = np.array([*bend, 0, 0, 0])
    u, v = np.meshgrid(np.arange(SIZE[0]) * 1.0, np.arange(SIZE[1]) * 1.0)
    pixels = np.stack([u, v], -1).reshape(-1, 1, 2)
    rays = cv2.undistortPoints(pixels, LENS, dist).reshape(-1, 2)
    rays = np.column_stack([rays, np.ones(len(rays))])
    normal = rotation[:, 2]
    there = (rays * ((normal @ FAR_MM) / (rays @ normal))[:, None] - FAR_MM) @ rotation
    maps = [(there[:, k] * PX_PER_MM - 0.5).astype(np.float32).reshape(SIZE[::-1]) for k in (0, 1)]
    picture = cv2.remap(paper, *maps, cv2.INTER_LINEAR, borderValue=110)
    deep, wide = (n / PX_PER_MM for n in paper.shape)
    flat = np.array([(0, 0, 0), (wide, 0, 0), (wide, deep, 0), (0, deep, 0)], np.float64)
    corners, _ = cv2.projectPoints(flat, cv2.Rodrigues(rotation)[0], FAR_MM, LENS, dist)
    return cv2.GaussianBlur(picture, (0, 0), 0.8), corners.reshape(-1, 2)


@pytest.mark.parametrize("paper", SIZES_MM)
@pytest.mark.parametrize("turn", [(0.0, 0.0, 0.0), (0.06, -0.08, 0.1)])
@pytest.mark.parametrize("bend", [(0.0, 0.0), (-0.18, 0.05), (0.08, -0.02)])
def test_corners_millimetres_and_distortion_are_measured(paper, turn, bend):
    sheet = MatSheet(paper)
    picture, corners = photographed(printed(sheet.boxes(), sheet.size_mm), turn, bend)
    seen = find_mat(picture)
    measured = seen.measure(Quad(tuple(map(tuple, corners))))

    assert seen.paper == paper
    assert seen.markers > 20
    assert np.abs(np.array(seen.corners.corners) - corners).max() < 3
    assert measured.wide_mm == pytest.approx(sheet.size_mm[0], rel=0.005)
    assert measured.deep_mm == pytest.approx(sheet.size_mm[1], rel=0.005)
    # The mat assumes a focal length of one frame width; that of this camera is 0.77.
    assert seen.bend[0] == pytest.approx(bend[0] * (1536 / 1180) ** 2, abs=0.06)


def test_a_size_that_no_tray_has_is_not_measured():
    """The file with the calibration could not be loaded at the next start."""
    sheet = MatSheet("a4")
    picture, corners = photographed(
        printed(sheet.boxes(), sheet.size_mm), (0.0, 0.0, 0.0), (0.0, 0.0)
    )
    seen, centre = find_mat(picture), corners.mean(axis=0)
    far, near = (Quad.of(centre + (corners - centre) * factor) for factor in (40, 0.02))

    assert seen.measure(far) is None
    assert seen.measure(near) is None


def test_a_mat_of_which_one_half_is_raised_is_not_measured():
    sheet = MatSheet("a4")
    picture, corners = photographed(
        printed(sheet.boxes(), sheet.size_mm), (0.0, 0.0, 0.0), (0.0, 0.0)
    )
    a, b, c, d = np.float32(corners)
    fold = ((a + b) / 2, (c + d) / 2)
    higher = 0.12 * (b - c)  # what is nearer to the camera looks larger
    flat = np.float32([fold[0], b, c, fold[1]])
    raised = np.float32([fold[0], b + higher, c - higher, fold[1]])
    half = cv2.warpPerspective(picture, cv2.getPerspectiveTransform(flat, raised), SIZE)
    split = round(float(fold[0][0]))
    folded = np.hstack([picture[:, :split], half[:, split:]])

    assert find_mat(folded).markers > 20
    assert find_mat(folded).measure(Quad.of(corners)) is None


def test_a_part_of_the_mat_is_enough():
    sheet = MatSheet("a4")
    paper = printed(sheet.boxes(), sheet.size_mm)
    paper[:, : paper.shape[1] // 2] = 255
    picture, corners = photographed(paper, (0.0, 0.0, 0.05), (0.0, 0.0))

    assert np.abs(np.array(find_mat(picture).corners.corners) - corners).max() < 8


def test_a_frame_without_a_mat_has_none(picture):
    assert find_mat(picture) is None


def test_one_row_of_markers_is_too_few():
    sheet = MatSheet("a4")
    paper = printed(sheet.boxes(), sheet.size_mm)
    paper[30 * PX_PER_MM :] = 255

    assert find_mat(photographed(paper, (0.0, 0.0, 0.0), (0.0, 0.0))[0]) is None


@pytest.mark.parametrize("paper", SIZES_MM)
def test_the_markers_lie_within_the_printable_area(paper):
    wide, deep = SIZES_MM[paper]
    for box in MatSheet(paper).boxes():
        assert box.x >= 10
        assert box.y >= 7
        assert box.x + box.w <= wide - 10
        assert box.y + box.h <= deep - 7


def test_the_svg_has_the_size_of_the_sheet_in_millimetres():
    sheet = MatSheet("letter")
    svg = as_svg(sheet)
    drawn = [
        PrintedBox(*map(float, found))
        for found in re.findall(r"M([\d.]+) ([\d.]+)h([\d.]+)v([\d.]+)h-[\d.]+z", svg)
    ]

    assert 'width="279.4mm" height="215.9mm" viewBox="0 0 279.4 215.9"' in svg
    assert (printed(drawn, sheet.size_mm) == printed(sheet.boxes(), sheet.size_mm)).mean() > 0.999


def test_the_pdf_has_the_size_of_the_sheet_in_points():
    sheet = MatSheet("a4")
    text = as_pdf(sheet).decode("ascii")
    wide, deep = (float(v) * 25.4 / 72 for v in re.search(r"0 0 (\S+) (\S+)\]", text).groups())
    drawn = [
        PrintedBox(x, deep - y - h, w, h)
        for x, y, w, h in (
            (float(v) * 25.4 / 72 for v in line.split()[:4])
            for line in text.splitlines()
            if line.endswith(" re")
        )
    ]

    assert (wide, deep) == pytest.approx((297, 210), abs=0.001)
    assert (printed(drawn, sheet.size_mm) == printed(sheet.boxes(), sheet.size_mm)).mean() > 0.999


def test_the_pdf_lists_the_offsets_of_its_objects():
    data = as_pdf(MatSheet("a4"))
    table = int(data.split(b"startxref\n")[1].split()[0])

    assert data[table:].startswith(b"xref\n")
    for number, start in enumerate(re.findall(rb"(\d{10}) 00000 n", data), 1):
        assert data[int(start) :].startswith(b"%d 0 obj" % number)
    length, stream = re.search(
        rb"/Length (\d+) >>\nstream\n(.*?)endstream", data, re.DOTALL
    ).groups()
    assert int(length) == len(stream)
    assert zlib.crc32(data) == zlib.crc32(as_pdf(MatSheet("a4")))


def test_a_marker_has_its_nominal_size():
    boxes = [box for box in MatSheet("a4").boxes() if box.h == MARKER_MM / CELLS]

    assert max(box.w for box in boxes) == MARKER_MM
