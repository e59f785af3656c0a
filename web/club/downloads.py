"""Downloads of the club's history: the results as CSV, and every entry as JSON lines."""

import csv
import io
import json
import time
from collections.abc import Iterator

from flask import Blueprint, Response

from web.api.exports import without_formula
from web.club.match_history import MatchHistory
from web.club.standings import League
from web.concurrency_limit import ConcurrencyLimit
from web.response import download

NO_LIMIT = -1
MAX_DOWNLOADS = 2
"""How many downloads may run at once. Each reads the whole history, at the pace of its client."""

COLUMNS = ("match", "tray", "began", "rules", "target", "over", "seat", "player", "score", "won")


def create_export(history: MatchHistory, standings: League) -> Blueprint:
    """Create the blueprint of the downloads.

    Args:
        history: The entries of all matches.
        standings: The results of all matches.
    """
    export = Blueprint("export", __name__, url_prefix="/export")
    limit = ConcurrencyLimit(MAX_DOWNLOADS)

    @export.get("/matches.csv")
    @limit.limit_download
    def matches() -> Response:
        return download(_csv_rows(standings), "matches.csv", "text/csv")

    @export.get("/entries.jsonl")
    @limit.limit_download
    def entries() -> Response:
        return download(_json_lines(history, standings), "entries.jsonl", "application/x-ndjson")

    return export


def _csv_rows(standings: League) -> Iterator[str]:
    """Yield the CSV header, then a row of CSV for each seat of each match."""
    yield _csv_row(COLUMNS)
    for match in reversed(standings.matches(limit=NO_LIMIT)):
        began = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(match.began_s))
        head = (match.id, match.tray, began, match.rules, match.target, int(match.over))
        for number, seat in enumerate(match.seats, 1):
            yield _csv_row((*head, number, without_formula(seat.name), seat.score, int(seat.won)))


def _csv_row(values: tuple[object, ...]) -> str:
    line = io.StringIO()
    csv.writer(line).writerow(values)
    return line.getvalue()


def _json_lines(history: MatchHistory, standings: League) -> Iterator[str]:
    """Yield all entries as lines of JSON, oldest match first, so that another board can import them."""
    for match in reversed(standings.matches(limit=NO_LIMIT)):
        for entry in history.entries(match.id):
            yield json.dumps({"tray": match.tray, **entry.to_json()}, ensure_ascii=False) + "\n"
