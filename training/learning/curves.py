"""Curves over the amount of teaching: python -m training.learning.curves OUT.svg nets/*.jsonl [--mark NAME].

Each file is KIND.jsonl of `training.learning.teach`. Drawn is one mark of both exams over the steps: kinds that
are taught, and kinds that are kept out.
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from bench.line_chart import LineChart, drawing

EXAMS = {"taught": "taught", "kept_out": "kept out"}
"""As a row of the file has them, and as they are told."""
MARKS = {"finder": "found_unknown", "change": "seen", "near": "face", "wide": "face"}
"""Of each kind that which says most."""


def main(words: Sequence[str] | None = None) -> None:
    """Draw one chart for each file."""
    options = _options(words)
    charts = [chart(path, options.mark or MARKS.get(path.stem, "face")) for path in options.files]
    options.out.write_text(drawing(charts), "utf-8")
    print(f"wrote {options.out}")


def chart(path: Path, mark: str) -> LineChart:
    """One mark of both exams, as a share of a hundred."""
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    lines = {
        told: [(row["step"], 100 * row[exam][mark]) for row in rows if mark in row.get(exam, {})]
        for exam, told in EXAMS.items()
    }
    if not all(lines.values()):
        had = ", ".join(
            sorted({name for row in rows for exam in EXAMS for name in row.get(exam, {})})
        )
        raise SystemExit(
            f"{path} has no mark {mark}: --mark takes {had or 'none, no exam was sat'}"
        )
    return LineChart(f"steps of {path.stem}: {mark.replace('_', ' ')}", "%", lines, most=100.0)


def _options(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path, metavar="OUT.svg")
    parser.add_argument("files", type=Path, nargs="+", metavar="KIND.jsonl")
    parser.add_argument("--mark", help="another than the one that says most of its kind")
    return parser.parse_args(words)


if __name__ == "__main__":
    main()
