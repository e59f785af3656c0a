"""The scoreboard, the television board and the page of turns, with their live streams."""

from collections.abc import Callable

from flask import Blueprint, Flask, Response, render_template

from web.contracts.table import Table
from web.pages.sections import OVERLAY, STORY, TV, SectionsByLanguage
from web.response import fresh
from web.state.state_json import state_json
from web.stream import Streams

HEARTBEAT = "event: beat\ndata:\n\n"
"""A heartbeat is an event rather than a comment, so that the page notices if no heartbeat arrives."""


def create_scoreboard(
    table: Table, streams: Streams, app: Flask, *, has_overlay: bool = True
) -> Blueprint:
    """Create the blueprint of the live pages.

    Args:
        table: The table to show.
        streams: The live streams.
        app: The application that has the templates.
        has_overlay: Whether there is a page for video streams.
    """
    page = Blueprint("page", __name__)
    boards = SectionsByLanguage(app)
    _add_board(page, table, streams, SectionsByLanguage(app, TV), name="board", template="tv.html")
    _add_board(
        page, table, streams, SectionsByLanguage(app, STORY), name="turns", template="story.html"
    )
    if has_overlay:
        overlays = SectionsByLanguage(app, OVERLAY)
        _add_board(page, table, streams, overlays, name="overlay", template="overlay.html")

    @page.get("/")
    def scoreboard() -> Response:
        snapshot = table.snapshot()
        sections = boards.current().sections(snapshot)
        return fresh(render_template("board.html", sections=sections, state=snapshot))

    @page.get("/new")
    def new_match() -> Response:
        snapshot = table.snapshot()
        current = snapshot.match.rules if snapshot.match else None
        return fresh(render_template("new.html", state=state_json(snapshot), current=current))

    @page.get("/join")
    def join_card() -> Response:
        """Show the card to print and stick on the tray."""
        return fresh(render_template("join.html", state=state_json(table.snapshot())))

    @page.get("/manifest.webmanifest")
    def manifest() -> Response:
        """Describe the page for phones that install it as an app."""
        text = render_template("manifest.json")
        return Response(text, mimetype="application/manifest+json")

    _add_stream(page, table, streams, boards)
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
    """Add a page of sections at /NAME, with its own stream."""

    def whole() -> Response:
        snapshot = table.snapshot()
        sections = boards.current().sections(snapshot)
        return fresh(render_template(template, sections=sections, state=state_json(snapshot)))

    page.add_url_rule(f"/{name}", name, whole)
    _add_stream(page, table, streams, boards, name)


def _add_stream(
    page: Blueprint, table: Table, streams: Streams, boards: SectionsByLanguage, name: str = ""
) -> None:
    """Add the stream of a page of sections, and the same data for phones that do not receive the stream."""
    prefix = f"/{name}" if name else ""

    @page.get(f"{prefix}/live", endpoint=f"{name}_live")
    def live() -> Response:
        return streams.open(table, boards.current().event, HEARTBEAT)

    @page.get(f"{prefix}/sections", endpoint=f"{name}_sections")
    def sections() -> Response:
        return fresh(boards.current().html(table.snapshot()))


def page_renderer(table: Table) -> Callable[..., Response]:
    """Return a function that renders a template with the current snapshot of the table."""

    def show(template: str, **values: object) -> Response:
        return fresh(render_template(template, state=table.snapshot(), **values))

    return show
