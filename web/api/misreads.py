"""Pictures of corrected throws: how many are kept, and their way out, for who holds the pencil."""

from dataclasses import asdict

from flask import Response

from game.message import Message
from web.contracts.misreads import Misreads
from web.few_at_once import FewAtOnce
from web.fields import Yes
from web.problem import HttpProblem
from web.response import json_answer
from web.route import Routes, Who

OPEN = 2
"""Downloads at once: each reads 100 MB from the card."""


def create_misreads(misreads: Misreads | None) -> Routes:
    """The routes of /api/v1/corrections."""
    routes = Routes("misreads", "/api/v1/corrections")
    few = FewAtOnce(OPEN)

    def kept() -> Misreads:
        if misreads is None:
            raise HttpProblem(404, Message("this table keeps no pictures"))
        return misreads

    @routes.reads("", "How many pictures of corrected throws are kept", refused=(404,))
    def store() -> Response:
        return json_answer(asdict(kept().store()))

    @routes.does("/switch", "Whether pictures of corrected throws are kept", {"on": Yes()})
    def switch(on: bool) -> Response:  # noqa: FBT001 - a field of the body
        kept().switch(on=on)
        return store()

    @routes.does("/delete", "Delete them all")
    def delete() -> Response:
        kept().delete()
        return store()

    @routes.reads(
        "/pictures.zip", "All of them with labels, for the holder",
        kind="application/zip", who=Who.HOLDER, refused=(403, 404, 503),
    )  # fmt: skip
    @few.sent
    def pictures() -> Response:
        headers = {
            "Cache-Control": "no-store",
            "Content-Disposition": 'attachment; filename="traykeeper-corrections.zip"',
        }
        return Response(kept().packed(), headers=headers, mimetype="application/zip")

    return routes
