"""The API for the images of corrected throws: counting, downloading and deleting them."""

from dataclasses import asdict

from flask import Response

from game.message import Message
from web.concurrency_limit import ConcurrencyLimit
from web.contracts.misreads import Misreads
from web.fields import boolean
from web.problem import required
from web.response import download, json_response
from web.route import Permission, Routes

MAX_DOWNLOADS = 2
"""How many downloads may run at once. Each reads up to 100 MB from the SD card."""


def create_misreads(misreads: Misreads | None) -> Routes:
    """Create the routes under /api/v1/corrections. If `misreads` is None, every request is refused."""
    routes = Routes("misreads", "/api/v1/corrections")
    limit = ConcurrencyLimit(MAX_DOWNLOADS)

    def store() -> Misreads:
        return required(misreads, Message("this Traykeeper stores no photos"))

    @routes.read("", "How many images of corrected throws are kept", errors=(404,))
    def status() -> Response:
        return json_response(asdict(store().status()))

    @routes.command("/switch", "Set whether to keep images of corrected throws", {"on": boolean()})
    def switch(on: bool) -> Response:  # noqa: FBT001 - a field of the body
        store().set_enabled(on=on)
        return status()

    @routes.command("/delete", "Delete all images of corrected throws")
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
