"""A mat to print: markers at known places, so that a picture of it tells millimetres and the lens.

Laid on the floor of the tray for one picture, and taken out again. The two papers have markers of
different numbers, so that nobody has to say which one was printed.
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
FIRST: dict[Paper, int] = {"a4": 0, "letter": 50}
"""Number of each paper's first marker."""

DICTIONARY = cv2.aruco.DICT_4X4_100
CELLS = 6
"""Of a marker, across: four that differ and a black border."""

COLUMNS, ROWS = 7, 5
MARKER_MM, PITCH_MM = 24.0, 36.0
"""From 40 cm up a cell of 4 mm is 16 pixels of a Camera Module 3."""

RULER_MM = 100.0
LEAST_MARKERS = 6
"""Fewer lie in one corner, where the lens bends differently."""

GOOD_FIT = 0.006
"""Of the tray's width: a mat that fits worse lies in folds, or is not this one."""

POINTS_PER_MM = 72 / 25.4


@dataclass(frozen=True, slots=True)
class PrintedBox:
    """A black rectangle in millimetres from the paper's top left."""

    x: float
    y: float
    w: float
    h: float


@dataclass(frozen=True, slots=True)
class MatSheet:
    """The mat on one paper, lying."""

    paper: Paper

    @property
    def size_mm(self) -> tuple[float, float]:
        return SIZES_MM[self.paper]

    def markers(self) -> Iterator[tuple[int, float, float]]:
        """Number and top left corner of each."""
        wide, deep = self.size_mm
        left = (wide - (COLUMNS - 1) * PITCH_MM - MARKER_MM) / 2
        top = (deep - (ROWS - 1) * PITCH_MM - MARKER_MM) / 2 - 4
        for number in range(COLUMNS * ROWS):
            row, column = divmod(number, COLUMNS)
            yield FIRST[self.paper] + number, left + column * PITCH_MM, top + row * PITCH_MM

    def boxes(self) -> Iterator[PrintedBox]:
        """All that is black: the markers, row by row, and a line to check the printer's scale."""
        kinds = cv2.aruco.getPredefinedDictionary(DICTIONARY)
        cell = MARKER_MM / CELLS
        for number, x, y in self.markers():
            bits = np.asarray(cv2.aruco.generateImageMarker(kinds, number, CELLS)) > 0
            for row, line in enumerate(bits):
                for start, end in _runs(line):
                    yield PrintedBox(x + start * cell, y + row * cell, (end - start) * cell, cell)
        wide, deep = self.size_mm
        yield PrintedBox((wide - RULER_MM) / 2, deep - 10, RULER_MM, 0.4)
        for x in (0.0, RULER_MM - 0.4):
            yield PrintedBox((wide - RULER_MM) / 2 + x, deep - 12, 0.4, 4)

    @property
    def caption(self) -> str:
        return f"Traykeeper mat, {self.paper}. Print at 100 %: the line above is 100 mm long."


@dataclass(frozen=True, slots=True)
class FoundMat:
    """The mat as it was found.

    Attributes:
        paper: which one.
        markers: how many were seen.
        to_mm: 3x3, from picture pixels with the lens's bend taken out to millimetres on the paper.
        bend: k1 and k2 of OpenCV's model, for a focal length of one picture width.
        misfit_px: how far the markers lie from where they should, typically.
    """

    paper: Paper
    markers: int
    to_mm: tuple[tuple[float, ...], ...]
    bend: tuple[float, float]
    misfit_px: float
    size: tuple[int, int]

    @property
    def corners(self) -> Quad:
        """The corners of the paper in the picture."""
        wide, deep = SIZES_MM[self.paper]
        flat = np.array([[(0, 0), (wide, 0), (wide, deep), (0, deep)]], np.float64)
        straight = cv2.perspectiveTransform(flat, np.linalg.inv(np.array(self.to_mm)))[0]
        a, b, c, d = ((float(x), float(y)) for x, y in self._bent(straight))
        return Quad((a, b, c, d))

    def in_mm(self, tray: Quad) -> Floats:
        """The corners (4, 2) of a tray in the picture, on the paper."""
        points = np.array([tray.corners], np.float64)
        straight = cv2.undistortPoints(points, _lens(self.size), self._k, P=_lens(self.size))
        return np.asarray(
            cv2.perspectiveTransform(straight.reshape(1, -1, 2), np.array(self.to_mm))[0],
            np.float64,
        )

    def measured(self, tray: Quad) -> Mat:
        """The size of this tray, and the lens."""
        sides = np.linalg.norm(np.roll(self.in_mm(tray), -1, axis=0) - self.in_mm(tray), axis=1)
        wide, deep = sorted(((sides[0] + sides[2]) / 2, (sides[1] + sides[3]) / 2), reverse=True)
        return Mat(float(wide), float(deep), self.bend, 1.0)

    def fits(self, tray: Quad) -> bool:
        return self.misfit_px < GOOD_FIT * tray_width_px(tray)

    @property
    def _k(self) -> Floats:
        return np.array([*self.bend, 0, 0, 0])

    def _bent(self, straight: Floats) -> Floats:
        """As the lens shows it."""
        lens = _lens(self.size)
        rays = cv2.undistortPoints(straight.reshape(1, -1, 2), lens, np.zeros(5)).reshape(-1, 2)
        in_space = np.column_stack([rays, np.ones(len(rays))])
        shown, _ = cv2.projectPoints(in_space, np.zeros(3), np.zeros(3), lens, self._k)
        return np.asarray(shown, np.float64).reshape(-1, 2)


def find_mat(image: Image) -> FoundMat | None:
    """The mat in a picture (h, w[, 3]); None where too little of it is seen."""
    kinds = cv2.aruco.getPredefinedDictionary(DICTIONARY)
    settings = cv2.aruco.DetectorParameters()
    settings.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    seen, numbers, _ = cv2.aruco.ArucoDetector(kinds, settings).detectMarkers(image)
    if numbers is None:
        return None
    known = {int(n): quad.reshape(4, 2) for n, quad in zip(numbers.ravel(), seen, strict=True)}
    sheets = [_on(MatSheet(paper), known) for paper in SIZES_MM]
    sheet, at_mm, at_px = max(sheets, key=lambda one: len(one[1]))
    if len(at_mm) < 4 * LEAST_MARKERS:
        return None
    return _sighting(sheet, at_mm, at_px, (image.shape[1], image.shape[0]))


def as_svg(sheet: MatSheet) -> str:
    """An SVG in millimetres."""
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
    """A PDF of exactly that size: one page of rectangles and a line of Helvetica."""
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
    """A file of these objects, numbered from 1, the first its root."""
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
    """Where a row of cells is black, from and up to."""
    edges = np.flatnonzero(np.diff(np.concatenate([[True], line, [True]])))
    yield from zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True)


def _on(sheet: MatSheet, known: dict[int, Any]) -> tuple[MatSheet, Floats, Floats]:
    """Corners (n, 2) of the markers seen: on this paper, and in the picture."""
    corners = np.array([(0, 0), (1, 0), (1, 1), (0, 1)]) * MARKER_MM
    pairs = [(corners + np.array((x, y)), known[n]) for n, x, y in sheet.markers() if n in known]
    if not pairs:
        return sheet, np.zeros((0, 2)), np.zeros((0, 2))
    at_mm, at_px = zip(*pairs, strict=True)
    return sheet, np.concatenate(at_mm), np.concatenate(at_px).astype(np.float64)


def _lens(size: tuple[int, int]) -> Floats:
    """A camera of one picture width's focal length: one view from above tells the bend, not it."""
    wide, high = size
    return np.array([[wide, 0, wide / 2], [0, wide, high / 2], [0, 0, 1]], np.float64)


def _sighting(sheet: MatSheet, at_mm: Floats, at_px: Floats, size: tuple[int, int]) -> FoundMat:
    lens = _lens(size)
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
    straight = cv2.undistortPoints(at_px.reshape(1, -1, 2), lens, k, P=lens).reshape(-1, 2)
    to_mm, _ = cv2.findHomography(straight, at_mm, cv2.RANSAC, 2.0)
    back = cv2.perspectiveTransform(at_mm.reshape(1, -1, 2), np.linalg.inv(to_mm))[0]
    misfit = float(np.median(np.linalg.norm(back - straight, axis=1)))
    rows = tuple(tuple(float(v) for v in row) for row in to_mm)
    return FoundMat(sheet.paper, len(at_mm) // 4, rows, (k1, k2), misfit, size)
