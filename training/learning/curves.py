"""Draw learning curves: python -m training.learning.curves OUT.svg FILE...

Each input file is a KIND.jsonl that `training.learning.teach` has written. Its chart shows how one score changes over
the training steps on two test sets: kinds of scenes used for training, and kinds that are kept out of training.
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from bench.vision import LineChart, drawing
from training.learning.samples.die_sizes import PATCH_SIZES

EXAMS = {"taught": "taught", "kept_out": "kept out"}
"""Names of the test sets in a row of the file, and in the legend."""
MAIN_GRADES = {
    "finder": "found_unknown",
    "finder_alone": "found_unknown",
    "change": "seen",
} | dict.fromkeys(PATCH_SIZES, "face")
"""The most informative score of each network."""


def main(words: Sequence[str] | None = None) -> None:
    """Draw one chart for each file."""
    options = _options(words)
    charts = [
        make_chart(path, options.mark or MAIN_GRADES.get(path.stem, "face"))
        for path in options.files
    ]
    options.out.write_text(drawing(charts), "utf-8")
    print(f"wrote {options.out}")


def make_chart(path: Path, mark: str) -> LineChart:
    """Return a chart of one score on both test sets, in per cent, against the training steps.

    Args:
        path: The KIND.jsonl file to draw.
        mark: Name of the score.
    """
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    lines = {
        label: [(row["step"], 100 * row[exam][mark]) for row in rows if mark in row.get(exam, {})]
        for exam, label in EXAMS.items()
    }
    if not all(lines.values()):
        known = ", ".join(
            sorted({name for row in rows for exam in EXAMS for name in row.get(exam, {})})
        )
        raise SystemExit(
            f"{path} has no grade {mark}; choose one with --mark: {known or 'none, no exam was taken yet'}"
        )
    return LineChart(f"steps of {path.stem}: {mark.replace('_', ' ')}", "%", lines, most=100.0)


def _options(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path, metavar="OUT.svg")
    parser.add_argument("files", type=Path, nargs="+", metavar="KIND.jsonl")
    parser.add_argument("--mark", help="grade to draw instead of the most telling one")
    return parser.parse_args(words)


if __name__ == "__main__":
    main()
