"""The size of a die in the patches of each network of one die."""

from vision.crops import PatchSizes

PATCH_SIZES: dict[str, PatchSizes] = {"near": (64, 35), "wide": (64, 28)}
"""Edge of the patch and of the die in pixels. `near` shows a die large, `wide` shows it with its
surroundings."""
PART_COUNT, PART_GRID = 3, 16
"""Number of part maps that the networks predict while they learn, and number of spots along their
sides."""
