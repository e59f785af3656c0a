"""Make labelled training pictures: python -m training.rendering.make_pictures DIR --first 0 --count 1000."""

import argparse
import json
import math
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from training.rendering.ray_caster import render as cast_rays
from training.scenes.labels import labels
from training.scenes.scene import Scene, random_scene, smaller


def main() -> None:
    """Make the pictures that are not there yet."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--hard", action="store_true", help="leaning and stacked dice, hands")
    parser.add_argument("--glassy", action="store_true", help="every other set of dice of glass")
    parser.add_argument("--quick", action="store_true", help="cast rays instead of tracing paths")
    parser.add_argument("--largest", type=float, default=math.inf, help="edge of a die, px")
    options = parser.parse_args()
    render = _renderer(quick=options.quick)
    options.folder.mkdir(parents=True, exist_ok=True)
    begun = time.monotonic()
    for done, seed in enumerate(range(options.first, options.first + options.count)):
        path = options.folder / f"{seed:06d}.png"
        if path.with_suffix(".json").exists():
            continue
        scene = random_scene(seed, hard=options.hard, glassy=options.glassy)
        scene = smaller(scene, options.largest)
        if options.quick:
            scene = replace(scene, things=())
        render(scene, path)
        path.with_suffix(".json").write_text(json.dumps(labels(scene)))
        print(
            f"{done + 1}/{options.count}  {(time.monotonic() - begun) / (done + 1):.1f} s each",
            flush=True,
        )


def _renderer(*, quick: bool) -> Callable[[Scene, Path], None]:
    if quick:
        return cast_rays
    from training.rendering.path_tracer import render  # noqa: PLC0415 - only who traces paths has Blender

    return render


if __name__ == "__main__":
    main()
