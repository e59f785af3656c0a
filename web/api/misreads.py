"""Pictures of corrected throws: how many are kept, and their way out, for who holds the pencil."""

from dataclasses import asdict

from flask import Blueprint, Response, g, request

from web.access.pencil import Pencil
from web.contracts.misreads import Misreads
from web.problem import HttpProblem
from web.request import RequestBody
from web.response import json_answer


def create_corrections(corrections: Misreads | None, pencil: Pencil) -> Blueprint:
    """The blueprint of /api/v1/corrections."""
    blueprint = Blueprint("corrections", __name__, url_prefix="/api/v1/corrections")

    def kept() -> Misreads:
        if corrections is None:
            raise HttpProblem(404, "this table keeps no pictures")
        return corrections

    @blueprint.get("")
    def store() -> Response:
        return json_answer(asdict(kept().store()))

    @blueprint.post("/switch")
    def switch() -> Response:
        on = RequestBody.of(request, "on").boolean("on")
        kept().switch(on=on)
        return store()

    @blueprint.post("/delete")
    def delete() -> Response:
        RequestBody.of(request)
        kept().delete()
        return store()

    @blueprint.get("/pictures.zip")
    def pictures() -> Response:
        if not pencil.holds(g.phone):
            raise HttpProblem(403, "only the phone that holds the pencil takes pictures with it")
        headers = {
            "Cache-Control": "no-store",
            "Content-Disposition": 'attachment; filename="traykeeper-corrections.zip"',
        }
        return Response(kept().packed(), headers=headers, mimetype="application/zip")

    return blueprint
