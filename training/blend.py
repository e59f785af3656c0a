"""Half of one checkpoint and half of another that was taught on from it: python -m training.blend A B OUT.

What was taught further knows the new pictures and forgets of the old ones; half way it may know both.
"""

import argparse
from pathlib import Path

import torch


def main() -> None:
    """Write the mean."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("before", "after", "out"):
        parser.add_argument(name, type=Path)
    options = parser.parse_args()
    before, after = torch.load(options.before), torch.load(options.after)
    mean = {k: (v + after[k]) / 2 if v.is_floating_point() else v for k, v in before.items()}
    torch.save(mean, options.out)


if __name__ == "__main__":
    main()
