"""The layout of a packed scene: two arrays of numbers, `f` of floats and `w` of integers.

Compiled code gets only these two arrays, because passing dozens of arrays takes longer than casting
the rays. The first numbers of each array are its header. The header of `w` says where each table
begins.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]

DIE, HAND = 5, 6
"""Shapes of solids in addition to those of `world.Form`."""
FLOOR, TABLE, NOTHING = -1, -2, -3
"""Codes for what a ray hits if it hits no solid."""
SETS = 16
"""Number of sets of ray directions. Each block of four by four pixels uses all of them."""

# Offsets in the header of f.
(WALL_MM, DROP_MM, FRAME, LEVEL, EYE, EYE_TURN, FOCAL, FIXED_BOX, ROUGHLY, MASK_FRAME,
 F_HEAD) = (0, 1, 2, 6, 9, 12, 21, 22, 28, 40, 44)  # fmt: skip
"""Header of `f`. FRAME: x and y of the first grid cell, its edge, and the height of the highest solid. LEVEL: light on a
place without shadows. FIXED_BOX: centre and half sizes of a box around the tray. ROUGHLY: the light of the room as a
mean and a slope. MASK_FRAME: x and y of the first cell of the ground, and its edge."""

# Offsets in the header of w: where tables begin in f (F_) or w (W_), and their lengths (N_).
(N_SOLIDS, F_SOLIDS, W_SOLIDS, F_PLANES, F_CHAINS, N_CHAINS, F_INNER, N_INNER, W_FIXED, N_FIXED,
 W_CELLS, W_THERE, F_TOPS, ACROSS_X, ACROSS_Y, W_TILES, W_SEEN, TILE, WIDTH, HEIGHT, IS_TRAY,
 FLOOR_COVER, TABLE_COVER, HAS_HAND, W_COVERS, F_COVERS, F_TEXELS, W_SHEETS, F_SHEETS, F_SKINS,
 F_ROOM, N_LEVELS, N_ROWS, N_COLUMNS, F_WAYS, N_WAYS, F_GLOWS, F_BOUNCE, N_BOUNCE, F_LAMPS,
 N_LAMPS, F_POINTS, N_POINTS, F_SHADES, N_SHADES, W_MASKS, MASK_X, MASK_Y, W_HEAD) = range(49)  # fmt: skip

# Offsets in the row of one solid.
AT, TURN, HALF, EDGE, BALL, RADIUS, F_SOLID = 0, 3, 12, 15, 16, 17, 18
"""In `f`: position, rotation, half sizes, radius of the edges, radius of the ball that cuts a die,
radius of the enclosing ball."""
FORM, COVER, PART, FIRST, COUNT, OWN, W_SOLID = 0, 1, 2, 3, 4, 5, 6
"""In `w`: COVER is the number of the surface material, or of the style of a die. FIRST and COUNT give the planes of a
hull, OWN the number of the die."""

# Offsets in the row of one surface material.
PLACE, STUFF, MEAN, F_COVER = 0, 5, 9, 12
"""In `f`: width of the texture tile in mm, cosine and sine of its rotation, shift x, y; roughness, metal, relief in mm,
transparency; mean colour."""
SIDE, LEVELS, BEGINS, W_COVER = 0, 1, 2, 9
"""In `w`: width of the largest tile in pixels, number of sizes, and where each size begins among
the texels."""

# Offsets in the row of the faces of one style of dice.
SKIN_MEAN, SKIN_CLEAR, F_SHEET = 0, 3, 4
SKIN_BEGINS, SKIN_PX, W_SHEET = 0, 1, 2

LAMP = 8  # position (3), radius, radiance times area (3), 1 for sharp shadows
SHADE = 11  # position (3), axes x and y (3 each), half sizes (2)


class PackedScene(NamedTuple):
    """A scene packed into two arrays of numbers, whose layout this module describes."""

    f: Floats
    w: Ints
