"""The big screen of a club night, rendered once each time a tray changes."""

import json
from importlib.metadata import version
from typing import Any

from flask import Blueprint, Flask, Response, render_template
from flask_babel import force_locale

from web.club.standings import League, evening_start_s
from web.club.tournament_calls import TournamentCalls
from web.club.trays import Trays, TraysSnapshot, TrayStatus
from web.pages.scoreboard import HEARTBEAT
from web.pages.sections import render_section
from web.response import fresh, json_response
from web.stream import Streams, format_event
from web.version_cache import VersionCache

SECTIONS = ("calls", "trays", "standings", "evening")
MAX_MATCHES = 12

LANGUAGE = "en"
"""Language of the screen. There is only one, because everybody looks at the same screen."""


class Screen:
    """The sections of the big screen as HTML.

    Args:
        app: The application that has the templates.
        standings: The results of tonight's matches.
        calls: The players who are called to a tray.
    """

    def __init__(self, app: Flask, standings: League, calls: TournamentCalls) -> None:
        self._app, self._standings, self._calls = app, standings, calls
        self.sections: VersionCache[TraysSnapshot, dict[str, str]] = VersionCache(self._render_all)
        self.event: VersionCache[TraysSnapshot, str] = VersionCache(
            lambda snapshot: format_event("board", self.html(snapshot))
        )

    def html(self, snapshot: TraysSnapshot) -> str:
        """Return all sections, one after the other, for a browser that replaces the changed ones."""
        return "\n".join(self.sections(snapshot).values())

    def _render_all(self, snapshot: TraysSnapshot) -> dict[str, str]:
        since_s = evening_start_s()
        values: dict[str, object] = {
            "calls": self._calls.open_calls(),
            "trays": snapshot.trays,
            "standings": self._standings.table(since_s),
            "matches": self._standings.matches(since_s, over=True, limit=MAX_MATCHES),
        }
        with self._app.app_context(), force_locale(LANGUAGE):
            return {
                name: render_section(self._app.jinja_env, name, f"club/_{name}.html", **values)
                for name in SECTIONS
            }


def create_screen(trays: Trays, standings: League, streams: Streams, screen: Screen) -> Blueprint:
    """Create the blueprint of the big screen and of its content as JSON.

    Args:
        trays: The current state of every tray.
        standings: The results of tonight's matches.
        streams: The live streams.
        screen: The rendered sections.
    """
    pages = Blueprint("screen", __name__)

    @pages.get("/")
    def big_screen() -> Response:
        sections = screen.sections(trays.snapshot())
        return fresh(render_template("club/screen.html", sections=sections))

    @pages.get("/live")
    def live() -> Response:
        return streams.open(trays, screen.event, HEARTBEAT)

    @pages.get("/board")
    def poll() -> Response:
        return fresh(screen.html(trays.snapshot()))

    @pages.get("/api/v1/club")
    def as_json() -> Response:
        return json_response({"trays": [tray_json(tray) for tray in trays.snapshot().trays]})

    @pages.get("/healthz")
    def healthz() -> Response:
        online = sum(tray.online for tray in trays.snapshot().trays)
        body = {
            "status": "ok",
            "version": version("traykeeper"),
            "trays": online,
            "matches": len(standings.matches(evening_start_s())),
        }
        return Response(json.dumps(body) + "\n", mimetype="application/json")

    return pages


def tray_json(tray: TrayStatus) -> dict[str, Any]:
    """Return the state of a tray as JSON for other programs."""
    return {
        "tray": tray.name,
        "online": tray.online,
        "match": tray.match,
        "seq": tray.seq,
        "situation": tray.situation,
        "message": tray.message,
        "page": tray.page,
        **(tray.summary or {}),
    }
