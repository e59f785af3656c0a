"""Which part of a picture belongs to a thing that is no die."""

import numpy as np

from device.watching.foreign_object_mask import foreign_object_mask
from vision.reading import Die, Problem
from vision.tray_change import TrayChange

SHAPE = (200, 300, 3)
THING = Die(None, 100, 100, 40, 40, 0, 0.0, problem=Problem.FOREIGN_OBJECT)
BESIDE = Die(3, 150, 100, 40, 40, 0, 0.99)


def standing(*cells):
    """What stands in these cells of ten pixels, as rows and columns."""
    stands = np.zeros((20, 30), np.uint8)
    for rows, columns in cells:
        stands[rows, columns] = 1
    nothing = np.zeros_like(stands, np.float32)
    return TrayChange(stands, stands, nothing, nothing, 0, 0, 10.0)


def test_it_is_what_was_ringed():
    place = foreign_object_mask(THING, (), None, SHAPE)

    assert place[100, 100] == place[100, 75] == 255
    assert place[100, 170] == place[20, 20] == 0


def test_what_hangs_together_with_it_belongs_to_it_and_what_lies_elsewhere_does_not():
    pen = (slice(9, 11), slice(8, 28))
    other = (slice(16, 18), slice(8, 12))

    place = foreign_object_mask(THING, (), standing(pen, other), SHAPE)

    assert place[100, 270] == 255
    assert place[170, 100] == 0


def test_a_die_that_touches_it_stays_out():
    both = (slice(8, 12), slice(8, 17))

    place = foreign_object_mask(THING, (BESIDE,), standing(both), SHAPE)

    assert place[100, 100] == 255
    assert not place[86:115, 136:165].any()
