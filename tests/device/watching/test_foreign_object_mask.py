"""Which part of a frame belongs to an object that is not a die."""

import numpy as np

from device.watching.tray_memory import foreign_object_mask
from vision.reading import Die, Problem
from vision.tray_change import TrayChange

SHAPE = (200, 300, 3)
OBJECT = Die(None, 100, 100, 40, 40, 0, 0.0, problem=Problem.FOREIGN_OBJECT)
BESIDE = Die(3, 150, 100, 40, 40, 0, 0.99)


def objects_in(*cells):
    """Return a change in the tray with objects in these cells (row, column) of ten by ten pixels."""
    stands = np.zeros((20, 30), np.uint8)
    for rows, columns in cells:
        stands[rows, columns] = 1
    nothing = np.zeros_like(stands, np.float32)
    grey = np.full((80, 120, 3), 128, np.uint8)
    return TrayChange(stands, stands, nothing, nothing, 0, 0, 10.0, grey, grey.astype(np.float32))


def test_the_mask_covers_what_was_ringed():
    mask = foreign_object_mask(OBJECT, (), None, SHAPE)

    assert mask[100, 100] == mask[100, 75] == 255
    assert mask[100, 170] == mask[20, 20] == 0


def test_connected_parts_belong_to_the_object_and_other_objects_do_not():
    pen = (slice(9, 11), slice(8, 28))
    other = (slice(16, 18), slice(8, 12))

    mask = foreign_object_mask(OBJECT, (), objects_in(pen, other), SHAPE)

    assert mask[100, 270] == 255
    assert mask[170, 100] == 0


def test_a_die_that_touches_the_object_stays_out():
    both = (slice(8, 12), slice(8, 17))

    mask = foreign_object_mask(OBJECT, (BESIDE,), objects_in(both), SHAPE)

    assert mask[100, 100] == 255
    assert not mask[86:115, 136:165].any()
