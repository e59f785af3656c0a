"""Read every labelled picture and write docs/accuracy.md: right, asked and silent, by kind.

    TRAYKEEPER_PICTURES=folder python scripts/accuracy.py

The folder holds `photos/` and `renders/`, each with a `labels.jsonl`.
"""

import json
import os
import statistics
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import cv2

from vision import Quad, Reading, read
from vision.images import load

DOC = Path(__file__).parents[1] / "docs" / "accuracy.md"

HEAD = """# How well it reads

Every picture ends in one of three ways: **right** (sure, and all dice as they are), **asked**
(not sure: the players are asked), **silent** (sure and wrong: the one thing that must not
happen). A *trap* is a picture that no reader may be sure of, a die cocked or hidden, a hand in
the tray: there asking is the only right answer.

The photographs are other people's, of every kind of die, ground and light; nothing is calibrated
and no tray is told. The renders are photo-real trays, told only the corners of the tray. Both sets
were looked at while the reader was written; pictures it never saw will come out worse.

Made by `make accuracy`, one thread.

| pictures | n | right | asked | silent | median ms |
|---|---|---|---|---|---|
"""


@dataclass(frozen=True, slots=True)
class Case:
    """A labelled picture: what is true of it, and the kinds it counts for."""

    path: Path
    values: tuple[int, ...]
    trap: bool
    kinds: tuple[str, ...]
    tray: Quad | None


def main() -> None:
    cv2.setNumThreads(1)
    folder = os.environ.get("TRAYKEEPER_PICTURES")
    if not folder:
        sys.exit("set TRAYKEEPER_PICTURES to the folder with photos/ and renders/")
    outcomes: dict[str, list[tuple[str, float]]] = defaultdict(list)
    cases = [*photos(Path(folder, "photos")), *renders(Path(folder, "renders"))]
    with click.progressbar(cases, label="Reading", file=sys.stderr) as bar:
        for case in bar:
            reading = read(load(case.path), case.tray)
            for kind in case.kinds:
                outcomes[kind].append((outcome(case, reading), reading.ms))
    DOC.write_text(HEAD + "".join(row(kind, found) for kind, found in outcomes.items()), "utf-8")
    click.echo(DOC.read_text("utf-8"))


def outcome(case: Case, reading: Reading) -> str:
    if not reading.sure:
        return "asked"
    return "right" if reading.values == case.values and not case.trap else "silent"


def row(kind: str, found: list[tuple[str, float]]) -> str:
    n = len(found)
    shares = [100 * sum(o == name for o, _ in found) / n for name in ("right", "asked", "silent")]
    ms = statistics.median(ms for _, ms in found)
    right, asked, silent = (f"{share:.1f} %" for share in shares)
    return f"| {kind} | {n} | {right} | {asked} | {silent} | {ms:.0f} |\n"


def photos(folder: Path) -> Iterator[Case]:
    for label in _labels(folder):
        values = tuple(sorted(label["values"]))
        yield Case(folder / label["file"], values, False, tuple(_photo_kinds(label)), None)


def _photo_kinds(label: dict[str, Any]) -> Iterator[str]:
    yield "photos, all"
    complete = label.get("values_complete", True) and label["verified"]
    if label["view"] == "overhead" and label["n_dice"] in range(1, 7) and complete:
        yield "photos from above, 1 to 6 dice"
        if label["background"] == "plain":
            yield "photos from above, plain ground"
        if label["touching"]:
            yield "photos from above, dice touching"


def renders(folder: Path) -> Iterator[Case]:
    for label in _labels(folder):
        trap = bool(label["hand"]) or not label["all_readable"]
        corners = [(float(x), float(y)) for x, y in label["tray_corners"]]
        tray = Quad((corners[0], corners[1], corners[2], corners[3]))
        values = tuple(sorted(label["values"]))
        yield Case(folder / label["image"], values, trap, tuple(_render_kinds(label, trap)), tray)


def _render_kinds(label: dict[str, Any], trap: bool) -> Iterator[str]:  # noqa: FBT001
    yield "renders, all"
    if trap:
        yield "renders, traps"
    elif label["all_legible"]:
        yield "renders, all dice readable"
        if "has_touching" in label["tags"]:
            yield "renders, dice touching"


def _labels(folder: Path) -> Iterator[dict[str, Any]]:
    for line in (folder / "labels.jsonl").read_text("utf-8").splitlines():
        yield json.loads(line)


if __name__ == "__main__":
    main()
