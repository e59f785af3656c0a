"""The scoreboard page, and the stream that keeps it live."""

from flask import Blueprint, Response, make_response, render_template

from web.board import Board
from web.stream import Streams
from web.table import Table
from web.view import state_json

BEAT = "event: beat\ndata:\n\n"
"""A comment would do for the wire; the page must see it, to notice when it stops."""


def create_page(table: Table, streams: Streams, board: Board) -> Blueprint:
    """The blueprint of what people look at."""
    page = Blueprint("page", __name__)

    @page.get("/")
    def scoreboard() -> Response:
        snapshot = table.snapshot()
        sections = board.sections(snapshot)
        return _fresh(render_template("board.html", sections=sections, state=snapshot))

    @page.get("/new")
    def new_match() -> Response:
        state = state_json(table.snapshot())
        return _fresh(render_template("new.html", state=state))

    @page.get("/join")
    def join_card() -> Response:
        """To print, and stick on the tray."""
        return _fresh(render_template("join.html", state=state_json(table.snapshot())))

    @page.get("/live")
    def live() -> Response:
        return streams.open(table, board.event, BEAT)

    @page.get("/board")
    def sections() -> Response:
        """As an event of /live: what a phone asks for while no stream is free."""
        return _fresh(board.html(table.snapshot()))

    return page


def _fresh(html: str) -> Response:
    response = make_response(html)
    response.headers["Cache-Control"] = "no-store"
    return response
