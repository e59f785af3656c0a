"""The big screen: every tray live, the evening's table and matches; drawn once for each change."""

import json
from hashlib import blake2s
from importlib.metadata import version
from typing import Any, Protocol

from flask import Blueprint, Flask, Response, make_response, render_template
from flask_babel import force_locale

from web.club.standings import League, evening_began_s
from web.club.tournaments import Tournaments
from web.club.trays import ShownTray, TraysSnapshot
from web.pages.scoreboard import HEARTBEAT
from web.response import json_answer
from web.stream import Streams, event_text
from web.version_cache import VersionCache

SECTIONS = ("calls", "trays", "standings", "evening")
MATCHES_SHOWN = 12

LANGUAGE = "en"
"""All look at one screen: it speaks one language."""


class Following(Protocol):
    """The hall, as the screen needs it."""

    def snapshot(self) -> TraysSnapshot: ...

    def wait(self, after: int, timeout_s: float) -> TraysSnapshot | None: ...

    def refresh(self) -> None: ...


class Screen:
    """Renders the sections of the screen."""

    def __init__(self, app: Flask, standings: League, tournaments: Tournaments) -> None:
        self._app, self._standings, self._tournaments = app, standings, tournaments
        self.sections: VersionCache[TraysSnapshot, dict[str, str]] = VersionCache(self._all)
        self.event: VersionCache[TraysSnapshot, str] = VersionCache(
            lambda snapshot: event_text("board", self.html(snapshot))
        )

    def html(self, snapshot: TraysSnapshot) -> str:
        """All sections one after the other, for a browser that is to swap them."""
        return "\n".join(self.sections(snapshot).values())

    def _all(self, snapshot: TraysSnapshot) -> dict[str, str]:
        since_s = evening_began_s()
        values = {
            "calls": self._tournaments.calls(),
            "trays": snapshot.trays,
            "standings": self._standings.table(since_s),
            "matches": self._standings.matches(since_s, over=True, limit=MATCHES_SHOWN),
        }
        with self._app.app_context(), force_locale(LANGUAGE):
            return {name: self._section(name, values) for name in SECTIONS}

    def _section(self, name: str, values: dict[str, Any]) -> str:
        templates = self._app.jinja_env
        inner = templates.get_template(f"club/_{name}.html").render(**values).strip()
        digest = blake2s(inner.encode(), digest_size=6).hexdigest()
        section = templates.get_template("_section.html")
        return section.render(name=name, digest=digest, inner=inner)


def create_screen(
    trays: Following, standings: League, streams: Streams, screen: Screen
) -> Blueprint:
    """The blueprint of the live screen, and of the same as JSON."""
    pages = Blueprint("screen", __name__)

    @pages.get("/")
    def big_screen() -> Response:
        sections = screen.sections(trays.snapshot())
        response = make_response(render_template("club/screen.html", sections=sections))
        response.headers["Cache-Control"] = "no-store"
        return response

    @pages.get("/live")
    def live() -> Response:
        return streams.open(trays, screen.event, HEARTBEAT)

    @pages.get("/board")
    def poll() -> Response:
        return Response(screen.html(trays.snapshot()), headers={"Cache-Control": "no-store"})

    @pages.get("/api/v1/club")
    def as_json() -> Response:
        return json_answer({"trays": [tray_json(tray) for tray in trays.snapshot().trays]})

    @pages.get("/healthz")
    def healthz() -> Response:
        online = sum(tray.online for tray in trays.snapshot().trays)
        body = {
            "status": "ok",
            "version": version("traykeeper"),
            "trays": online,
            "matches": len(standings.matches(evening_began_s())),
        }
        return Response(json.dumps(body) + "\n", mimetype="application/json")

    return pages


def tray_json(tray: ShownTray) -> dict[str, Any]:
    """A tray for programs."""
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
