"""Path trace pictures to learn from: python -m training.rendering.make_pictures DIR RESTS.

It goes on from where it was stopped: a picture that is there is not made again. Most are fields of
dozens of dice, as such a picture takes no longer than one of three; tables come with their empty tray.
"""

import argparse
import time
from pathlib import Path

from training.rendering.path_tracer import Tracing, traced
from training.rendering.picture_files import save
from training.rendering.ray_caster import parts, tops_seen
from training.scenes.kept_out import Purpose
from training.scenes.staging import Wish, world
from training.scenes.throws.rest_library import RestLibrary, load
from training.scenes.truth import truth

TURNS = ("field", "table", "field", "field", "close", "field", "table", "field", "field", "clutter")
"""Kinds of pictures, one after the other."""
WISHES = {
    "field": Wish("field", side=512, hand=0.05, size=(560, 420)),
    "table": Wish("table", side=512, hand=0.2, size=(480, 360)),
    "close": Wish("close", side=512, hand=0.08, size=(480, 360)),
    "clutter": Wish("clutter", side=512, hand=0.15, size=(480, 360)),
}
HOW = {
    "field": Tracing(samples=3),
    "table": Tracing(samples=4),
    "close": Tracing(samples=4, dents=True),
    "clutter": Tracing(samples=4),
}


def make(seed: int, path: Path, library: RestLibrary) -> int:
    """One picture; how many dice are in it."""
    kind = TURNS[seed % len(TURNS)]
    one = world(seed, Purpose.TEACH, library, WISHES[kind])
    light = traced(one, HOW[kind])
    empty = traced(one, HOW[kind], empty=True) if kind in ("table", "clutter") else None
    save(path, light, empty, *parts(one), truth(one, tops_seen(one)))
    return len(one.dice)


def main() -> None:
    """Make the pictures that are not there yet."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("rests", type=Path, help="what training.scenes.throws.rest_library wrote")
    parser.add_argument("--first", type=int, default=2_000_000)
    parser.add_argument("--count", type=int, default=100_000)
    options = parser.parse_args()
    library = load(options.rests)
    options.folder.mkdir(parents=True, exist_ok=True)
    begun, dice, made = time.monotonic(), 0, 0
    for seed in range(options.first, options.first + options.count):
        path = options.folder / f"{seed:07d}.png"
        if path.with_suffix(".json").exists():
            continue
        dice += make(seed, path, library)
        made += 1
        spent = time.monotonic() - begun
        print(
            f"{seed}: {made} pictures, {dice} dice, {spent / made:.1f} s a picture, {spent / max(dice, 1):.3f} s a die",
            flush=True,
        )


if __name__ == "__main__":
    main()
