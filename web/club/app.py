"""The club board's own small application, on the parts of the table's page."""

import time

from flask import Flask, Response
from flask_babel import Babel

from game.count_words import goal
from web import problem
from web.access import origin
from web.access.origin import AllowedHosts, register_hosts
from web.club.downloads import create_export
from web.club.match_history import MatchHistory
from web.club.pages import create_cups, create_pages
from web.club.people import People
from web.club.screen import LANGUAGE, Following, Screen, create_screen
from web.club.standings import League
from web.club.steward import Steward, create_steward
from web.club.store import ClubStore
from web.club.tournaments import Tournaments
from web.pages import filters
from web.pages.assets import YEAR_S, asset
from web.pages.compiled_templates import TEMPLATES, CompiledTemplates
from web.route import MAX_BYTES
from web.stream import Streams


def create_club(
    store: ClubStore,
    history: MatchHistory,
    people: People,
    trays: Following,
    tournaments: Tournaments,
    *,
    steward: Steward,
    streams: Streams | None = None,
    hosts: AllowedHosts | None = None,
) -> Flask:
    """The board over this history and these trays.

    Args:
        store: where the history is, and the players.
        history: the matches, entry by entry.
        people: the players.
        trays: the trays as they stand now.
        tournaments: who meets whom, and where.
        steward: who may change what the club remembers.
        streams: the live streams; pass them to end them before the server stops.
        hosts: the names under which the board may be asked for; None means any.
    """
    app = Flask("web")
    app.jinja_options = {"bytecode_cache": CompiledTemplates(TEMPLATES)}
    app.config.update(
        MAX_CONTENT_LENGTH=MAX_BYTES,
        SEND_FILE_MAX_AGE_DEFAULT=YEAR_S,
    )
    streams = streams or Streams()
    app.extensions["traykeeper_streams"] = streams
    Babel(app, locale_selector=lambda: LANGUAGE)
    filters.register(app.jinja_env)
    app.jinja_env.filters.update(clock=clock, day=day, when=day_and_clock)
    app.jinja_env.globals.update(asset=asset, goal=goal)
    problem.register(app, lost="club/lost.html")
    if hosts is not None:
        register_hosts(app, hosts)
    origin.register(app, forms=True)  # the steward's cookie stands behind each
    app.after_request(_with_origin)
    standings = League(store)
    screen = Screen(app, standings, tournaments)
    app.register_blueprint(create_screen(trays, standings, streams, screen))
    app.register_blueprint(create_pages(history, people, standings))
    app.register_blueprint(create_steward(steward, people, trays))
    app.register_blueprint(create_cups(tournaments, people, steward, trays))
    app.register_blueprint(create_export(history, standings))
    return app


def _with_origin(response: Response) -> Response:
    """Forms of a page that refers to nobody come from nowhere: the guard would turn them away."""
    response.headers["Referrer-Policy"] = "same-origin"
    return response


def clock(at_s: float) -> str:
    """The board's own time of day, "20:41"."""
    return time.strftime("%H:%M", time.localtime(at_s))


def day(at_s: float) -> str:
    """Such as "21 Nov 2026"."""
    return time.strftime("%d %b %Y", time.localtime(at_s)).lstrip("0")


def day_and_clock(at_s: float) -> str:
    return f"{day(at_s)}, {clock(at_s)}"
