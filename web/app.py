"""The web application: the page and the API over one table."""

from collections.abc import Sequence

from flask import Flask

from game.rulefile import load, names
from game.ruleset import Ruleset
from web import filters, guard, problem
from web.api import create_api
from web.asset import YEAR_S, asset
from web.board import Board
from web.body import MAX_BYTES
from web.calibrating import create_calibrating
from web.calibration import Calibration
from web.page import create_page
from web.paper import create_paper
from web.stream import Streams
from web.table import Table


def create_app(
    table: Table,
    *,
    calibration: Calibration | None = None,
    rules: Sequence[Ruleset] | None = None,
    streams: Streams | None = None,
    trusted_hosts: Sequence[str] | None = None,
) -> Flask:
    """The application over this table.

    Args:
        table: the companion.
        calibration: fits camera and tray to each other; None where that cannot be.
        rules: the rule sets on offer, the usual one first; all published ones without.
        streams: the live streams; pass them to end them before the server stops.
        trusted_hosts: the names under which the page may be asked for; None means any.
    """
    app = Flask(__name__)
    app.config.update(
        MAX_CONTENT_LENGTH=MAX_BYTES,
        SEND_FILE_MAX_AGE_DEFAULT=YEAR_S,
        TRUSTED_HOSTS=list(trusted_hosts) if trusted_hosts else None,
    )
    streams = streams or Streams()
    app.extensions["traykeeper_streams"] = streams
    offered = tuple(rules) if rules else tuple(load(name) for name in names())
    filters.register(app.jinja_env)
    app.jinja_env.globals.update(asset=asset, rules=offered)
    problem.register(app)
    guard.register(app)
    app.register_blueprint(create_api(table, streams, offered))
    app.register_blueprint(create_page(table, streams, Board(app.jinja_env)))
    app.register_blueprint(create_paper(table, offered[0]))
    app.register_blueprint(create_calibrating(table, calibration))
    return app
