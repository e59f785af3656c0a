"""The steward of a club, the only person who may change its players and tournaments.

The board prints a link with a key when it starts. The browser that opens the link keeps the key in
a cookie that scripts cannot read, and does not send it with requests from other sites. Everybody
else may only read.
"""

import hmac
import secrets
from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from pathlib import Path
from typing import Any, Self

from flask import Blueprint, redirect, request
from werkzeug.wrappers import Response

from game.file_io import write_atomically
from game.message import Message
from web.club.people import People
from web.club.tray_inbox import Trays
from web.pages.templates import YEAR_S
from web.response import HttpProblem

COOKIE = "steward"


def _new_key() -> str:
    return secrets.token_urlsafe(16)


class Steward:
    """Checks whether a request comes from the steward.

    Args:
        key: The secret of the steward's link.
    """

    def __init__(self, key: str) -> None:
        self._key = key

    def __repr__(self) -> str:
        return "<Steward>"

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read the key from a file, which is created if it is missing or incomplete.

        Only the owner of the file can read it. If the file cannot be written, the key is valid until the
        board stops.
        """
        with suppress(OSError, UnicodeDecodeError):
            key = path.read_text("utf-8").strip()
            if len(key) >= len(_new_key()):
                return cls(key)
        key = _new_key()
        with suppress(OSError):
            write_atomically(path, key)
        return cls(key)

    @property
    def link_path(self) -> str:
        """The part of the steward's link after the address of the board."""
        return f"steward/{self._key}"

    def accepts(self, key: str) -> bool:
        """Return whether this is the key; an empty string never is."""
        return bool(key) and hmac.compare_digest(key.encode(), self._key.encode())

    @property
    def is_here(self) -> bool:
        """Whether the current request comes from the steward's browser."""
        return self.accepts(request.cookies.get(COOKIE, ""))

    def required(self, view: Callable[..., Any]) -> Callable[..., Any]:
        """Decorate a view that only the steward may use."""

        @wraps(view)
        def checked(**values: Any) -> Any:
            if not self.is_here:
                raise HttpProblem(
                    403,
                    Message(
                        "only the steward can change this: open the link that the club board "
                        "printed when it started"
                    ),
                )
            return view(**values)

        return checked


def create_steward(steward: Steward, people: People, trays: Trays) -> Blueprint:
    """Create the blueprint of the steward's link and of the actions on players.

    Args:
        steward: Checks the key.
        people: The players of the club.
        trays: The current state of every tray; after a change, it is published again for the screen.
    """
    pages = Blueprint("steward", __name__)
    pages.app_context_processor(lambda: {"steward": steward.is_here})

    @pages.get("/steward/<key>")
    def enter(key: str) -> Response:
        if not steward.accepts(key):
            raise HttpProblem(
                403,
                Message("that link is wrong: the club board prints the right one when it starts"),
            )
        response = redirect("/")
        response.set_cookie(COOKIE, key, max_age=YEAR_S, httponly=True, samesite="Strict")
        return response

    @pages.post("/players/<int:player>/merge")
    @steward.required
    def merge(player: int) -> Response:
        into = request.form.get("into", type=int) or 0
        people.merge(player, into)
        trays.refresh()
        return redirect(f"/players/{into}", 303)

    @pages.post("/players/<int:player>/split")
    @steward.required
    def split(player: int) -> Response:
        other = people.split(player, request.form.get("name", ""), request.form.get("tray", ""))
        trays.refresh()
        return redirect(f"/players/{other}", 303)

    return pages
