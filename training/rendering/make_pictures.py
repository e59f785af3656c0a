"""Path-trace images for training: python -m training.rendering.make_pictures DIR RESTS.

If the command was stopped, it resumes, because it skips images that already exist. Most images show fields of dozens of
dice, since such an image takes no longer than one with three dice. Images of trays come with an empty-tray image.
"""

import argparse
import time
from pathlib import Path

from training.rendering.path_tracer import TraceOptions, trace_picture
from training.rendering.picture_files import save_picture
from training.rendering.ray_caster import cast_masks, visible_top_shares
from training.scenes.kept_out import Purpose
from training.scenes.staging import SceneRequest, stage_world
from training.scenes.throws.rest_library import RestLibrary, load_rests
from training.scenes.truth import true_labels

KIND_ORDER = (
    "field",
    "table",
    "field",
    "field",
    "close",
    "field",
    "table",
    "field",
    "field",
    "clutter",
)
"""Kinds of scenes of successive images."""
REQUESTS = {
    "field": SceneRequest("field", tile_px=512, hand_chance=0.05, size=(560, 420)),
    "table": SceneRequest("table", tile_px=512, hand_chance=0.2, size=(480, 360)),
    "close": SceneRequest("close", tile_px=512, hand_chance=0.08, size=(480, 360)),
    "clutter": SceneRequest("clutter", tile_px=512, hand_chance=0.15, size=(480, 360)),
}
TRACE_OPTIONS = {
    "field": TraceOptions(samples=3),
    "table": TraceOptions(samples=4),
    "close": TraceOptions(samples=4, dents=True),
    "clutter": TraceOptions(samples=4),
}


def make_picture(seed: int, path: Path, library: RestLibrary) -> int:
    """Path-trace one image, write it with its labels, and return the number of its dice.

    Args:
        seed: Seed for the scene. The same seed and library give the same scene.
        path: The PNG file to write.
        library: Simulated throws after the dice have come to rest.
    """
    kind = KIND_ORDER[seed % len(KIND_ORDER)]
    one = stage_world(seed, Purpose.TEACH, library, REQUESTS[kind])
    light = trace_picture(one, TRACE_OPTIONS[kind])
    empty = (
        trace_picture(one, TRACE_OPTIONS[kind], empty=True)
        if kind in ("table", "clutter")
        else None
    )
    save_picture(path, light, empty, *cast_masks(one), true_labels(one, visible_top_shares(one)))
    return len(one.dice)


def main() -> None:
    """Make the images that do not exist yet."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument(
        "rests", type=Path, help="rests.npz, written by training.scenes.throws.rest_library"
    )
    parser.add_argument("--first", type=int, default=2_000_000)
    parser.add_argument("--count", type=int, default=100_000)
    options = parser.parse_args()
    library = load_rests(options.rests)
    options.folder.mkdir(parents=True, exist_ok=True)
    begun, dice, made = time.monotonic(), 0, 0
    for seed in range(options.first, options.first + options.count):
        path = options.folder / f"{seed:07d}.png"
        if path.with_suffix(".json").exists():
            continue
        dice += make_picture(seed, path, library)
        made += 1
        spent = time.monotonic() - begun
        print(
            f"{seed}: {made} pictures, {dice} dice, {spent / made:.1f} s a picture, {spent / max(dice, 1):.3f} s a die",
            flush=True,
        )


if __name__ == "__main__":
    main()
