"""The API and the page of matches that are played at two trays."""

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from flask import Blueprint, Response, g, request

from game.message import Message
from game.rules.rule_options import MAX_POINTS
from web.access.pin import RateLimit
from web.contracts import SharedPlay, Table, UnknownCodeError
from web.fields import any_object, integer, long_text, optional, series_length, text, texts
from web.response import HttpProblem, fresh, json_response, required
from web.route import JSON, Permission, Routes

MAX_MESSAGE = 98_304
"""Longest message from the other tray, in bytes: twenty steps and a part of a picture."""


MAX_WRONG, MAX_TOTAL_WRONG, PERIOD_S = 10, 100, 300.0
"""How many wrong codes one address, and all addresses, may send in a period: as for PINs."""

MAX_TRUSTED = 8
"""Largest number of addresses remembered because they sent a signed message.

Wrong codes from others do not delay them.
"""

NOT_HERE = Message("matches with another tray are not possible here")
NO_INVITATION = Message("no other tray has been invited: create a code first")


def create_shared_match(table: Table, shared: SharedPlay | None) -> Routes:
    """Create the routes under /api/v1/shared-match.

    Args:
        table: The companion.
        shared: Plays matches with another tray; None if that is not possible.
    """
    routes = Routes("shared_match", "/api/v1/shared-match")

    @routes.read(
        "", "The invitation for another tray: a link, and the code alone",
        permission=Permission.SCOREKEEPER, errors=(403, 404), answers={"link": str, "code": str},
    )  # fmt: skip
    def invitation() -> Response:
        link = required(shared, NOT_HERE).invitation(table.snapshot().join_url)
        if not link:
            raise HttpProblem(404, NO_INVITATION)
        return json_response({"link": link, "code": link.rpartition("#")[2]})

    @routes.command(
        "/invite", "Make a code with which another tray can join a match",
        {
            "names": texts(), "rules": optional(text()),
            "target": optional(integer(1, MAX_POINTS)), "options": optional(any_object()),
            "best_of": optional(series_length()),
        },
    )  # fmt: skip
    def invite(
        names: tuple[str, ...],
        rules: str | None,
        target: int | None,
        options: Mapping[str, Any] | None,
        best_of: int | None,
    ) -> Response:
        required(shared, NOT_HERE).invite(names, rules, target, options, best_of)
        return json_response({})

    @routes.command(
        "/join", "Join the match of another tray, with the link or the code that it shows",
        {"invitation": text(), "names": texts()},
    )  # fmt: skip
    def join(invitation: str, names: tuple[str, ...]) -> Response:
        required(shared, NOT_HERE).join(invitation, names)
        return json_response({})

    @routes.command("/leave", "Withdraw the invitation, or play on without the other tray")
    def leave() -> Response:
        required(shared, NOT_HERE).leave()
        return json_response({})

    @routes.command(
        "/set-aside", "Set the match here aside, so that the one with the other tray can begin"
    )
    def set_aside() -> Response:
        required(shared, NOT_HERE).set_aside()
        return json_response({})

    _add_exchange(routes, shared)
    return routes


def _add_exchange(routes: Routes, shared: SharedPlay | None) -> None:
    wrong = RateLimit(MAX_WRONG, MAX_TOTAL_WRONG, PERIOD_S)
    trusted = deque[str](maxlen=MAX_TRUSTED)

    @routes.command(
        "/sync", "Take a signed message of the other tray, and answer with one",
        {"id": text(), "text": long_text(MAX_MESSAGE), "mac": text()},
        Permission.ANYBODY, errors=(429,), max_body_bytes=MAX_MESSAGE, answers={"id": str, "text": str, "mac": str},
    )  # fmt: skip
    def exchange(**sealed: str) -> Response:
        address = str(request.remote_addr)
        if address not in trusted and (wait_s := wrong.wait_s(address)):
            refusal = Message("too many wrong codes: wait %(n)s s", n=round(wait_s))
            raise HttpProblem(429, refusal, retry_after_s=wait_s)
        try:
            answer = required(shared, NOT_HERE).exchange(
                sealed["id"], sealed["text"], sealed["mac"]
            )
        except UnknownCodeError as error:
            wrong.record(address)
            raise HttpProblem(403, error.message) from None
        if address not in trusted:
            trusted.append(address)
        return fresh(answer, JSON)


def create_shared_page(
    show: Callable[..., Response], table: Table, shared: SharedPlay | None
) -> Blueprint:
    """Create the blueprint of the page /shared.

    Args:
        show: Renders a template with the current snapshot.
        table: The companion.
        shared: Plays matches with another tray; None if that is not possible.
    """
    pages = Blueprint("shared", __name__)

    @pages.get("/shared")
    def invitation() -> Response:
        """Show the scorekeeper the code, and everybody else what to do with a link that contains one."""
        now = replace(table.snapshot(), other_tray=shared.view() if shared else None)
        link = shared.invitation(now.join_url) if shared and g.is_scorekeeper else ""
        return show(
            "shared.html", now=now, other=now.other_tray, link=link, code=link.rpartition("#")[2]
        )

    return pages
