"""The web application of one table: its pages and its API."""

import gzip
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache, lru_cache, partial
from secrets import token_bytes
from typing import Any

from flask import Flask, Response, request
from werkzeug.routing import Rule

from game.errors import JournalError
from game.journal.history import History
from game.rules.rule_files import load, names
from game.rules.ruleset import Ruleset
from web import i18n
from web.access import idempotency, origin, phone
from web.access.origin import AllowedHosts, register_hosts
from web.access.phone import AccessControl
from web.access.scorekeeper import Scorekeeper
from web.api.calibration import create_calibration, create_calibration_page
from web.api.health import create_backups, create_health, create_misreads
from web.api.matches import create_matches, create_statistics, create_statistics_pages
from web.api.openapi import create_openapi
from web.api.scorekeeper import create_scorekeeper
from web.api.shared_match import create_shared_match, create_shared_page
from web.api.table import create_api, create_picture
from web.concurrency_limit import ConcurrencyLimit
from web.contracts import Calibration, Coach, Maintainer, Misreads, SharedPlay, Table
from web.pages.matches import (
    CachedHistory,
    PictureAt,
    create_evening,
    create_match_pages,
    no_pictures,
)
from web.pages.printouts import create_printouts
from web.pages.scoreboard import create_scoreboard, page_renderer
from web.pages.templates import (
    TEMPLATES,
    YEAR_S,
    CompiledTemplates,
    asset,
    build,
    register_filters,
)
from web.response import register_problems, state_response
from web.route import MAX_BODY_BYTES
from web.stream import StepStream, Streams

MAX_HISTORY_REQUESTS, MAX_WAITING_HISTORY_REQUESTS = 3, 8
"""How many requests for past matches may run at once, and how many more may wait."""

MIN_COMPRESSED_BYTES = 500
"""A shorter text fits into one network packet anyway."""

COMPRESSION_LEVEL = 9
"""Every text is compressed once, so the smallest result is worth the time."""
COMPRESSED_TYPES = (
    "text/html",
    "text/css",
    "text/javascript",
    "image/svg+xml",
    "application/manifest+json",
)
"""The media types that are compressed: those of pages. Some other programs do not know gzip."""

COMMENT = re.compile(rb"^ *//.*$", re.MULTILINE)
"""A line of comment in a script, which phones do not need. Its empty line keeps the numbers of the lines."""


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
    has_overlay: bool = True,
    readers: Sequence[str] = (),
    shared: SharedPlay | None = None,
) -> Flask:
    """Create the web application of a table.

    Args:
        table: The companion.
        calibration: Calibrates the camera and the tray; None if the table has no camera of its own.
        history: All matches in the journal; None if there is no journal.
        coach: Calculates odds and reviews matches; None if there is no coach.
        rules: The rule sets to choose from, the default first; None means all published ones.
        streams: The live streams, which the caller closes before the server stops; None creates them.
        maintainer: Looks after the appliance: health, backups, kept images; None if nothing does.
        misreads: Images of corrected throws; None if none are kept.
        hosts: The host names under which the page may be opened; None means any.
        scorekeeper: Decides who may change the match. By default, nobody may until a phone becomes the scorekeeper.
        secret: Key for signing the phones' cookies and deriving the PIN; by default, a new random key at each start.
        pictures: Returns the camera image of a throw from its position in the journal.
        has_overlay: Whether there is a page for video streams.
        readers: Addresses of other programs' pages that may read the API.
        shared: Plays matches with another tray; None if that is not possible.
    """
    app = Flask(__name__)
    app.url_rule_class = _LazyRule
    app.jinja_options = {"bytecode_cache": CompiledTemplates(TEMPLATES)}
    app.config.update(
        MAX_CONTENT_LENGTH=MAX_BODY_BYTES,
        SEND_FILE_MAX_AGE_DEFAULT=YEAR_S,
    )
    streams = streams or Streams()
    app.extensions["traykeeper_streams"] = streams
    access = AccessControl(secret or token_bytes(32), scorekeeper or Scorekeeper())
    app.extensions["traykeeper_access"] = access
    offered = tuple(rules) if rules else tuple(load(name) for name in names())
    i18n.register(app)
    register_filters(app.jinja_env)
    app.jinja_env.globals.update(asset=asset, build=build, rules=offered)
    register_problems(app)
    app.after_request(_compress)
    if hosts is not None:
        register_hosts(app, hosts)
    origin.register(app)
    origin.allow_readers(app, readers)
    phone.register(app, table, access)
    idempotency.register(
        app,
        partial(_request_marks, history),
        lambda: state_response(table.snapshot()),
    )
    show = page_renderer(table)
    limit = ConcurrencyLimit(MAX_HISTORY_REQUESTS, max_waiting=MAX_WAITING_HISTORY_REQUESTS)
    past = CachedHistory(history.path) if history else None
    for blueprint in (
        create_scoreboard(table, streams, app, has_overlay=has_overlay),
        create_printouts(table, offered),
        limit.limit_blueprint(create_match_pages(show, past, coach, pictures)),
        limit.limit_blueprint(create_evening(show, past, coach, pictures)),
        create_statistics_pages(show, coach),
        create_calibration_page(table, calibration),
        create_health(table, maintainer, misreads),
        create_api(
            table,
            streams,
            StepStream(history.path if history else None),
            offered,
            coach,
        ),
        create_scorekeeper(table, access),
        create_picture(table),
        create_shared_match(table, shared),
        create_shared_page(show, table, shared),
        limit.limit_blueprint(
            create_matches(past, coach, maintainer.clip_positions if maintainer else tuple)
        ),
        create_statistics(coach),
        create_calibration(calibration),
        create_backups(maintainer),
        create_misreads(misreads),
        create_openapi(),
    ):
        app.register_blueprint(blueprint)
    return app


class _LazyRule(Rule):
    """A route whose `url_for` is compiled on first use, because that takes longer than all else about a route."""

    def _compile_builder(self, *args: bool) -> Callable[..., tuple[str, str]]:
        compiled = cache(partial(super()._compile_builder, *args))

        def build(rule: Rule, **values: Any) -> tuple[str, str]:
            return compiled()(rule, **values)

        return build


def _request_marks(history: History | None) -> tuple[str, ...]:
    """Return the request marks of the newest steps, or none if the journal cannot be read."""
    with suppress(JournalError):
        return history.requests() if history else ()
    return ()


def new_link(app: Flask) -> str:
    """Return a suffix for the page's address that makes one phone the scorekeeper, once.

    The suffix is a fragment, which browsers do not send, so it appears in no log.
    """
    access: AccessControl = app.extensions["traykeeper_access"]
    return f"#scorekeeper={access.link.new_token()}"


def _compress(response: Response) -> Response:
    """Compress a page for a browser that accepts gzip, so that the first page loads faster over a slow network."""
    if response.mimetype not in COMPRESSED_TYPES or (
        response.is_streamed and not response.direct_passthrough
    ):
        return response
    response.vary.add("Accept-Encoding")
    if not _should_compress(response):
        return response
    response.direct_passthrough = False
    data = response.get_data()
    if response.mimetype == "text/javascript":
        data = COMMENT.sub(b"", data)
    if len(data) >= MIN_COMPRESSED_BYTES:
        response.set_data(_gzip(data))
        response.headers["Content-Encoding"] = "gzip"
        response.headers.pop("ETag", None)
    return response


def _should_compress(response: Response) -> bool:
    is_accepted = request.accept_encodings["gzip"] > 0
    is_whole = response.status_code == 200  # noqa: PLR2004 - 206 is a range of the plain file
    return is_accepted and is_whole and "Content-Encoding" not in response.headers


@lru_cache(maxsize=64)
def _gzip(data: bytes) -> bytes:
    """Compress data. The result is cached, because many phones ask for the same files."""
    return gzip.compress(data, COMPRESSION_LEVEL, mtime=0)
