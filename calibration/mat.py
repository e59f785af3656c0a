"""A printable mat of markers at known positions, which measures the tray in millimetres and the lens's distortion.

The mat lies on the floor of the tray for one frame and is then taken out. The two paper sizes have different
marker numbers, so users need not enter the paper size.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.outline import tray_width_px
from calibration.profile import Mat
from calibration.rectify import Image
from vision.reading import Quad

Paper = Literal["a4", "letter"]
Floats = NDArray[np.float64]

SIZES_MM: dict[Paper, tuple[float, float]] = {"a4": (297.0, 210.0), "letter": (279.4, 215.9)}
FIRST_MARKER: dict[Paper, int] = {"a4": 0, "letter": 50}
"""Number of the first marker on each paper size."""

DICTIONARY = cv2.aruco.DICT_4X4_100
CELLS = 6
"""Cells across a marker: four that encode its number, and a black border."""

COLUMNS, ROWS = 7, 5
MARKER_MM, PITCH_MM = 24.0, 36.0
"""Side of a marker, and spacing of the grid. From a height of 40 cm, a cell of 4 mm is 16 pixels wide in the frames
of a Camera Module 3."""

RULER_MM = 100.0
MIN_MARKERS = 6
"""Smallest number of markers to use: fewer may all lie in one corner, where the lens distorts differently."""

MAX_MISFIT = 0.003
"""Largest misfit in tray widths. Flat mats in simulated pictures fit within 0.0003, one of which a half is raised by 35 degrees
within 0.005."""

TRAY_MM = (10.0, 5_000.0)
"""Smallest and largest side of a tray's floor in millimetres."""

POINTS_PER_MM = 72 / 25.4


@dataclass(frozen=True, slots=True)
class PrintedBox:
    """A black rectangle on the mat, in millimetres from the top left of the paper."""

    x: float
    y: float
    w: float
    h: float


@dataclass(frozen=True, slots=True)
class MatSheet:
    """The mat on one paper size, in landscape orientation."""

    paper: Paper

    @property
    def size_mm(self) -> tuple[float, float]:
        """Width and depth of the paper in millimetres."""
        return SIZES_MM[self.paper]

    def markers(self) -> Iterator[tuple[int, float, float]]:
        """Yield the number of each marker, and the positions of its left and top edges in millimetres."""
        wide, deep = self.size_mm
        left = (wide - (COLUMNS - 1) * PITCH_MM - MARKER_MM) / 2
        top = (deep - (ROWS - 1) * PITCH_MM - MARKER_MM) / 2 - 4
        for number in range(COLUMNS * ROWS):
            row, column = divmod(number, COLUMNS)
            yield FIRST_MARKER[self.paper] + number, left + column * PITCH_MM, top + row * PITCH_MM

    def boxes(self) -> Iterator[PrintedBox]:
        """Yield every black shape: the markers, row by row, and a ruler to check the scale of the print."""
        dictionary = cv2.aruco.getPredefinedDictionary(DICTIONARY)
        cell = MARKER_MM / CELLS
        for number, x, y in self.markers():
            bits = np.asarray(cv2.aruco.generateImageMarker(dictionary, number, CELLS)) > 0
            for row, line in enumerate(bits):
                for start, end in _runs(line):
                    yield PrintedBox(x + start * cell, y + row * cell, (end - start) * cell, cell)
        wide, deep = self.size_mm
        yield PrintedBox((wide - RULER_MM) / 2, deep - 10, RULER_MM, 0.4)
        for x in (0.0, RULER_MM - 0.4):
            yield PrintedBox((wide - RULER_MM) / 2 + x, deep - 12, 0.4, 4)

    @property
    def caption(self) -> str:
        """The line of text below the markers."""
        return f"Traykeeper mat, {self.paper}. Print at 100 %: the line above is 100 mm long."


@dataclass(frozen=True, slots=True)
class FoundMat:
    """A mat that was found in a frame.

    Attributes:
        paper: Paper size.
        markers: Number of markers that were found.
        to_mm: Projection (3, 3) from undistorted frame pixels to millimetres on the paper.
        bend: Radial distortion k1 and k2 of OpenCV's model, for a focal length of one frame width.
        misfit_px: Median distance in pixels of the markers' corners from their expected positions.
        size: Width and height of the frame in pixels.
    """

    paper: Paper
    markers: int
    to_mm: tuple[tuple[float, ...], ...]
    bend: tuple[float, float]
    misfit_px: float
    size: tuple[int, int]

    @property
    def corners(self) -> Quad:
        """Corners of the paper in frame pixels."""
        wide, deep = SIZES_MM[self.paper]
        flat = np.array([[(0, 0), (wide, 0), (wide, deep), (0, deep)]], np.float64)
        undistorted = cv2.perspectiveTransform(flat, np.linalg.inv(np.array(self.to_mm)))[0]
        a, b, c, d = ((float(x), float(y)) for x, y in self._distorted(undistorted))
        return Quad((a, b, c, d))

    def in_mm(self, tray: Quad) -> Floats:
        """Convert the corners (4, 2) of a tray from frame pixels to millimetres on the paper."""
        points = np.array([tray.corners], np.float64)
        lens = _camera_matrix(self.size)
        undistorted = cv2.undistortPoints(points, lens, self._distortion, P=lens)
        in_mm = cv2.perspectiveTransform(undistorted.reshape(1, -1, 2), np.array(self.to_mm))
        return np.asarray(in_mm[0], np.float64)

    def measure(self, tray: Quad) -> Mat | None:
        """Return the size of a tray and the distortion of the lens, or None if the mat cannot be right.

        A folded mat, or one of which only one corner is visible, can give a tray of any size.

        Args:
            tray: Corners of the tray in frame pixels.
        """
        corners = self.in_mm(tray)
        sides = np.linalg.norm(np.roll(corners, -1, axis=0) - corners, axis=1)
        wide, deep = sorted(((sides[0] + sides[2]) / 2, (sides[1] + sides[3]) / 2), reverse=True)
        is_flat = self.misfit_px < MAX_MISFIT * tray_width_px(tray)
        if not is_flat or not TRAY_MM[0] <= deep <= wide <= TRAY_MM[1]:
            return None
        return Mat(float(wide), float(deep), self.bend, 1.0)

    @property
    def _distortion(self) -> Floats:
        return np.array([*self.bend, 0, 0, 0])

    def _distorted(self, undistorted: Floats) -> Floats:
        """Apply the distortion of the lens to points (n, 2) in pixels."""
        lens = _camera_matrix(self.size)
        rays = cv2.undistortPoints(undistorted.reshape(1, -1, 2), lens, np.zeros(5)).reshape(-1, 2)
        in_space = np.column_stack([rays, np.ones(len(rays))])
        pixels, _ = cv2.projectPoints(in_space, np.zeros(3), np.zeros(3), lens, self._distortion)
        return np.asarray(pixels, np.float64).reshape(-1, 2)


def find_mat(image: Image) -> FoundMat | None:
    """Find the mat in a frame (height, width[, 3]). Return None if too few markers are visible."""
    dictionary = cv2.aruco.getPredefinedDictionary(DICTIONARY)
    settings = cv2.aruco.DetectorParameters()
    settings.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    quads, numbers, _ = cv2.aruco.ArucoDetector(dictionary, settings).detectMarkers(image)
    if numbers is None:
        return None
    seen = {int(n): quad.reshape(4, 2) for n, quad in zip(numbers.ravel(), quads, strict=True)}
    sheets = [_matching_corners(MatSheet(paper), seen) for paper in SIZES_MM]
    sheet, at_mm, at_px = max(sheets, key=lambda one: len(one[1]))
    if len(at_mm) < 4 * MIN_MARKERS:
        return None
    return _found_mat(sheet, at_mm, at_px, (image.shape[1], image.shape[0]))


def as_svg(sheet: MatSheet) -> str:
    """Draw the mat as an SVG image at its exact size."""
    wide, deep = sheet.size_mm
    path = "".join(f"M{b.x:.3f} {b.y:.3f}h{b.w:.3f}v{b.h:.3f}h{-b.w:.3f}z" for b in sheet.boxes())
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide}mm" height="{deep}mm"'
        f' viewBox="0 0 {wide} {deep}">\n<rect width="{wide}" height="{deep}" fill="#fff"/>\n'
        f'<path d="{path}" shape-rendering="crispEdges"/>\n'
        f'<text x="{wide / 2}" y="{deep - 5}" font-family="sans-serif" font-size="3.5"'
        f' text-anchor="middle">{sheet.caption}</text>\n</svg>\n'
    )


def as_pdf(sheet: MatSheet) -> bytes:
    """Draw the mat as a PDF page at its exact size, with rectangles and a line of text in Helvetica."""
    wide, deep = sheet.size_mm
    k = POINTS_PER_MM
    boxes = "\n".join(
        f"{b.x * k:.4f} {(deep - b.y - b.h) * k:.4f} {b.w * k:.4f} {b.h * k:.4f} re"
        for b in sheet.boxes()
    )
    words = f"BT /F1 10 Tf {wide / 2 * k - 165:.2f} {5 * k:.2f} Td ({sheet.caption}) Tj ET"
    page = f"{boxes}\nf\n{words}\n".encode("ascii")
    return _pdf(
        "<< /Type /Catalog /Pages 2 0 R /ViewerPreferences << /PrintScaling /None >> >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {wide * k:.4f} {deep * k:.4f}]"
        " /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
        f"<< /Length {len(page)} >>\nstream\n{page.decode('ascii')}endstream",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    )


def _pdf(*objects: str) -> bytes:
    """Assemble a PDF file from its objects, which are numbered from 1. The first is the root."""
    text, starts = "%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        starts.append(len(text))
        text += f"{number} 0 obj\n{body}\nendobj\n"
    table = "".join(f"{start:010d} 00000 n \n" for start in starts)
    count = len(objects) + 1
    text += (
        f"xref\n0 {count}\n0000000000 65535 f \n{table}"
        f"trailer\n<< /Size {count} /Root 1 0 R >>\nstartxref\n{len(text)}\n%%EOF\n"
    )
    return text.encode("ascii")


def _runs(line: NDArray[np.bool_]) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each run of black cells in a row."""
    edges = np.flatnonzero(np.diff(np.concatenate([[True], line, [True]])))
    yield from zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True)


def _matching_corners(sheet: MatSheet, seen: dict[int, Any]) -> tuple[MatSheet, Floats, Floats]:
    """Return `sheet` itself, and the corners (n, 2) of its visible markers in millimetres and in frame pixels.

    `seen` maps marker numbers to the corners (4, 2) that were found in the frame.
    """
    corners = np.array([(0, 0), (1, 0), (1, 1), (0, 1)]) * MARKER_MM
    pairs = [(corners + np.array((x, y)), seen[n]) for n, x, y in sheet.markers() if n in seen]
    if not pairs:
        return sheet, np.zeros((0, 2)), np.zeros((0, 2))
    at_mm, at_px = zip(*pairs, strict=True)
    return sheet, np.concatenate(at_mm), np.concatenate(at_px).astype(np.float64)


def _camera_matrix(size: tuple[int, int]) -> Floats:
    """Return a camera matrix with a focal length of one frame width.

    A single view from above determines the distortion but not the focal length.
    """
    wide, high = size
    return np.array([[wide, 0, wide / 2], [0, wide, high / 2], [0, 0, 1]], np.float64)


def _found_mat(sheet: MatSheet, at_mm: Floats, at_px: Floats, size: tuple[int, int]) -> FoundMat:
    lens = _camera_matrix(size)
    in_space = np.column_stack([at_mm, np.zeros(len(at_mm))]).astype(np.float32)
    fixed = (
        cv2.CALIB_USE_INTRINSIC_GUESS | cv2.CALIB_FIX_PRINCIPAL_POINT | cv2.CALIB_FIX_FOCAL_LENGTH
        | cv2.CALIB_FIX_ASPECT_RATIO | cv2.CALIB_ZERO_TANGENT_DIST | cv2.CALIB_FIX_K3
    )  # fmt: skip
    _, _, found, _, _ = cv2.calibrateCamera(
        [in_space], [at_px.astype(np.float32)], size, lens.copy(), np.zeros(5), flags=fixed
    )
    k1, k2 = (float(k) for k in np.ravel(found)[:2])
    k = np.array([k1, k2, 0, 0, 0])
    undistorted = cv2.undistortPoints(at_px.reshape(1, -1, 2), lens, k, P=lens).reshape(-1, 2)
    to_mm, _ = cv2.findHomography(undistorted, at_mm, cv2.RANSAC, 2.0)
    back = cv2.perspectiveTransform(at_mm.reshape(1, -1, 2), np.linalg.inv(to_mm))[0]
    misfit = float(np.median(np.linalg.norm(back - undistorted, axis=1)))
    rows = tuple(tuple(float(v) for v in row) for row in to_mm)
    return FoundMat(sheet.paper, len(at_mm) // 4, rows, (k1, k2), misfit, size)
