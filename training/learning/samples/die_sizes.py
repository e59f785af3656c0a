"""How large a die is in the patches of each network of one die."""

from vision.crops import PatchSizes

DIE_SIZES: dict[str, PatchSizes] = {"near": (64, 35), "wide": (64, 28)}
"""One sees a die near by, the other smaller, with what it leans on."""
PARTS, PARTS_PX = 3, 16
"""While they learn they say of so many by so many spots whether they are the die, its top, another die."""
