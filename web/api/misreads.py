"""Pictures of corrected throws: how many are kept, and their way out, for who holds the pencil."""

from dataclasses import asdict

from flask import Response

from game.message import Message
from web.concurrency_limit import ConcurrencyLimit
from web.contracts.misreads import Misreads
from web.fields import Yes
from web.problem import HttpProblem
from web.response import json_response
from web.route import Routes, Who

OPEN = 2
"""Downloads at once: each reads 100 MB from the card."""


def create_misreads(misreads: Misreads | None) -> Routes:
    """The routes of /api/v1/corrections."""
    routes = Routes("misreads", "/api/v1/corrections")
    limit = ConcurrencyLimit(OPEN)

    def kept() -> Misreads:
        if misreads is None:
            raise HttpProblem(404, Message("this table keeps no pictures"))
        return misreads

    @routes.reads("", "How many pictures of corrected throws are kept", refused=(404,))
    def store() -> Response:
        return json_response(asdict(kept().status()))

    @routes.does("/switch", "Whether pictures of corrected throws are kept", {"on": Yes()})
    def switch(on: bool) -> Response:  # noqa: FBT001 - a field of the body
        kept().set_enabled(on=on)
        return store()

    @routes.does("/delete", "Delete them all")
    def delete() -> Response:
        kept().delete_all()
        return store()

    @routes.reads(
        "/pictures.zip", "All of them with labels, for the holder",
        kind="application/zip", who=Who.HOLDER, refused=(403, 404, 503),
    )  # fmt: skip
    @limit.limit_download
    def pictures() -> Response:
        headers = {
            "Cache-Control": "no-store",
            "Content-Disposition": 'attachment; filename="traykeeper-corrections.zip"',
        }
        return Response(kept().zip_parts(), headers=headers, mimetype="application/zip")

    return routes
