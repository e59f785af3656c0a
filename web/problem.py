"""Errors of the API as JSON problems (RFC 9457) that say what to do about them.

Errors that people often see are in the language of the page.
"""

import json
import logging
from collections.abc import Mapping
from http import HTTPStatus
from typing import TypeVar

from flask import Flask, Response, current_app, render_template, request
from werkzeug.exceptions import HTTPException

from game.errors import GameError, TraykeeperError
from game.message import Message, Verbatim
from game.situation import TableError
from web.i18n.translate import translate

log = logging.getLogger(__name__)

REMEDIES = {
    404: Message("there is nothing at this address: start with GET /api/v1/state"),
    413: Message("the request body is too large: a few dozen bytes are enough here"),
}

NO_JSON = Message("send JSON, with the header Content-Type: application/json")
CRASHED = Message("that was a fault in Traykeeper, not in your request: its log has the details")

T = TypeVar("T")

HtmlPage = tuple[str, int, dict[str, str]]


class HttpProblem(TraykeeperError):  # noqa: N818 - RFC 9457 calls it a problem
    """An error that becomes the response to a request.

    Args:
        status: HTTP status code.
        message: What went wrong and what to do about it.
        headers: HTTP headers of the response.
        retry_after_s: After how many seconds the request may succeed; None if that is not known.
    """

    def __init__(
        self,
        status: int,
        message: Message,
        headers: Mapping[str, str] | None = None,
        *,
        retry_after_s: float | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.headers = dict(headers or {})
        if retry_after_s is not None:
            self.headers["Retry-After"] = f"{retry_after_s:.0f}"


def required(found: T | None, missing: Message, status: int = 404) -> T:
    """Return what a request needs, if it exists.

    Args:
        found: What the request needs; None if it does not exist.
        missing: The message of the error if it does not exist.
        status: HTTP status code of that error.

    Raises:
        HttpProblem: If it does not exist.
    """
    if found is None:
        raise HttpProblem(status, missing)
    return found


def problem_response(problem: HttpProblem) -> Response:
    """Return the JSON problem for an error."""
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


def register(app: Flask, template: str = "lost.html") -> None:
    """Answer every error of an app with a JSON problem, or with a page if a person followed a link.

    Args:
        app: The app whose errors are handled.
        template: Name of the template of that page.
    """
    app.config["PROBLEM_TEMPLATE"] = template
    app.register_error_handler(HttpProblem, _page_or_problem)
    app.register_error_handler(GameError, _refusal)
    app.register_error_handler(TableError, _refusal)
    app.register_error_handler(HTTPException, _http_error)
    app.register_error_handler(Exception, _crash)


def _page_or_problem(problem: HttpProblem) -> Response | HtmlPage:
    is_page = request.method == "GET" and request.accept_mimetypes["text/html"]
    if is_page and not request.path.startswith("/api/"):
        return _page(problem.status, problem.headers, detail=translate(problem.message))
    return problem_response(problem)


def _page(status: int, headers: dict[str, str], **values: str) -> HtmlPage:
    return render_template(current_app.config["PROBLEM_TEMPLATE"], **values), status, headers


def _refusal(error: TraykeeperError) -> Response | HtmlPage:
    return _page_or_problem(HttpProblem(409, error.message))


def _http_error(error: HTTPException) -> Response | HtmlPage | HTTPException:
    status = error.code or 500
    if status < HTTPStatus.BAD_REQUEST:
        return error
    if status == HTTPStatus.NOT_FOUND and not request.path.startswith("/api/"):
        return _page(status, {})
    headers = {name: value for name, value in error.get_headers() if name == "Allow"}
    return problem_response(HttpProblem(status, _remedy(error), headers))


def _remedy(error: HTTPException) -> Message:
    if error.code == HTTPStatus.METHOD_NOT_ALLOWED:
        return Message(
            "this address does not accept %(method)s: the Allow header lists what it accepts",
            method=request.method,
        )
    return REMEDIES.get(error.code or 500, Verbatim(error.description or ""))


def _crash(error: Exception) -> Response:
    log.error("%s %s failed", request.method, request.path, exc_info=error)
    return problem_response(HttpProblem(500, CRASHED))
