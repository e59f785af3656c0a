"""The size of a die in the patches of each network that reads one die."""

from collections.abc import Mapping

from vision.crops import PatchSizes
from vision.face_reader import READERS

PATCH_SIZES: Mapping[str, PatchSizes] = READERS
"""The networks that read one die, with the edges of the patch and of the die in pixels. `near` and `deep` show a die
large, `wide` shows it with its surroundings."""
PART_COUNT, PART_GRID = 3, 16
"""Number of maps of parts that the networks predict during training, and number of cells along the sides of a map."""
