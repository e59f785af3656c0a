"""The web application: the page and the API over one table."""

from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from secrets import token_bytes

from flask import Flask

from game.errors import JournalError
from game.journal.history import History
from game.rules.rule_files import load, names
from game.rules.ruleset import Ruleset
from web import compression, problem
from web.access import idempotency, origin, phone
from web.access.origin import AllowedHosts, register_hosts
from web.access.owner import Owners
from web.access.phone import Phones
from web.access.pin import Pin
from web.access.scorekeeper import Scorekeeper
from web.api.calibration import create_calibration, create_calibration_page
from web.api.health import create_backups, create_health
from web.api.matches import create_matches
from web.api.misreads import create_misreads
from web.api.openapi import create_openapi
from web.api.picture import create_picture
from web.api.scorekeeper import create_pencil
from web.api.statistics import create_statistics, create_statistics_pages
from web.api.table import create_api
from web.concurrency_limit import ConcurrencyLimit
from web.contracts.calibration import Calibration
from web.contracts.coach import Coach
from web.contracts.maintenance import Maintainer
from web.contracts.misreads import Misreads
from web.contracts.table import Table
from web.i18n import languages
from web.pages import filters
from web.pages.assets import YEAR_S, asset
from web.pages.compiled_templates import TEMPLATES, CompiledTemplates
from web.pages.evening import create_evening
from web.pages.history_cache import CachedHistory
from web.pages.matches import PictureAt, create_match_pages, no_pictures
from web.pages.printouts import create_printouts
from web.pages.scoreboard import create_scoreboard, page_renderer
from web.response import state_response
from web.route import MAX_BODY_BYTES
from web.stream import Streams

MAX_HISTORY_REQUESTS, MAX_WAITING_HISTORY_REQUESTS = 3, 8
"""Matches and evenings that are worked out at once, and phones that wait for theirs: a fraction of the threads."""


def create_app(
    table: Table,
    *,
    calibration: Calibration | None = None,
    history: History | None = None,
    coach: Coach | None = None,
    rules: Sequence[Ruleset] | None = None,
    streams: Streams | None = None,
    maintainer: Maintainer | None = None,
    misreads: Misreads | None = None,
    hosts: AllowedHosts | None = None,
    scorekeeper: Scorekeeper | None = None,
    secret: bytes | None = None,
    pictures: PictureAt = no_pictures,
) -> Flask:
    """The application over this table.

    Args:
        table: the companion.
        calibration: fits camera and tray to each other; None where that cannot be.
        history: all matches of the journal; None where there is none.
        coach: looks back on matches; None where nothing is worked out.
        rules: the rule sets on offer, the usual one first; all published ones without.
        streams: the live streams; pass them to end them before the server stops.
        maintainer: looks after the appliance: health, backups, kept pictures.
        misreads: pictures of throws that were put right; None where none are kept.
        hosts: the names under which the page may be asked for; None means any.
        scorekeeper: who may change anything; without it a new one, which nobody holds.
        pictures: the camera's picture of a throw, by its position in the journal.
        secret: signs what phones carry, and makes the PIN; without it one for this run alone.
    """
    app = Flask(__name__)
    app.jinja_options = {"bytecode_cache": CompiledTemplates(TEMPLATES)}
    app.config.update(
        MAX_CONTENT_LENGTH=MAX_BODY_BYTES,
        SEND_FILE_MAX_AGE_DEFAULT=YEAR_S,
    )
    streams = streams or Streams()
    app.extensions["traykeeper_streams"] = streams
    scorekeeper, secret = scorekeeper or Scorekeeper(), secret or token_bytes(32)
    phones, pin, owners = Phones(secret), Pin(secret), Owners()
    app.extensions["traykeeper_pin"] = pin
    app.extensions["traykeeper_owners"] = owners
    offered = tuple(rules) if rules else tuple(load(name) for name in names())
    languages.register(app)
    filters.register(app.jinja_env)
    app.jinja_env.globals.update(asset=asset, rules=offered)
    problem.register(app)
    compression.register(app)
    if hosts is not None:
        register_hosts(app, hosts)
    origin.register(app)
    phone.register(app, table, scorekeeper, phones, owners)
    idempotency.register(
        app,
        partial(_marks, history),
        lambda: state_response(table.snapshot()),
    )
    show = page_renderer(table)
    limit = ConcurrencyLimit(MAX_HISTORY_REQUESTS, waiting=MAX_WAITING_HISTORY_REQUESTS)
    past = CachedHistory(history.path) if history else None
    for blueprint in (
        create_scoreboard(table, streams, app),
        create_printouts(table, offered),
        limit.limit_blueprint(create_match_pages(show, past, coach, pictures)),
        limit.limit_blueprint(create_evening(show, past, coach, pictures)),
        create_statistics_pages(show, coach),
        create_calibration_page(table, calibration),
        create_health(table, maintainer, misreads),
        create_api(table, streams, offered),
        create_pencil(table, scorekeeper, pin, phones, owners),
        create_picture(table),
        limit.limit_blueprint(create_matches(past, coach)),
        create_statistics(coach),
        create_calibration(calibration),
        create_backups(maintainer),
        create_misreads(misreads),
        create_openapi(),
    ):
        app.register_blueprint(blueprint)
    return app


def _marks(history: History | None) -> tuple[str, ...]:
    """Those of the newest steps, where they can be read."""
    with suppress(JournalError):
        return history.requests() if history else ()
    return ()


def new_link(app: Flask) -> str:
    """What to put behind the page's address so that it gives the pencil, once.

    It stands behind the #, so that no server and no log ever sees it; the page sends it.
    """
    pin: Pin = app.extensions["traykeeper_pin"]
    return f"#pencil={pin.new_link()}"
