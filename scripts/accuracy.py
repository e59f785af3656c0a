"""Read every labelled picture and write docs/accuracy.md: right, asked and silent, by kind.

    TRAYKEEPER_PICTURES=folder .venv/bin/python scripts/accuracy.py

The folder holds `photos/`, `renders/` and `evenings/`, see `vision.dataset`.
"""

import os
import statistics
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import click
import cv2

from calibration.outline import worst_corner_error
from calibration.tray_finder import find_tray
from vision import Reading, read
from vision.dataset import Case, Evening, Outcome, load_cases, load_evenings
from vision.decision import MIN_FLAT_PROBABILITY, MIN_RIGHT_PROBABILITY
from vision.images import load
from vision.known_tray import UNKNOWN_TRAY, KnownTray
from vision.reading import Quad

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
EVENINGS = """
## Evenings at one tray

What a companion has that hangs over a table: the tray as it looked when it was empty, and throws of the
dice before. Four evenings of sixteen throws, photo-real renders like the above; *known* is with that,
*calibrated* with the throws alone, as a profile keeps them, *told* with the corners of the tray alone.

| throws | n | right | asked | silent | median ms |
|---|---|---|---|---|---|
"""
TRAYS = """
## Trays found by themselves

From one picture each, without being told anything. *Right*: no corner is off by more than {right:.0%} of the
tray's width. One that is not *found* for sure is shown to be dragged.

| pictures | n | right | found | found and wrong |
|---|---|---|---|---|
"""
RIGHT = 0.03
FAIR, TRAPS = "renders, all dice readable", "renders, traps"
RELIABILITY = """
## What a confidence means

Dice by the confidence that was claimed for them, and how many did lie well and show what was claimed.
It is the chance that the face is read right, times the chance that the die lies as it must. A die is
*sure* where the first is at least {sure:.2f} and the second at least {well:.2f}.

| claimed | dice | true |
|---|---|---|
"""
TIME = """
## How fast

A read, one thread; in orange four passes of blur, Otsu's threshold and contours over the same frame, of
which every reader that looks for outlines needs one. The networks look at a tray in one size, so a larger
picture hardly costs more; each die costs a look of its own, and one that is not clear up to eight.

![The time of a read over the size of the picture, and over the dice](pictures/reading-time.svg)

Drawn by `traykeeper bench vision --curves docs/pictures/reading-time.svg`; without `--curves` it prints
the times and how many passes they are on your machine, with `--threads 4` on four of its cores.
"""
STEPS = (0.0, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 1.0)

Read = tuple[Case, Reading]


def main() -> None:
    """Read all, write the tables."""
    cv2.setNumThreads(1)
    folder = os.environ.get("TRAYKEEPER_PICTURES")
    if not folder:
        sys.exit("set TRAYKEEPER_PICTURES to the folder with photos/ and renders/")
    with click.progressbar(load_cases(Path(folder)), label="Reading", file=sys.stderr) as bar:
        reads = [(case, read(load(case.path), case.tray)) for case in bar]
    with click.progressbar(load_evenings(Path(folder)), label="Evenings", file=sys.stderr) as bar:
        played = [_played(evening) for evening in bar]
    with click.progressbar(_trays(Path(folder)), label="Trays", file=sys.stderr) as bar:
        trays = [_found(*one) for one in bar]
    parts = [*_table(reads), *_evenings(played), *_found_trays(trays), *_reliability(reads), TIME]
    DOC.write_text("".join(parts), "utf-8")
    click.echo(DOC.read_text("utf-8"))


def _table(reads: list[Read]) -> Iterator[str]:
    yield HEAD
    kinds: dict[str, list[Read]] = defaultdict(list)
    for case, reading in reads:
        for kind in case.kinds:
            kinds[kind].append((case, reading))
    for kind in sorted(kinds):
        yield _row(kind, kinds[kind])


def _played(evening: Evening) -> dict[str, list[Read]]:
    """Its throws, read with nothing but the tray, with what a profile keeps, and with all that is known."""
    empty = load(evening.empty)
    before = KnownTray(empty)
    learnt = [read(load(path), evening.tray, known=before) for path in evening.earlier]
    known = KnownTray.of(empty, learnt)
    tables = {
        "tray told": UNKNOWN_TRAY,
        "calibrated": replace(known, empty=None),
        "table known": known,
    }
    return {
        name: [(case, read(load(case.path), case.tray, known=table)) for case in evening.throws]
        for name, table in tables.items()
    }


def _evenings(played: list[dict[str, list[Read]]]) -> Iterator[str]:
    yield EVENINGS
    for name, kind in (("all dice readable", FAIR), ("traps", TRAPS)):
        for way in ("tray told", "calibrated", "table known"):
            found = [one for evening in played for one in evening[way] if kind in one[0].kinds]
            if found:
                yield _row(f"{name}, {way}", found)


def _trays(folder: Path) -> list[tuple[str, Path, Quad]]:
    """Pictures of trays, of what kind, and where the tray really is."""
    trays = [("renders", case.path, case.tray) for case in load_cases(folder) if case.tray]
    for evening in load_evenings(folder):
        trays.append(("evenings, the empty tray", evening.empty, evening.tray))
        thrown = (*evening.earlier, *(case.path for case in evening.throws))
        trays += [("evenings, a throw in it", path, evening.tray) for path in thrown]
    return trays


def _found(kind: str, path: Path, truth: Quad) -> tuple[str, bool, bool]:
    """Whether its tray is found right, and for sure."""
    image = load(path)
    height, width = image.shape[:2]
    found = find_tray([image])
    return kind, worst_corner_error(found.tray.in_px(width, height), truth) < RIGHT, found.is_sure


def _found_trays(trays: list[tuple[str, bool, bool]]) -> Iterator[str]:
    yield TRAYS.format(right=RIGHT)
    for kind in dict.fromkeys(kind for kind, *_ in trays):
        ends = [(right, sure) for of, right, sure in trays if of == kind]
        counts = (
            sum(right for right, _ in ends),
            sum(sure for _, sure in ends),
            sum(sure and not right for right, sure in ends),
        )
        yield (
            f"| {kind} | {len(ends)} | "
            + " | ".join(f"{100 * count / len(ends):.1f} %" for count in counts)
            + " |\n"
        )


def _row(kind: str, found: list[Read]) -> str:
    outcomes = [case.outcome(reading) for case, reading in found]
    shares = [f"{100 * outcomes.count(outcome) / len(found):.1f} %" for outcome in Outcome]
    ms = statistics.median(reading.ms for _, reading in found)
    return f"| {kind} | {len(found)} | {' | '.join(shares)} | {ms:.0f} |\n"


def _reliability(reads: list[Read]) -> Iterator[str]:
    yield RELIABILITY.format(sure=MIN_RIGHT_PROBABILITY, well=MIN_FLAT_PROBABILITY)
    claims = [
        (die.confidence, case.true_value(die) == die.value)
        for case, reading in reads
        for die in reading.dice_in_tray
    ]
    for low, high in zip(STEPS, (*STEPS[1:], 2.0), strict=True):
        true = [is_true for confidence, is_true in claims if low <= confidence < high]
        if true:
            share = 100 * sum(true) / len(true)
            yield f"| {low:.2f} to {min(high, 1.0):.2f} | {len(true)} | {share:.1f} % |\n"


if __name__ == "__main__":
    main()
