"""The health page, the answer for watchdogs, and the API of backups, kept images and images of corrected throws."""

import json
from collections.abc import Callable
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.metadata import version

from flask import Response, render_template, request

from game.message import Message
from web.concurrency_limit import ConcurrencyLimit
from web.contracts import HealthCheck, Maintainer, Misreads, MisreadStatus, Table
from web.fields import MAX_EXACT, MAX_PART, boolean, file_part, integer
from web.json_schema import CheckJson, HealthJson, StateJson
from web.response import (
    MOTION_JPEG,
    download,
    fresh,
    image_response,
    iter_chunks,
    json_response,
    required,
    state_response,
)
from web.route import Permission, Routes

MAX_PICTURE_DOWNLOADS = 2
"""How many downloads of images may run at once. Each reads up to 100 MB from the SD card."""

MAX_DOWNLOADS = 2
"""How many backups may be downloaded at once. Each is kept as a file until the phone has received it."""

CACHE_FRAME = "private, no-cache"
"""Browsers may keep the picture of a throw, but ask each time whether it has changed: after a backup was restored,
another throw can be at the same position in the journal."""


def create_misreads(misreads: Misreads | None) -> Routes:
    """Create the routes under /api/v1/corrections. If `misreads` is None, every request is refused."""
    routes = Routes("misreads", "/api/v1/corrections")
    limit = ConcurrencyLimit(MAX_PICTURE_DOWNLOADS)

    def store() -> Misreads:
        return required(misreads, Message("this Traykeeper stores no photos"))

    @routes.read(
        "", "How many images of corrected throws are kept", answers=MisreadStatus, errors=(404,)
    )
    def status() -> Response:
        return json_response(asdict(store().status()))

    @routes.command(
        "/switch",
        "Set whether to keep images of corrected throws",
        {"on": boolean()},
        answers=MisreadStatus,
    )
    def switch(on: bool) -> Response:  # noqa: FBT001 - a field of the body
        store().set_enabled(on=on)
        return status()

    @routes.command("/delete", "Delete all images of corrected throws", answers=MisreadStatus)
    def delete() -> Response:
        store().delete_all()
        return status()

    @routes.read(
        "/pictures.zip", "All images of corrected throws with their labels",
        media_type="application/zip", permission=Permission.SCOREKEEPER, errors=(403, 404, 503),
    )  # fmt: skip
    @limit.limit_download
    def pictures() -> Response:
        name = "traykeeper-corrections.zip"
        return download(store().zip_parts(), name, "application/zip")

    return routes


def create_health(table: Table, maintainer: Maintainer | None, misreads: Misreads | None) -> Routes:
    """Create the health page and the answer for watchdogs.

    Args:
        table: The companion.
        maintainer: Runs the checks; if it is None, nothing is checked.
        misreads: Images of corrected throws; None if none are kept.
    """
    health = Routes("health", "")

    @health.read(
        "/healthz", "Whether the companion responds, and what is wrong", answers=HealthJson
    )
    def healthz() -> Response:
        """Respond with 200 as long as the companion responds at all; the body lists problems."""
        notice = table.snapshot().notice
        bad = [_check_json(check) for check in _checks(maintainer) if check.is_bad]
        levels = {check["level"] for check in bad}
        worst = "failed" if "failed" in levels else "warning" if levels else "ok"
        body: HealthJson = {"status": worst, "version": version("traykeeper")}
        if notice:
            body["notice"] = str(notice)
        if bad:
            body["troubles"] = bad
        return Response(json.dumps(body) + "\n", mimetype="application/json")

    @health.get("/health")
    def page() -> Response:
        html = render_template(
            "health.html",
            checks=_checks(maintainer),
            maintainer=maintainer,
            store=misreads.status() if misreads else None,
            webhook=maintainer.webhook() if maintainer else None,
            found=maintainer.found_backup() if maintainer else None,
            state=table.snapshot(),
            version=version("traykeeper"),
        )
        return fresh(html)

    return health


def create_backups(maintainer: Maintainer | None) -> Routes:
    """Create the routes for health checks, backups and the images of throws.

    If `maintainer` is None, there are no checks, and all other requests are refused.
    """
    routes = Routes("backups")
    limit = ConcurrencyLimit(MAX_DOWNLOADS)

    def keeper() -> Maintainer:
        return required(maintainer, Message("this Traykeeper stores nothing"))

    @routes.read("/health", "Every check of the appliance", answers=list[CheckJson])
    def all_checks() -> Response:
        return json_response([_check_json(check) for check in _checks(maintainer)])

    @routes.read(
        "/backup", "Matches, calibration and settings as one file", media_type="application/zip",
        permission=Permission.OWNER, errors=(403, 404, 503),
    )  # fmt: skip
    @limit.limit_download
    def backup() -> Response:
        name = f"traykeeper-{datetime.now(UTC).astimezone():%Y-%m-%d}.zip"
        return download(iter_chunks(keeper().backup()), name, "application/zip")

    @routes.read(
        "/frame/<int:position>.jpg", "The camera image of a throw in the journal",
        media_type="image/jpeg", errors=(404,),
    )  # fmt: skip
    def frame(position: int) -> Response:
        jpeg = keeper().frame(position) if position <= MAX_EXACT else None
        missing = Message("there is no photo of that throw any more: old photos are deleted")
        return _revalidated(image_response(jpeg, missing, CACHE_FRAME))

    @routes.read(
        "/frame/<int:position>.mjpeg", "How the dice of a throw in the journal came to rest",
        media_type=MOTION_JPEG, errors=(404,),
    )  # fmt: skip
    def clip(position: int) -> Response:
        found = keeper().clip(position) if position <= MAX_EXACT else None
        missing = Message(
            "there is no clip of that throw: it was deleted or never recorded (see the setting `clips`)"
        )
        return _revalidated(image_response(found, missing, CACHE_FRAME, MOTION_JPEG))

    _add_restore(routes, keeper)
    return routes


def _revalidated(response: Response) -> Response:
    """Return a response without its body if the browser has the same picture already."""
    response.add_etag()
    response.make_conditional(request)
    return response


def _add_restore(routes: Routes, keeper: Callable[[], Maintainer]) -> None:
    owner = Permission.OWNER

    @routes.command(
        "/restore/part", "Send a part of a backup as base64, with its offset in bytes",
        {"at": integer(0, MAX_EXACT), "part": file_part()}, owner, max_body_bytes=MAX_PART, answers={"at": int},
    )  # fmt: skip
    def receive(at: int, part: bytes) -> Response:
        return json_response({"at": keeper().receive(at, part)})

    @routes.command(
        "/restore", "Restore the backup that was sent", permission=owner, answers=StateJson
    )
    def restore() -> Response:
        return state_response(keeper().restore())

    @routes.command(
        "/restore/found", "Restore the backup on the USB stick or the card",
        permission=owner, answers=StateJson,
    )  # fmt: skip
    def restore_found() -> Response:
        return state_response(keeper().restore_found())

    @routes.command(
        "/restore/forget", "Ignore the backup on the USB stick or the card", permission=owner
    )
    def dismiss_found() -> Response:
        keeper().dismiss_found()
        return json_response({})


def _checks(maintainer: Maintainer | None) -> tuple[HealthCheck, ...]:
    return maintainer.health() if maintainer else ()


def _check_json(check: HealthCheck) -> CheckJson:
    return {
        "check": str(check.name),
        "level": check.level,
        "line": str(check.line),
        "remedy": str(check.remedy) if check.remedy else None,
    }
