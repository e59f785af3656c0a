"""The Flask application of the club board: its pages, its big screen and its downloads."""

import csv
import io
import json
import time
from collections.abc import Iterator
from importlib.metadata import version
from typing import Any

from flask import Blueprint, Flask, abort, redirect, render_template, request
from flask_babel import Babel, force_locale
from werkzeug.wrappers import Response

from game.match.match_text import to_text
from game.rules import rule_files
from game.rules.rule_options import MAX_POINTS
from game.wording import match_length
from web.access import origin
from web.access.origin import AllowedHosts, register_hosts
from web.api.matches import without_formula
from web.club.match_history import MatchHistory
from web.club.people import People
from web.club.standings import League, evening_start_s
from web.club.steward import Steward, create_steward
from web.club.store import ClubStore
from web.club.tournaments import TournamentCalls, TournamentKind, TournamentPlan
from web.club.tray_inbox import Trays, TraysSnapshot, TrayStatus
from web.concurrency_limit import ConcurrencyLimit
from web.pages.scoreboard import HEARTBEAT, join_sections, render_section
from web.pages.templates import TEMPLATES, YEAR_S, CompiledTemplates, asset, build, register_filters
from web.response import BYTE_ORDER_MARK, download, fresh, json_response, register_problems
from web.route import MAX_BODY_BYTES
from web.stream import Streams, VersionCache, format_event

NO_LIMIT = -1
MAX_DOWNLOADS = 2
"""How many downloads may run at once. Each reads the whole history, at the pace of its client."""

COLUMNS = ("match", "tray", "began", "rules", "target", "over", "seat", "player", "score", "won")

SECTIONS = ("calls", "trays", "standings", "evening")
MAX_MATCHES = 12

LANGUAGE = "en"
"""Language of the screen. There is only one, because everybody looks at the same screen."""


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
    yield BYTE_ORDER_MARK + _csv_row(COLUMNS)
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


def create_pages(history: MatchHistory, people: People, standings: League) -> Blueprint:
    """Create the blueprint of the pages that anyone may read.

    Args:
        history: The matches with all their entries.
        people: The players of the club.
        standings: The results of all matches.
    """
    pages = Blueprint("club", __name__)

    @pages.get("/table")
    def table() -> str:
        return render_template("club/table.html", standings=standings.table())

    @pages.get("/records")
    def records() -> str:
        return render_template("club/records.html", records=standings.records())

    @pages.get("/players/<int:player>")
    def player(player: int) -> str:
        person = people.person(player) or abort(404)
        standing = next((s for s in standings.table() if s.player == player), None)
        return render_template(
            "club/player.html",
            person=person,
            standing=standing,
            rivalries=standings.rivalries(player),
            matches=standings.matches(player=player),
            everybody=people.all(),
        )

    @pages.get("/matches/<match_id>")
    def match(match_id: str) -> str:
        stored = history.get(match_id) or abort(404)
        played = standings.match(match_id) or abort(404)
        state = stored.match.state
        turns = [*state.turns] if state.winner is not None else [*state.turns, state.turn]
        points = [turn.points if turn.ending else turn.at_risk for turn in turns]
        rows = [*zip(range(1, len(turns) + 1), turns, points, strict=True)]
        return render_template(
            "club/match.html", played=played, rules=state.rules, players=state.players, rows=rows
        )

    @pages.get("/matches/<match_id>.txt")
    def as_text(match_id: str) -> Response:
        stored = history.get(match_id) or abort(404)
        return Response(to_text(stored.match), mimetype="text/plain")

    return pages


def create_tournament_pages(
    calls: TournamentCalls, people: People, steward: Steward, trays: Trays, store: ClubStore
) -> Blueprint:
    """Create the blueprint of the tournaments, which the steward draws.

    Args:
        calls: The tournaments, and the calls of their players to trays.
        people: The players of the club.
        steward: Decides who may draw a tournament.
        trays: The current state of every tray; after a change, it is published again for the screen.
        store: The database of the club.
    """
    pages = Blueprint("cups", __name__, url_prefix="/tournaments")
    tournaments = calls.tournaments

    @pages.get("")
    def listed() -> str:
        return render_template(
            "club/tournaments.html",
            tournaments=tournaments.all(),
            everybody=people.all(),
            kinds=list(TournamentKind),
            rules=[rule_files.published(name) for name in rule_files.names()],
        )

    @pages.get("/<int:tournament>")
    def one(tournament: int) -> str:
        cup = tournaments.get(tournament) or abort(404)
        return render_template("club/tournament.html", cup=cup)

    @pages.post("")
    @steward.required
    def draw() -> Response:
        form = request.form
        target = form.get("target", type=int)
        names = [line for line in form.get("names", "").splitlines() if line.strip()]
        with store.transaction():  # a draw that is refused adds no players
            plan = TournamentPlan(
                TournamentKind.KNOCK_OUT
                if form.get("kind") == TournamentKind.KNOCK_OUT
                else TournamentKind.ROUND_ROBIN,
                tuple(people.add(name) for name in names),
                form.get("rules", "walnut-studiolo"),
                min(max(target, 1), MAX_POINTS) if target else None,
            )
            drawn = tournaments.draw(form.get("name", ""), plan)
        trays.refresh()
        return redirect(f"/tournaments/{drawn}", 303)

    @pages.post("/<int:tournament>/<int:pairing>/withdraw")
    @steward.required
    def withdraw(tournament: int, pairing: int) -> Response:
        calls.call_again(tournament, pairing)
        trays.refresh()
        return redirect(f"/tournaments/{tournament}", 303)

    return pages


def create_screen(
    app: Flask, trays: Trays, standings: League, calls: TournamentCalls, streams: Streams
) -> Blueprint:
    """Create the blueprint of the big screen and of its content as JSON.

    Args:
        app: The application that has the templates.
        trays: The current state of every tray.
        standings: The results of tonight's matches.
        calls: The players who are called to a tray.
        streams: The live streams.
    """

    def render_all(snapshot: TraysSnapshot) -> dict[str, str]:
        since_s = evening_start_s()
        values: dict[str, object] = {
            "calls": calls.open_calls(),
            "trays": snapshot.trays,
            "broker_lost_s": snapshot.broker_lost_s,
            "standings": standings.table(since_s),
            "matches": standings.matches(since_s, over=True, limit=MAX_MATCHES),
        }
        with app.app_context(), force_locale(LANGUAGE):
            return {
                name: render_section(app.jinja_env, name, f"club/_{name}.html", **values)
                for name in SECTIONS
            }

    def html(snapshot: TraysSnapshot) -> str:
        """Return all sections as HTML, for a browser that replaces the changed ones."""
        return join_sections(sections(snapshot))

    sections: VersionCache[TraysSnapshot, dict[str, str]] = VersionCache(render_all)
    event: VersionCache[TraysSnapshot, str] = VersionCache(
        lambda snapshot: format_event("board", html(snapshot))
    )
    pages = Blueprint("screen", __name__)

    @pages.get("/")
    def big_screen() -> Response:
        return fresh(render_template("club/screen.html", sections=sections(trays.snapshot())))

    @pages.get("/live")
    def live() -> Response:
        return streams.open(trays, event, HEARTBEAT)

    @pages.get("/board")
    def poll() -> Response:
        return fresh(html(trays.snapshot()))

    @pages.get("/api/v1/club")
    def as_json() -> Response:
        now = trays.snapshot()
        found = [tray_json(tray) for tray in now.trays]
        return json_response({"trays": found, "broker_lost_s": now.broker_lost_s})

    @pages.get("/healthz")
    def healthz() -> Response:
        now = trays.snapshot()
        online = sum(tray.online for tray in now.trays)
        is_lost = now.broker_lost_s is not None
        body: dict[str, object] = {
            "status": "warning" if is_lost else "ok",
            "version": version("traykeeper"),
            "trays": online,
            "matches": len(standings.matches(evening_start_s())),
        }
        if now.broker_lost_s is not None:
            body["troubles"] = [_broker_trouble(now.broker_lost_s)]
        return Response(json.dumps(body) + "\n", mimetype="application/json")

    return pages


def _broker_trouble(lost_s: float) -> dict[str, str]:
    return {
        "check": "broker",
        "level": "warning",
        "line": f"no connection to the broker since {clock(lost_s)}",
        "remedy": "check the broker and the network; the trays send what is missing later",
    }


def tray_json(tray: TrayStatus) -> dict[str, Any]:
    """Return the state of a tray as JSON for other programs."""
    return {
        "tray": tray.name,
        "online": tray.online,
        "match": tray.match,
        "seq": tray.seq,
        "situation": tray.situation,
        "message": tray.message,
        "page": tray.page,
        **(tray.summary or {}),
    }


def create_club(
    store: ClubStore,
    history: MatchHistory,
    people: People,
    trays: Trays,
    calls: TournamentCalls,
    *,
    steward: Steward,
    streams: Streams | None = None,
    hosts: AllowedHosts | None = None,
) -> Flask:
    """Create the application of a club board.

    Args:
        store: The database of the club.
        history: The matches with all their entries.
        people: The players of the club.
        trays: The current state of every tray.
        calls: The tournaments, and the calls of their players to trays.
        steward: Decides who may change what the club has stored.
        streams: The live streams, which the caller closes before the server stops; None creates them.
        hosts: The host names that requests may use; None allows any.
    """
    app = Flask("web")
    app.jinja_options = {"bytecode_cache": CompiledTemplates(TEMPLATES)}
    app.config.update(
        MAX_CONTENT_LENGTH=MAX_BODY_BYTES,
        SEND_FILE_MAX_AGE_DEFAULT=YEAR_S,
    )
    streams = streams or Streams()
    app.extensions["traykeeper_streams"] = streams
    Babel(app, locale_selector=lambda: LANGUAGE)
    register_filters(app.jinja_env)
    app.jinja_env.filters.update(clock=clock, day=day, when=day_and_clock)
    app.jinja_env.globals.update(asset=asset, build=build, goal=match_length)
    register_problems(app, "club/lost.html")
    if hosts is not None:
        register_hosts(app, hosts)
    origin.register(app, accept_forms=True)  # forms carry the steward's cookie
    app.after_request(_send_origin)
    standings = League(store)
    app.register_blueprint(create_screen(app, trays, standings, calls, streams))
    app.register_blueprint(create_pages(history, people, standings))
    app.register_blueprint(create_steward(steward, people, trays))
    app.register_blueprint(create_tournament_pages(calls, people, steward, trays, store))
    app.register_blueprint(create_export(history, standings))
    return app


def _send_origin(response: Response) -> Response:
    # With the stricter policy of the tray's page, forms arrive without an origin and are refused.
    response.headers["Referrer-Policy"] = "same-origin"
    return response


def clock(at_s: float) -> str:
    """Return a time in seconds since 1970 as the board's local time, such as "20:41"."""
    return time.strftime("%H:%M", time.localtime(at_s))


def day(at_s: float) -> str:
    """Return a time in seconds since 1970 as the board's local date, such as "21 Nov 2026"."""
    return time.strftime("%d %b %Y", time.localtime(at_s)).lstrip("0")


def day_and_clock(at_s: float) -> str:
    """Return a time in seconds since 1970 as a local date and time, such as "21 Nov 2026, 20:41"."""
    return f"{day(at_s)}, {clock(at_s)}"
