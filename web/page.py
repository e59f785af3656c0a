"""The scoreboard page, and the stream that keeps it live."""

import json

from flask import Blueprint, Response, make_response, render_template
from jinja2 import Environment

from web.board import TV, Board
from web.stream import Streams
from web.table import Table
from web.view import state_json

BEAT = "event: beat\ndata:\n\n"
"""A comment would do for the wire; the page must see it, to notice when it stops."""


def create_page(table: Table, streams: Streams, templates: Environment) -> Blueprint:
    """The blueprint of what people look at."""
    page = Blueprint("page", __name__)
    board = Board(templates)
    _add_tv(page, table, streams, Board(templates, TV))

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

    @page.get("/sections")
    def sections() -> Response:
        """As an event of /live: what a phone asks for while no stream is free."""
        return _fresh(board.html(table.snapshot()))

    @page.get("/healthz")
    def healthz() -> Response:
        notice = table.snapshot().notice
        body = {"status": "ok"} | ({"notice": notice} if notice else {})
        return Response(json.dumps(body) + "\n", mimetype="application/json")

    return page


def _add_tv(page: Blueprint, table: Table, streams: Streams, tv: Board) -> None:
    """The board mode: for a television or a tablet that everybody looks at."""

    @page.get("/board")
    def big_board() -> Response:
        return _fresh(render_template("tv.html", sections=tv.sections(table.snapshot())))

    @page.get("/board/live")
    def big_live() -> Response:
        return streams.open(table, tv.event, BEAT)

    @page.get("/board/sections")
    def big_sections() -> Response:
        return _fresh(tv.html(table.snapshot()))


def _fresh(html: str) -> Response:
    response = make_response(html)
    response.headers["Cache-Control"] = "no-store"
    return response
