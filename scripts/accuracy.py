"""Read every labelled picture, and write to docs/accuracy.md how many readings are right, asked about, or wrong.

    TRAYKEEPER_PICTURES=folder make accuracy

The folder contains `photos/`, `low_camera/`, `renders/` and `evenings/` (see `vision.dataset`).
"""

import os
import statistics
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from time import process_time

import click
import cv2

from bench.vision import reading_times
from calibration.outline import worst_corner_error
from calibration.tray_finder import find_tray
from vision import Reading, read
from vision.dataset import Case, Evening, Outcome, load_cases, load_evenings
from vision.decision import (
    CERTAIN_DIE_PROBABILITY,
    MIN_FLAT_PROBABILITY,
    MIN_RIGHT_PROBABILITY,
    MIN_RIGHT_PROBABILITY_ANYWHERE,
)
from vision.images import load
from vision.known_tray import UNKNOWN_TRAY, KnownTray
from vision.reading import Problem, Quad

DOC = Path(__file__).parents[1] / "docs" / "accuracy.md"

HEAD = """# How well it reads

The reader is *sure* of a picture if it would accept the dice without a question. Each picture has one of three
outcomes: **right** (the reader is sure and all dice are correct), **asked** (the reader is not sure and asks
the players), or **silent** (the reader is sure and wrong, the worst outcome). A *trap* is a picture that
no reader can be sure of, with a cocked or hidden die or a hand in the tray. For a trap, asking is the only
right answer.

The photos were taken by other people, with all kinds of dice, backgrounds and light. For these photos, nothing is calibrated and the tray is not
known. The renders show photo-realistic trays of which only the corners are known. Both sets were used while the reader was developed, so expect worse
results on new pictures. [A decision record](decisions/reading.md) describes the reader and everything that was tried. The photos with a low
camera and those with hands were picked because an earlier reader was sure of them. They show what is still missed, and not how often.

`make accuracy` creates this page, using one thread. The times are processor times, which are up to twice as long on a busy machine as on an idle one.

| pictures | n | right | asked | silent | median ms |
|---|---|---|---|---|---|
"""
EVENINGS = """
## Evenings at one tray

A companion above a tray knows more than a single picture shows: what the empty tray looks like, and earlier throws of the same dice. These are four
evenings of sixteen throws, rendered like the pictures above. *Table known* uses all of that, *calibrated* only the throws, as a profile stores them,
and *tray known* only the corners of the tray.

| throws | n | right | asked | silent | median ms |
|---|---|---|---|---|---|
"""
TRAYS = """
## Trays found automatically

The reader looks for the tray in one picture, without further knowledge. *Right* means that no corner is wrong by more
than {right:.0%} of the tray's width. If a tray is not *found* with certainty, the page asks you to drag the
corners.

| pictures | n | right | found | found and wrong |
|---|---|---|---|---|
"""
RIGHT = 0.03
FAIR, TRAPS = "renders, all dice readable", "renders, traps"
FOREIGN = "renders, a foreign object"
RELIABILITY = """
## What a confidence means

The dice are grouped by the confidence that the reader states for them; the last column is the share of them
that were flat and read correctly. The confidence is the probability that the face is right, multiplied by the probability that the
die is flat. The reader is sure of a die if the first is at least {sure:.2f} and the second at least {flat:.2f}. If the position of the tray is unknown
and the probability of a die is below {certain:.2f}, the first must be at least {anywhere:.2f}.

| claimed | dice | true |
|---|---|---|
"""
TIME = """
## How fast

The charts show the processor time of a reading with one thread. The orange line is four passes of blur, Otsu's threshold and contours over the same frame;
every reader that looks for outlines needs at least one. The networks see a tray at one size, so a larger picture takes hardly any longer. After that,
each die is read once by itself, and an unclear one up to four times.

![Reading time by picture size and by number of dice](pictures/reading-time.svg)

`traykeeper bench vision --curves docs/pictures/reading-time.svg` draws the charts in a checkout. Without
`--curves` it prints the times on your machine, in milliseconds and in passes, and with `--threads 4` those
on four cores.

The networks run in OpenCV, or in ONNX Runtime if it is installed. For each, the table gives the processor time for reading six dice on the machine
that wrote this page, in milliseconds and in passes. The aim is 30 passes for a known table with OpenCV, and 15 with ONNX Runtime.

| picture | engine | ms | passes |
|---|---|---|---|
"""
TIMED_PX, RUNS = (1536,), 30
STEPS = (0.0, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 1.0)

Read = tuple[Case, Reading]


def main() -> None:
    """Read all labelled pictures, write the results to docs/accuracy.md, and print them."""
    cv2.setNumThreads(1)
    folder = os.environ.get("TRAYKEEPER_PICTURES")
    if not folder:
        sys.exit("set TRAYKEEPER_PICTURES to the folder with photos/ and renders/")
    with click.progressbar(load_cases(Path(folder)), label="Reading", file=sys.stderr) as bar:
        reads = [(case, _read(case, UNKNOWN_TRAY)) for case in bar]
    with click.progressbar(load_evenings(Path(folder)), label="Evenings", file=sys.stderr) as bar:
        played = [_played(evening) for evening in bar]
    with click.progressbar(_trays(Path(folder)), label="Trays", file=sys.stderr) as bar:
        trays = [_found(*one) for one in bar]
    parts = [
        *_table(reads),
        *_evenings(played),
        *_found_trays(trays),
        *_reliability(reads),
        *_times(),
    ]
    DOC.write_text("".join(parts), "utf-8")
    click.echo(DOC.read_text("utf-8"))


def _read(case: Case, known: KnownTray) -> Reading:
    """Return the reading of a picture. Its `ms` is the processor time, which other programs hardly affect."""
    picture = load(case.path)
    start = process_time()
    reading = read(picture, case.tray, known=known)
    return replace(reading, ms=1000 * (process_time() - start))


def _table(reads: list[Read]) -> Iterator[str]:
    yield HEAD
    kinds: dict[str, list[Read]] = defaultdict(list)
    for case, reading in reads:
        for kind in case.kinds:
            kinds[kind].append((case, reading))
    for kind in sorted(kinds):
        yield _row(kind, kinds[kind])


def _times() -> Iterator[str]:
    yield TIME
    for time in reading_times(TIMED_PX, RUNS, process_time):
        width, height = time.size
        knowledge = time.knowledge or "nothing known"
        yield f"| {width}x{height}, {knowledge} | {time.engine} | {time.read_ms:.0f} | {time.passes:.0f} |\n"


def _played(evening: Evening) -> dict[str, list[Read]]:
    """Read the throws of an evening three times, and return the readings by what was known beforehand.

    At first only the tray's corners are known, then also earlier throws as a profile stores them, and finally also the
    empty tray.
    """
    empty = load(evening.empty)
    before = KnownTray(empty)
    learnt = [read(load(path), evening.tray, known=before) for path in evening.earlier]
    known = KnownTray.of(empty, learnt)
    tables = {
        "tray known": UNKNOWN_TRAY,
        "calibrated": replace(known, empty=None),
        "table known": known,
    }
    return {
        name: [(case, _read(case, table)) for case in evening.throws]
        for name, table in tables.items()
    }


def _evenings(played: list[dict[str, list[Read]]]) -> Iterator[str]:
    yield EVENINGS
    for name, kind, other in (
        ("all dice readable", FAIR, FOREIGN),
        ("a foreign object in the tray", FOREIGN, None),
        ("traps", TRAPS, None),
    ):
        for knowledge in ("tray known", "calibrated", "table known"):
            reads = [one for evening in played for one in evening[knowledge]]
            found = [
                (case, _without_foreign_objects(reading) if kind == FOREIGN else reading)
                for case, reading in reads
                if kind in case.kinds and other not in case.kinds
            ]
            if found:
                yield _row(f"{name}, {knowledge}", found)


def _without_foreign_objects(reading: Reading) -> Reading:
    """Return a reading without questions about foreign objects, for pictures in which such a question is right."""
    dice = tuple(die for die in reading.dice if die.problem is not Problem.FOREIGN_OBJECT)
    return replace(reading, dice=dice)


def _trays(folder: Path) -> list[tuple[str, Path, Quad]]:
    """Return the pictures of trays in a folder, each with its kind and the true corners of the tray."""
    trays = [("renders", case.path, case.tray) for case in load_cases(folder) if case.tray]
    for evening in load_evenings(folder):
        trays.append(("evenings, the empty tray", evening.empty, evening.tray))
        thrown = (*evening.earlier, *(case.path for case in evening.throws))
        trays += [("evenings, a throw in it", path, evening.tray) for path in thrown]
    return trays


def _found(kind: str, path: Path, truth: Quad) -> tuple[str, bool, bool]:
    """Search for the tray in a picture; return the kind, whether the result is right, and whether it is sure."""
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
    yield RELIABILITY.format(
        sure=MIN_RIGHT_PROBABILITY,
        flat=MIN_FLAT_PROBABILITY,
        anywhere=MIN_RIGHT_PROBABILITY_ANYWHERE,
        certain=CERTAIN_DIE_PROBABILITY,
    )
    claims = [
        (die.confidence, case.true_value(die) == die.value)
        for case, reading in reads
        if case.boxes or not case.is_trap  # the dice of some traps are not labelled
        for die in reading.dice_in_tray
    ]
    for low, high in zip(STEPS, (*STEPS[1:], 2.0), strict=True):
        true = [is_true for confidence, is_true in claims if low <= confidence < high]
        if true:
            share = 100 * sum(true) / len(true)
            yield f"| {low:.2f} to {min(high, 1.0):.2f} | {len(true)} | {share:.1f} % |\n"


if __name__ == "__main__":
    main()
