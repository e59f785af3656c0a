"""The Flask application of the club board, which shares parts with the page of a tray."""

import time

from flask import Flask, Response
from flask_babel import Babel

from game.wording import match_length
from web import problem
from web.access import origin
from web.access.origin import AllowedHosts, register_hosts
from web.club.downloads import create_export
from web.club.match_history import MatchHistory
from web.club.pages import create_pages, create_tournament_pages
from web.club.people import People
from web.club.screen import LANGUAGE, Screen, create_screen
from web.club.standings import League
from web.club.steward import Steward, create_steward
from web.club.store import ClubStore
from web.club.tournament_calls import TournamentCalls
from web.club.trays import Trays
from web.pages import filters
from web.pages.assets import YEAR_S, asset
from web.pages.compiled_templates import TEMPLATES, CompiledTemplates
from web.route import MAX_BODY_BYTES
from web.stream import Streams


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
    filters.register(app.jinja_env)
    app.jinja_env.filters.update(clock=clock, day=day, when=day_and_clock)
    app.jinja_env.globals.update(asset=asset, goal=match_length)
    problem.register(app, "club/lost.html")
    if hosts is not None:
        register_hosts(app, hosts)
    origin.register(app, accept_forms=True)  # forms carry the steward's cookie
    app.after_request(_send_origin)
    standings = League(store)
    screen = Screen(app, standings, calls)
    app.register_blueprint(create_screen(trays, standings, streams, screen))
    app.register_blueprint(create_pages(history, people, standings))
    app.register_blueprint(create_steward(steward, people, trays))
    app.register_blueprint(create_tournament_pages(calls, people, steward, trays))
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
