"""The club's history to take along: a table for spreadsheets, and every entry there is."""

import csv
import io
import json
import time
from collections.abc import Iterator

from flask import Blueprint, Response

from web.club.match_history import MatchHistory
from web.club.standings import League
from web.few_at_once import FewAtOnce

ALL = -1
OPEN = 2
"""Downloads at once: each reads the whole history, as fast as somebody takes it."""

COLUMNS = ("match", "tray", "began", "rules", "target", "over", "seat", "player", "score", "won")


def create_export(history: MatchHistory, standings: League) -> Blueprint:
    """The blueprint of what can be downloaded."""
    export = Blueprint("export", __name__, url_prefix="/export")
    few = FewAtOnce(OPEN)

    @export.get("/matches.csv")
    @few.sent
    def matches() -> Response:
        return _file(_csv(standings), "text/csv", "matches.csv")

    @export.get("/entries.jsonl")
    @few.sent
    def entries() -> Response:
        return _file(_lines(history, standings), "application/x-ndjson", "entries.jsonl")

    return export


def _csv(standings: League) -> Iterator[str]:
    """A line for each seat of each match."""
    yield _row(COLUMNS)
    for match in reversed(standings.matches(limit=ALL)):
        began = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(match.began_s))
        head = (match.id, match.tray, began, match.rules, match.target, int(match.over))
        for number, seat in enumerate(match.seats, 1):
            yield _row((*head, number, _as_text(seat.name), seat.score, int(seat.won)))


def _row(values: tuple[object, ...]) -> str:
    line = io.StringIO()
    csv.writer(line).writerow(values)
    return line.getvalue()


def _as_text(name: str) -> str:
    """A spreadsheet takes what begins so for a formula."""
    return f"'{name}" if name[:1] in "=+-@" else name


def _lines(history: MatchHistory, standings: League) -> Iterator[str]:
    """Every entry, oldest match first: another board can be made of it."""
    for match in reversed(standings.matches(limit=ALL)):
        for entry in history.entries(match.id):
            yield json.dumps({"tray": match.tray, **entry.to_json()}, ensure_ascii=False) + "\n"


def _file(lines: Iterator[str], mimetype: str, name: str) -> Response:
    headers = {"Content-Disposition": f"attachment; filename={name}", "Cache-Control": "no-store"}
    return Response(lines, headers=headers, mimetype=mimetype)
