"""The scoreboard page, and the stream that keeps it live."""

from collections.abc import Callable

from flask import Blueprint, Flask, Response, make_response, render_template

from web.contracts.table import Table
from web.pages.sections import STORY, TV, SectionsByLanguage
from web.state.state_json import state_json
from web.stream import Streams

HEARTBEAT = "event: beat\ndata:\n\n"
"""A comment would do for the wire; the page must see it, to notice when it stops."""


def create_scoreboard(table: Table, streams: Streams, app: Flask) -> Blueprint:
    """The blueprint of what people look at."""
    page = Blueprint("page", __name__)
    boards = SectionsByLanguage(app)
    _add_board(page, table, streams, SectionsByLanguage(app, TV), name="board", template="tv.html")
    _add_board(
        page, table, streams, SectionsByLanguage(app, STORY), name="turns", template="story.html"
    )

    @page.get("/")
    def scoreboard() -> Response:
        snapshot = table.snapshot()
        sections = boards.here().sections(snapshot)
        return _fresh(render_template("board.html", sections=sections, state=snapshot))

    @page.get("/new")
    def new_match() -> Response:
        snapshot = table.snapshot()
        current = snapshot.match.rules if snapshot.match else None
        return _fresh(render_template("new.html", state=state_json(snapshot), current=current))

    @page.get("/join")
    def join_card() -> Response:
        """To print, and stick on the tray."""
        return _fresh(render_template("join.html", state=state_json(table.snapshot())))

    @page.get("/manifest.webmanifest")
    def manifest() -> Response:
        """What a phone needs to put the page among its apps; the icons' addresses may change."""
        text = render_template("manifest.json")
        return Response(text, mimetype="application/manifest+json")

    @page.get("/live")
    def live() -> Response:
        return streams.open(table, boards.here().event, HEARTBEAT)

    @page.get("/sections")
    def sections() -> Response:
        """As an event of /live: what a phone asks for while no stream is free."""
        return _fresh(boards.here().html(table.snapshot()))

    return page


def _add_board(
    page: Blueprint,
    table: Table,
    streams: Streams,
    boards: SectionsByLanguage,
    *,
    name: str,
    template: str,
) -> None:
    """A page of some sections below /NAME, with its own stream."""

    def whole() -> Response:
        snapshot = table.snapshot()
        sections = boards.here().sections(snapshot)
        return _fresh(render_template(template, sections=sections, state=state_json(snapshot)))

    def live() -> Response:
        return streams.open(table, boards.here().event, HEARTBEAT)

    def sections() -> Response:
        return _fresh(boards.here().html(table.snapshot()))

    page.add_url_rule(f"/{name}", name, whole)
    page.add_url_rule(f"/{name}/live", f"{name}_live", live)
    page.add_url_rule(f"/{name}/sections", f"{name}_sections", sections)


def page_renderer(table: Table) -> Callable[..., Response]:
    """Renders a page that stands still: a template, with the table as it is now."""

    def show(template: str, **values: object) -> Response:
        return _fresh(render_template(template, state=table.snapshot(), **values))

    return show


def _fresh(html: str) -> Response:
    response = make_response(html)
    response.headers["Cache-Control"] = "no-store"
    return response
