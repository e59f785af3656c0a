"""How the appliance does, for watchdogs and for people; its backups; pictures of throws."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from importlib.metadata import version

from flask import Blueprint, Response, make_response, render_template

from game.message import Message
from web.concurrency_limit import ConcurrencyLimit
from web.contracts.maintenance import HealthCheck, Maintainer
from web.contracts.misreads import Misreads
from web.contracts.table import Table
from web.fields import Base64, Whole
from web.problem import HttpProblem
from web.response import in_parts, json_response, state_response
from web.route import Routes, Who

MAX_PART = 98_304
"""Of a backup that is sent: 64 kB, as JSON. So nobody can fill the disk with half a request."""

OPEN = 2
"""Backups that are sent at once: each is a file on the card until its phone has all of it."""

HIGHEST = 2**53


def create_health(
    table: Table, maintainer: Maintainer | None, misreads: Misreads | None
) -> Blueprint:
    """The page, and what watchdogs ask for."""
    health = Blueprint("health", __name__)

    @health.get("/healthz")
    def healthz() -> Response:
        """200 as long as the table can be asked: what is wrong is in the answer."""
        notice = table.snapshot().notice
        bad = [_json(check) for check in _checks(maintainer) if check.is_bad]
        levels = {check["level"] for check in bad}
        worst = "failed" if "failed" in levels else "warning" if levels else "ok"
        body: dict[str, object] = {"status": worst, "version": version("traykeeper")}
        body |= ({"notice": str(notice)} if notice else {}) | ({"troubles": bad} if bad else {})
        return Response(json.dumps(body) + "\n", mimetype="application/json")

    @health.get("/health")
    def page() -> Response:
        response = make_response(
            render_template(
                "health.html",
                checks=_checks(maintainer),
                maintainer=maintainer,
                store=misreads.status() if misreads else None,
                found=maintainer.found_backup() if maintainer else None,
                state=table.snapshot(),
                version=version("traykeeper"),
            )
        )
        response.headers["Cache-Control"] = "no-store"
        return response

    return health


def create_backups(maintainer: Maintainer | None) -> Routes:
    """The routes of checks, backups and kept pictures; without a maintainer nothing is kept."""
    routes = Routes("backups")
    limit = ConcurrencyLimit(OPEN)

    def kept() -> Maintainer:
        if maintainer is None:
            raise HttpProblem(404, Message("this table keeps nothing"))
        return maintainer

    @routes.reads("/health", "Every check of the appliance")
    def all_checks() -> Response:
        return json_response([_json(check) for check in _checks(maintainer)])

    @routes.reads(
        "/backup", "Matches, calibration and settings", kind="application/zip",
        who=Who.OWNER, refused=(403, 404, 503),
    )  # fmt: skip
    @limit.limit_download
    def backup() -> Response:
        name = f"traykeeper-{datetime.now(UTC).astimezone():%Y-%m-%d}.zip"
        headers = {
            "Cache-Control": "no-store",
            "Content-Disposition": f'attachment; filename="{name}"',
        }
        return Response(in_parts(kept().backup()), headers=headers, mimetype="application/zip")

    @routes.does(
        "/restore/part", "A part of a backup, in base64, and where it begins",
        {"at": Whole(0, HIGHEST), "part": Base64(MAX_PART)}, who=Who.OWNER, most_bytes=MAX_PART,
    )  # fmt: skip
    def receive(at: int, part: bytes) -> Response:
        return json_response({"at": kept().receive(at, part)})

    @routes.does("/restore", "Put the backup that was sent in place", who=Who.OWNER, is_state=True)
    def restore() -> Response:
        return state_response(kept().restore())

    @routes.reads(
        "/frame/<int:position>.jpg", "The camera's picture of that throw",
        kind="image/jpeg", refused=(404,),
    )  # fmt: skip
    def frame(position: int) -> Response:
        jpeg = kept().frame(position) if position <= HIGHEST else None
        if jpeg is None:
            raise HttpProblem(404, Message("no picture of that throw is kept: they go with time"))
        kept_for = {"Cache-Control": "private, max-age=86400"}
        return Response(jpeg, headers=kept_for, mimetype="image/jpeg")

    _add_found(routes, kept)
    return routes


def _add_found(routes: Routes, kept: Callable[[], Maintainer]) -> None:
    @routes.does(
        "/restore/found", "Put the backup of a stick or the card in place",
        who=Who.OWNER, is_state=True,
    )  # fmt: skip
    def restore_found() -> Response:
        return state_response(kept().restore_found())

    @routes.does(
        "/restore/forget", "The backup of a stick or the card is not wanted", who=Who.OWNER
    )
    def dismiss_found() -> Response:
        kept().dismiss_found()
        return json_response({})


def _checks(maintainer: Maintainer | None) -> tuple[HealthCheck, ...]:
    return maintainer.health() if maintainer else ()


def _json(check: HealthCheck) -> dict[str, str | None]:
    return {
        "check": str(check.name),
        "level": check.level,
        "line": str(check.line),
        "remedy": str(check.remedy) if check.remedy else None,
    }
