"""Teach all networks from nothing: python -m training.teach_all DIR [--render PYTHON].

Runs the commands of training/README.md in order, and goes on where it was stopped: DIR/done.txt has a line for
each step that is done, and a step that was under way takes up its own work. Take a line out to do that
step again.
"""

import argparse
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
LEARN = sys.executable
"""Has torch; the Python that --render names has Blender instead."""
TRACED = 500
"""Pictures are enough."""
CHANGE = ("--steps", "11000", "--rate", "3e-3", "--again", "4")


@dataclass(frozen=True)
class TeachingStep:
    """One command; `made` is there once it is done, where the whole of it comes at its end."""

    name: str
    command: tuple[str, ...]
    made: tuple[Path, ...] = ()

    @property
    def is_made(self) -> bool:
        return bool(self.made) and all(path.exists() for path in self.made)


def main(words: Sequence[str] | None = None) -> None:
    """All of it."""
    options = _options(words)
    options.folder.mkdir(parents=True, exist_ok=True)
    done = options.folder / "done.txt"
    if options.render is None:
        print("without --render PYTHON no pictures are traced and no evenings of our own are made")
    for step in steps(options):
        if step.name in _lines(done) or step.is_made:
            print(f"{step.name}: done")
        else:
            _run(step)
            with done.open("a") as file:
                file.write(f"{step.name}\n")
    print("all is taught: make accuracy measures it")


def steps(options: argparse.Namespace) -> Iterator[TeachingStep]:
    """In order: each needs what those before it make."""
    rests = options.folder / "rests"
    made = (rests / "rests.npz", rests / "rests_kept_out.npz")
    library = "training.scenes.throws.rest_library"
    yield TeachingStep("rests", (LEARN, "-m", library, str(rests)), made)
    if options.render is not None:
        yield from _pictures(options)
    yield from _networks(options)


def _pictures(options: argparse.Namespace) -> Iterator[TeachingStep]:
    """By Blender."""
    begin = (options.render, "-m")
    traced, own = str(options.folder / "traced"), str(options.folder / "own")
    library = str(options.folder / "rests" / "rests.npz")
    make = ("training.rendering.make_pictures", traced, library, "--count", str(TRACED))
    yield TeachingStep("traced pictures", (*begin, *make))
    yield TeachingStep("own evenings", (*begin, "training.rendering.own_evenings", own))


def _networks(options: argparse.Namespace) -> Iterator[TeachingStep]:
    """The finder first: those of one die are shown what it takes for dice."""
    learning = (LEARN, "-m")
    nets, rests = str(options.folder / "nets"), ("--rests", str(options.folder / "rests"))
    for kind, more in (("finder", ()), ("near", ()), ("wide", ()), ("change", CHANGE)):
        taught = (
            "training.learning.teach",
            kind,
            nets,
            *rests,
            *_traced(options),
            *_hands(options),
        )
        yield TeachingStep(f"teach {kind}", (*learning, *taught, *more))
        yield TeachingStep(f"export {kind}", (*learning, "training.learning.export", kind, nets))
    yield TeachingStep("weigh", (*learning, "training.learning.weigh", *rests))
    for kind in ("floor", "frame"):
        train = ("training.learning.train_tray", kind, nets, *rests)
        yield TeachingStep(f"train {kind}", (*learning, *train))


def _traced(options: argparse.Namespace) -> tuple[str, ...]:
    """Where there are any, now or from another day."""
    folder = options.folder / "traced"
    return ("--traced", str(folder)) if options.render is not None or folder.exists() else ()


def _hands(options: argparse.Namespace) -> tuple[str, ...]:
    half = ("--half",) if options.half else ()
    return (*half, "--workers", str(options.workers))


def _run(step: TeachingStep) -> None:
    """Stops all where it fails."""
    print(f"{step.name}: {shlex.join(step.command)}", flush=True)
    failed = subprocess.run(step.command, cwd=ROOT, check=False).returncode  # noqa: S603 - our own
    if failed:
        sys.exit(f"{step.name} stopped ({failed}): the same command goes on from there")


def _lines(done: Path) -> list[str]:
    return done.read_text().splitlines() if done.exists() else []


def _options(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=lambda name: Path(name).resolve(), metavar="DIR")
    bpy = "one with bpy: see training/render.txt"
    parser.add_argument("--render", type=_program, metavar="PYTHON", help=bpy)
    half = "multiply in bfloat16, where that is fast"
    parser.add_argument("--half", action="store_true", help=half)
    parser.add_argument("--workers", type=int, default=1, help="that make samples")
    return parser.parse_args(words)


def _program(name: str) -> str:
    """From any folder."""
    if found := shutil.which(name):
        return str(Path(found).absolute())
    raise argparse.ArgumentTypeError(f"{name} is no program here")


if __name__ == "__main__":
    main()
