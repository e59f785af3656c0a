"""The club board's own small application, on the parts of the table's page."""

from flask import Flask, Response
from flask_babel import Babel

from web import filters, guard, problem
from web.asset import YEAR_S, asset
from web.body import MAX_BYTES
from web.club import words
from web.club.cups import create_cups
from web.club.export import create_export
from web.club.history import MatchHistory
from web.club.league import League
from web.club.pages import create_pages
from web.club.people import People
from web.club.screen import LANGUAGE, Following, Screen, create_screen
from web.club.steward import Steward, create_steward
from web.club.store import ClubStore
from web.club.tournaments import Tournaments
from web.hosts import AllowedHosts
from web.hosts import register as register_hosts
from web.stream import Streams


def create_club(
    store: ClubStore,
    history: MatchHistory,
    people: People,
    hall: Following,
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
        hall: the trays as they stand now.
        tournaments: who meets whom, and where.
        steward: who may change what the club remembers.
        streams: the live streams; pass them to end them before the server stops.
        hosts: the names under which the board may be asked for; None means any.
    """
    app = Flask("web")
    app.config.update(
        MAX_CONTENT_LENGTH=MAX_BYTES,
        SEND_FILE_MAX_AGE_DEFAULT=YEAR_S,
    )
    streams = streams or Streams()
    app.extensions["traykeeper_streams"] = streams
    Babel(app, locale_selector=lambda: LANGUAGE)
    filters.register(app.jinja_env)
    words.register(app.jinja_env)
    app.jinja_env.globals.update(asset=asset)
    problem.register(app, lost="club/lost.html")
    if hosts is not None:
        register_hosts(app, hosts)
    guard.register(app, forms=True)  # the steward's cookie stands behind each
    app.after_request(_with_origin)
    league = League(store)
    screen = Screen(app, league, tournaments)
    app.register_blueprint(create_screen(hall, league, streams, screen))
    app.register_blueprint(create_pages(history, people, league))
    app.register_blueprint(create_steward(steward, people, hall))
    app.register_blueprint(create_cups(tournaments, people, steward, hall))
    app.register_blueprint(create_export(history, league))
    return app


def _with_origin(response: Response) -> Response:
    """Forms of a page that refers to nobody come from nowhere: the guard would turn them away."""
    response.headers["Referrer-Policy"] = "same-origin"
    return response
