"""Every error of the API as a JSON problem (RFC 9457) that says what to do about it.

What people often meet on the page is said in their language.
"""

import json
import logging
from collections.abc import Mapping
from functools import partial
from http import HTTPStatus

from flask import Flask, Response, render_template, request
from werkzeug.exceptions import HTTPException

from game.errors import GameError, TraykeeperError
from game.message import Message, Verbatim
from game.situation import TableError
from web.i18n.translate import translate

log = logging.getLogger(__name__)

REMEDIES = {
    404: Message("there is nothing at this address: GET /api/v1/state is where to begin"),
    413: Message("the body is too large: requests here are a few dozen bytes"),
}

NO_JSON = Message("send JSON, with the header Content-Type: application/json")
CRASHED = Message("that went wrong here, not with you: the log of the companion says more")


class HttpProblem(TraykeeperError):  # noqa: N818 - the name RFC 9457 gives it
    """An answer that is an error; its message names the remedy."""

    def __init__(
        self, status: int, message: Message, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.headers = dict(headers or {})


def _told(problem: HttpProblem, *, lost: str) -> Response | tuple[str, int, dict[str, str]]:
    """A page where a person followed a link, else what a program reads."""
    is_page = request.method == "GET" and request.accept_mimetypes["text/html"]
    if is_page and not request.path.startswith("/api/"):
        return (
            render_template(lost, detail=translate(problem.message)),
            problem.status,
            problem.headers,
        )
    return response(problem)


def response(problem: HttpProblem) -> Response:
    body = {
        "title": HTTPStatus(problem.status).phrase,
        "status": problem.status,
        "detail": translate(problem.message),
    }
    return Response(
        json.dumps(body) + "\n",
        problem.status,
        problem.headers | {"Cache-Control": "no-store"},
        mimetype="application/problem+json",
    )


def register(app: Flask, lost: str = "lost.html") -> None:
    """Makes every error of the app a problem, but for lost pages: those are people's.

    `lost` is the template that tells them.
    """
    app.register_error_handler(HttpProblem, partial(_told, lost=lost))
    app.register_error_handler(GameError, partial(_refused, lost=lost))
    app.register_error_handler(TableError, partial(_refused, lost=lost))
    app.register_error_handler(HTTPException, partial(_http, lost=lost))
    app.register_error_handler(Exception, _crashed)


def _refused(error: TraykeeperError, *, lost: str) -> Response | tuple[str, int, dict[str, str]]:
    return _told(HttpProblem(409, error.message), lost=lost)


def _http(error: HTTPException, *, lost: str) -> Response | tuple[str, int] | HTTPException:
    status = error.code or 500
    if status < HTTPStatus.BAD_REQUEST:
        return error
    if status == HTTPStatus.NOT_FOUND and not request.path.startswith("/api/"):
        return render_template(lost), status
    kept = {name: value for name, value in error.get_headers() if name == "Allow"}
    return response(HttpProblem(status, _remedy(error), kept))


def _remedy(error: HTTPException) -> Message:
    if error.code == HTTPStatus.METHOD_NOT_ALLOWED:
        return Message(
            "this address does not take %(method)s: see the Allow header for what it takes",
            method=request.method,
        )
    return REMEDIES.get(error.code or 500, Verbatim(error.description or ""))


def _crashed(error: Exception) -> Response:
    log.error("%s %s failed", request.method, request.path, exc_info=error)
    return response(HttpProblem(500, CRASHED))
