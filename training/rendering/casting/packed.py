"""How a world is laid out in two rows of numbers, `f` of floats and `w` of whole ones.

Compiled code is handed these two alone: to hand over dozens of arrays takes longer than the rays do.
The first numbers of each row are the head; the head of `w` says where everything else begins.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Whole = NDArray[np.int32]

DIE, HAND = 5, 6
"""Forms of solids beyond `world.Form`."""
FLOOR, TABLE, NOTHING = -1, -2, -3
"""What a ray met where it met no solid."""
SETS = 16
"""Neighbouring pixels, four by four, send their rays in ways of their own."""

# Head of f.
(WALL_MM, DROP_MM, FRAME, LEVEL, EYE, EYE_TURN, FOCAL, FIXED_BOX, ROUGHLY, MASK_FRAME,
 F_HEAD) = (0, 1, 2, 6, 9, 12, 21, 22, 28, 40, 44)  # fmt: skip
"""FRAME: x and y of the first cell, its edge, the highest top. LEVEL: light of an open place.
FIXED_BOX: middle and half sizes of a box around the tray. ROUGHLY: the room as a mean and a slope.
MASK_FRAME: x and y of the first cell of the ground, its edge."""

# Head of w: where things begin, in f (F_) or w (W_), and how many there are (N_).
(N_SOLIDS, F_SOLIDS, W_SOLIDS, F_PLANES, F_CHAINS, N_CHAINS, F_INNER, N_INNER, W_FIXED, N_FIXED,
 W_CELLS, W_THERE, F_TOPS, ACROSS_X, ACROSS_Y, W_TILES, W_SEEN, TILE, WIDTH, HEIGHT, IS_TRAY,
 FLOOR_COVER, TABLE_COVER, HAS_HAND, W_COVERS, F_COVERS, F_TEXELS, W_SHEETS, F_SHEETS, F_SKINS,
 F_ROOM, N_LEVELS, N_ROWS, N_COLUMNS, F_WAYS, N_WAYS, F_GLOWS, F_BOUNCE, N_BOUNCE, F_LAMPS,
 N_LAMPS, F_POINTS, N_POINTS, F_SHADES, N_SHADES, W_MASKS, MASK_X, MASK_Y, W_HEAD) = range(49)  # fmt: skip

# One solid.
AT, TURN, HALF, EDGE, BALL, RADIUS, F_SOLID = 0, 3, 12, 15, 16, 17, 18
"""In f: place, turn, half sizes, radius of edges, of the ball that cuts a die, of one around it."""
FORM, COVER, PART, FIRST, COUNT, OWN, W_SOLID = 0, 1, 2, 3, 4, 5, 6
"""In w: `cover` is the style of a die; FIRST and COUNT of its planes; OWN the die's number."""

# One cover.
PLACE, STUFF, MEAN, F_COVER = 0, 5, 9, 12
"""In f: tile mm, cosine, sine, shift x, y; rough, metal, relief mm, clear; mean colour."""
SIDE, LEVELS, BEGINS, W_COVER = 0, 1, 2, 9
"""In w: pixels of the largest tile, how many sizes there are, where each begins among texels."""

# One sheet.
SKIN_MEAN, SKIN_CLEAR, F_SHEET = 0, 3, 4
SKIN_BEGINS, SKIN_PX, W_SHEET = 0, 1, 2

LAMP = 8  # at, radius, radiance times area (3), 1 where its shadows are sharp
SHADE = 11  # at, axes x and y, half sizes


class Rows(NamedTuple):
    """A world in numbers."""

    f: Floats
    w: Whole
