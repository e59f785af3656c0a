"""Where the finder sees dice that are none: python -m training.learning.mine PICTURES.

The reader learns to say no from these, not from ground picked at random. Run it after the finder
was trained and exported; what was mined before is mined again.
"""

import argparse
import json

import numpy as np

from training.learning.samples import (
    NEAR_EDGES,
    NEAR_SIZE,
    Traced,
    edges,
    load,
    photographed,
    pictures,
)
from vision.finder import find

LOOKS_PX = (200, 384, 640)


def main() -> None:
    """Write FILE.false.json beside every picture."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pictures", type=pictures)
    paths = sorted(parser.parse_args().pictures.glob("*.png"))
    total = 0
    for done, path in enumerate(paths, 1):
        false = _false(load(path), np.random.default_rng(int(path.stem)))
        path.with_suffix(".false.json").write_text(json.dumps(false))
        total += len(false)
        if done % 50 == 0:
            print(f"{done}/{len(paths)} pictures, {total} false sightings", flush=True)


def _false(traced: Traced, rng: np.random.Generator) -> list[tuple[float, float, float]]:
    """x, y, edge of sightings in one photograph that no die explains."""
    picture = photographed(traced.coded, rng)
    sizes, middles = edges(traced.quads), traced.quads.mean(axis=1)
    false = []
    for look_px in LOOKS_PX:
        for seen in find(picture, look_px)[0]:
            away = np.hypot(middles[:, 0] - seen.x, middles[:, 1] - seen.y)
            right_size = np.abs(np.log(seen.edge / sizes)) < NEAR_SIZE
            if not ((away < NEAR_EDGES * np.minimum(sizes, seen.edge)) & right_size).any():
                false.append((round(seen.x, 1), round(seen.y, 1), round(seen.edge, 1)))
    return false


if __name__ == "__main__":
    main()
