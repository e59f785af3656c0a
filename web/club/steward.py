"""The one who may change what the club remembers: whoever opened the link that the board printed.

Everybody may look. The link carries a key, kept in a file of the board; the browser that opened it
keeps it in a cookie that no script reads and no other site's page sends.
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

from game.message import Message
from game.plain_file import write_whole
from web.club.people import People
from web.club.screen import Following
from web.pages.assets import YEAR_S
from web.problem import HttpProblem

COOKIE = "steward"


def _new_key() -> str:
    return secrets.token_urlsafe(16)


class Steward:
    """Knows the key."""

    def __init__(self, key: str) -> None:
        self._key = key

    def __repr__(self) -> str:
        return "<Steward>"

    @classmethod
    def of(cls, path: Path) -> Self:
        """The key in this file, made where there is none, or half of one; nobody else can read it.

        A file that cannot be written leaves a key for this run.
        """
        with suppress(OSError, UnicodeDecodeError):
            key = path.read_text("utf-8").strip()
            if len(key) >= len(_new_key()):
                return cls(key)
        key = _new_key()
        with suppress(OSError):
            write_whole(path, key)
        return cls(key)

    @property
    def way_in(self) -> str:
        """What follows the board's address in the steward's link."""
        return f"steward/{self._key}"

    def knows(self, key: str) -> bool:
        """An empty key opens nothing."""
        return bool(key) and hmac.compare_digest(key.encode(), self._key.encode())

    @property
    def is_here(self) -> bool:
        """Whether the request that is answered comes from the steward's browser."""
        return self.knows(request.cookies.get(COOKIE, ""))

    def only(self, view: Callable[..., Any]) -> Callable[..., Any]:
        """Decorates a view that only the steward may ask for."""

        @wraps(view)
        def checked(**values: Any) -> Any:
            if not self.is_here:
                raise HttpProblem(
                    403,
                    Message(
                        "only the steward changes this: open the link that the board has printed"
                    ),
                )
            return view(**values)

        return checked


def create_steward(steward: Steward, people: People, trays: Following) -> Blueprint:
    """The blueprint of what only the steward does."""
    pages = Blueprint("steward", __name__)
    pages.app_context_processor(lambda: {"steward": steward.is_here})

    @pages.get("/steward/<key>")
    def enter(key: str) -> Response:
        if not steward.knows(key):
            raise HttpProblem(
                403,
                Message("that key is not the right one: the board prints it when it starts"),
            )
        response = redirect("/")
        response.set_cookie(COOKIE, key, max_age=YEAR_S, httponly=True, samesite="Strict")
        return response

    @pages.post("/players/<int:player>/merge")
    @steward.only
    def merge(player: int) -> Response:
        into = request.form.get("into", type=int) or 0
        people.merge(player, into)
        trays.refresh()
        return redirect(f"/players/{into}", 303)

    @pages.post("/players/<int:player>/split")
    @steward.only
    def split(player: int) -> Response:
        other = people.split(player, request.form.get("name", ""), request.form.get("tray", ""))
        trays.refresh()
        return redirect(f"/players/{other}", 303)

    return pages
