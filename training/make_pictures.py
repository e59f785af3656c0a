"""Path trace labelled training pictures: python -m training.make_pictures DIR --first 0 --count 1000."""

import argparse
import json
import time
from pathlib import Path

from training.blender import render
from training.labels import labels
from training.scene import random_scene


def main() -> None:
    """Make the pictures that are not there yet."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--hard", action="store_true", help="leaning and stacked dice, hands")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    begun = time.monotonic()
    for done, seed in enumerate(range(options.first, options.first + options.count)):
        path = options.folder / f"{seed:06d}.png"
        if path.with_suffix(".json").exists():
            continue
        scene = random_scene(seed, hard=options.hard)
        render(scene, path)
        path.with_suffix(".json").write_text(json.dumps(labels(scene)))
        print(
            f"{done + 1}/{options.count}  {(time.monotonic() - begun) / (done + 1):.1f} s each",
            flush=True,
        )


if __name__ == "__main__":
    main()
