"""Pictures of corrected throws: how many are kept, and their way out, for who holds the pencil."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Protocol

from flask import Blueprint, Response, g, request

from web.answer import json_answer
from web.body import RequestBody
from web.pencil import Pencil
from web.problem import HttpProblem


@dataclass(frozen=True, slots=True)
class MisreadsKept:
    """What is kept now, and what may be."""

    on: bool
    pictures: int
    size_bytes: int
    most: int
    most_bytes: int


class Misreads(Protocol):
    """Pictures that were read wrong, with their true values. May be called from any thread."""

    def store(self) -> MisreadsKept: ...

    def switch(self, *, on: bool) -> None:
        """Whether more are kept, over a restart, too. Raises `TableError` if that fails."""

    def packed(self) -> Iterator[bytes]:
        """All of them with their labels as one zip, in parts."""

    def delete(self) -> None:
        """All of them. Raises `TableError` if that fails."""


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
