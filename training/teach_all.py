"""Train all networks from scratch: python -m training.teach_all DIR [--render PYTHON].

The program runs the commands in training/README.md in order, and resumes where it stopped.
DIR/done.txt has a line for each finished step. An interrupted step resumes by itself. To repeat a step, remove
its line.
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
LEARN_PYTHON = sys.executable
"""The Python that has torch. The Python that --render names has Blender instead."""
TRACED_PICTURES = 500
"""Number of path-traced images to make."""
FROM_DEEP = ("--from", "vision/nets/deep.onnx", "--vary", "--rate", "8e-4")
CHANGE_OPTIONS = ("--steps", "11000", "--rate", "3e-3", "--again", "4")


@dataclass(frozen=True)
class TeachingStep:
    """One step of the training: a command to run.

    Attributes:
        name: Name of the step, as written to done.txt.
        command: The command line.
        made: Files that the command writes only when it ends, so that their existence shows that the step is
            done. May be empty.
    """

    name: str
    command: tuple[str, ...]
    made: tuple[Path, ...] = ()

    @property
    def is_made(self) -> bool:
        """Whether `made` is not empty and all its files exist."""
        return bool(self.made) and all(path.exists() for path in self.made)


def main(words: Sequence[str] | None = None) -> None:
    """Run all steps that have not been done yet."""
    options = _options(words)
    options.folder.mkdir(parents=True, exist_ok=True)
    done = options.folder / "done.txt"
    if options.render is None:
        print("without --render PYTHON, no images are path traced and no test evenings are made")
    for step in steps(options):
        if step.name in _lines(done) or step.is_made:
            print(f"{step.name}: done")
        else:
            _run(step)
            with done.open("a") as file:
                file.write(f"{step.name}\n")
    print("all networks are taught; `make accuracy` measures them")


def steps(options: argparse.Namespace) -> Iterator[TeachingStep]:
    """Yield the steps in order. Each step may need the results of earlier ones."""
    rests = options.folder / "rests"
    made = (rests / "rests.npz", rests / "rests_kept_out.npz")
    library = "training.scenes.throws.rest_library"
    yield TeachingStep("rests", (LEARN_PYTHON, "-m", library, str(rests)), made)
    if options.render is not None:
        yield from _pictures(options)
    yield from _networks(options)


def _pictures(options: argparse.Namespace) -> Iterator[TeachingStep]:
    """Yield the steps that need Blender."""
    begin = (options.render, "-m")
    traced, own = str(options.folder / "traced"), str(options.folder / "own")
    library = str(options.folder / "rests" / "rests.npz")
    make = ("training.rendering.make_pictures", traced, library, "--count", str(TRACED_PICTURES))
    yield TeachingStep("traced pictures", (*begin, *make))
    yield TeachingStep("own evenings", (*begin, "training.rendering.own_evenings", own))


def _networks(options: argparse.Namespace) -> Iterator[TeachingStep]:
    """Yield the steps that train and export networks.

    The finders come first, because the networks that read one die are trained on their false detections. `near` and `wide` start with
    the weights of `deep`.
    """
    learning = (LEARN_PYTHON, "-m")
    nets, rests = str(options.folder / "nets"), ("--rests", str(options.folder / "rests"))
    for kind, more in (
        ("finder", ()),
        ("finder_alone", ()),
        ("deep", ("--imagenet",)),
        ("near", FROM_DEEP),
        ("wide", FROM_DEEP),
        ("change", CHANGE_OPTIONS),
    ):
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
    evenings = str(options.folder / "evenings")
    yield TeachingStep("lamp evenings", (*learning, "training.learning.lamp_evenings", evenings))
    fit = (*learning, "training.learning.judge_evenings", evenings, "--fit")
    yield TeachingStep("weights of dice", fit)
    for kind in ("floor", "frame"):
        train = ("training.learning.train_tray", kind, nets, *rests)
        yield TeachingStep(f"train {kind}", (*learning, *train))


def _traced(options: argparse.Namespace) -> tuple[str, ...]:
    """Return the command-line option that names the folder of path-traced images, if there are any."""
    folder = options.folder / "traced"
    return ("--traced", str(folder)) if options.render is not None or folder.exists() else ()


def _hands(options: argparse.Namespace) -> tuple[str, ...]:
    half = ("--half",) if options.half else ()
    return (*half, "--workers", str(options.workers))


def _run(step: TeachingStep) -> None:
    """Run a step, and exit the program if it fails."""
    print(f"{step.name}: {shlex.join(step.command)}", flush=True)
    failed = subprocess.run(step.command, cwd=ROOT, check=False).returncode  # noqa: S603 - our own commands
    if failed:
        sys.exit(
            f"{step.name} failed with exit status {failed}; run the same command again to resume"
        )


def _lines(done: Path) -> list[str]:
    return done.read_text().splitlines() if done.exists() else []


def _options(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=lambda name: Path(name).resolve(), metavar="DIR")
    bpy = "Python with bpy, see training/render.txt"
    parser.add_argument("--render", type=_program, metavar="PYTHON", help=bpy)
    half = "multiply in bfloat16, which is faster on some processors"
    parser.add_argument("--half", action="store_true", help=half)
    parser.add_argument("--workers", type=int, default=1, help="processes that make samples")
    return parser.parse_args(words)


def _program(name: str) -> str:
    """Return the absolute path of a program, given its name or path."""
    if found := shutil.which(name):
        return str(Path(found).absolute())
    raise argparse.ArgumentTypeError(f"{name} is not a program; name a Python that has bpy")


if __name__ == "__main__":
    main()
