"""How the appliance does, for watchdogs and for people; its backups; pictures of throws."""

import json
from datetime import UTC, datetime

from flask import Blueprint, Response, make_response, render_template, request

from web.contracts.maintenance import HealthCheck, Maintainer
from web.contracts.misreads import Misreads
from web.contracts.table import Table
from web.problem import HttpProblem
from web.request import RequestBody
from web.response import json_answer, state_answer

MAX_PART = 98_304
"""Of a backup that is sent: 64 kB, as JSON. So nobody can fill the disk with half a request."""

HIGHEST = 2**53


def create_health(
    table: Table, keeper: Maintainer | None, corrections: Misreads | None = None
) -> Blueprint:
    """The blueprint; without a keeper there is nothing to back up, and only the table is known."""
    health = Blueprint("health", __name__)
    _add_health(health, table, keeper, corrections)
    _add_backup(health, keeper)
    return health


def _add_health(
    health: Blueprint, table: Table, keeper: Maintainer | None, corrections: Misreads | None
) -> None:
    def checks() -> tuple[HealthCheck, ...]:
        return keeper.health() if keeper else ()

    @health.get("/healthz")
    def healthz() -> Response:
        """200 as long as the table can be asked: what is wrong is in the answer."""
        notice = table.snapshot().notice
        bad = [_json(check) for check in checks() if check.bad]
        levels = {check["level"] for check in bad}
        worst = "failed" if "failed" in levels else "warning" if levels else "ok"
        body: dict[str, object] = {"status": worst}
        body |= ({"notice": notice} if notice else {}) | ({"troubles": bad} if bad else {})
        return Response(json.dumps(body) + "\n", mimetype="application/json")

    @health.get("/health")
    def page() -> Response:
        response = make_response(
            render_template(
                "health.html",
                checks=checks(),
                keeper=keeper,
                store=corrections.store() if corrections else None,
                state=table.snapshot(),
            )
        )
        response.headers["Cache-Control"] = "no-store"
        return response

    @health.get("/api/v1/health")
    def all_checks() -> Response:
        return json_answer([_json(check) for check in checks()])

    @health.post("/api/v1/heed")
    def heed() -> Response:
        RequestBody.of(request)
        return state_answer(table.heed())


def _add_backup(health: Blueprint, keeper: Maintainer | None) -> None:
    def kept() -> Maintainer:
        if keeper is None:
            raise HttpProblem(404, "this table keeps nothing")
        return keeper

    @health.get("/api/v1/backup")
    def backup() -> Response:
        name = f"traykeeper-{datetime.now(UTC).astimezone():%Y-%m-%d}.zip"
        headers = {
            "Cache-Control": "no-store",
            "Content-Disposition": f'attachment; filename="{name}"',
        }
        return Response(kept().backup(), headers=headers, mimetype="application/zip")

    @health.post("/api/v1/restore/part")
    def part() -> Response:
        request.max_content_length = MAX_PART
        body = RequestBody.of(request, "at", "part")
        return json_answer(
            {"at": kept().receive(body.integer("at", 0, HIGHEST), body.bytes("part"))}
        )

    @health.post("/api/v1/restore")
    def restore() -> Response:
        RequestBody.of(request)
        return state_answer(kept().restore())

    @health.get("/api/v1/frame/<int:position>.jpg")
    def frame(position: int) -> Response:
        jpeg = kept().frame(position) if position <= HIGHEST else None
        if jpeg is None:
            raise HttpProblem(404, "no picture of that throw is kept: they go with time")
        return Response(
            jpeg, headers={"Cache-Control": "private, max-age=86400"}, mimetype="image/jpeg"
        )


def _json(check: HealthCheck) -> dict[str, str | None]:
    return {
        "check": check.name,
        "level": check.level,
        "line": check.line,
        "remedy": check.remedy or None,
    }
