"""The responses: JSON, images, downloads, and errors as JSON problems (RFC 9457) that say what to do about them.

No cache may keep a response by default. Errors that people often see are in the language of the page.
"""

import json
import logging
from collections.abc import Iterable, Iterator, Mapping
from http import HTTPStatus
from typing import Any, BinaryIO, TypeVar

from flask import Flask, Response, current_app, render_template, request
from werkzeug.exceptions import HTTPException

from game.errors import GameError, TraykeeperError
from game.message import Message, Verbatim
from game.situation import TableError
from web.contracts import Snapshot
from web.i18n import translate
from web.state_json import state_json

log = logging.getLogger(__name__)

REMEDIES = {
    404: Message("there is nothing at this address: start with GET /api/v1/state"),
    413: Message("the request body is too large: a few dozen bytes are enough here"),
}

NO_JSON = Message("send JSON, with the header Content-Type: application/json")
CRASHED = Message("that was a fault in Traykeeper, not in your request: its log has the details")

T = TypeVar("T")

HtmlPage = tuple[str, int, dict[str, str]]

CHUNK_BYTES = 65_536
NO_STORE = "no-store"
BYTE_ORDER_MARK = "\ufeff"
"""The start of a CSV file. Without it, Excel reads umlauts in the character set of the country."""

JPEG, MOTION_JPEG, SVG = "image/jpeg", "video/x-motion-jpeg", "image/svg+xml"


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


def register_problems(app: Flask, template: str = "lost.html") -> None:
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


def fresh(content: str | bytes, media_type: str = "text/html") -> Response:
    """Return a response that no cache keeps.

    Args:
        content: The body.
        media_type: Media type of the body.
    """
    return Response(content, headers={"Cache-Control": NO_STORE}, mimetype=media_type)


def state_text(snapshot: Snapshot) -> str:
    """Return the state as one line of JSON, ready for an event stream."""
    return json.dumps(state_json(snapshot), separators=(",", ":"))


def state_response(snapshot: Snapshot) -> Response:
    """Return a response with the state of the table."""
    return _json(state_text(snapshot))


def json_response(value: Any) -> Response:
    """Return a response with a JSON value."""
    return _json(json.dumps(value))


def image_response(
    data: bytes | None, missing: Message, cache: str = NO_STORE, media_type: str = JPEG
) -> Response:
    """Return a response with an image or a clip.

    Args:
        data: The image, if there is one.
        missing: The message of the error if there is none.
        cache: The `Cache-Control` header.
        media_type: Media type of the image.

    Raises:
        HttpProblem: If there is no image (status 404).
    """
    headers = {"Cache-Control": cache}
    return Response(required(data, missing), headers=headers, mimetype=media_type)


def download(
    content: str | Iterable[bytes] | Iterable[str], filename: str, mimetype: str
) -> Response:
    """Return a response that a browser saves as a file.

    Args:
        content: The content of the file, whole or in parts.
        filename: The name that the browser proposes.
        mimetype: Media type of the file.
    """
    headers = {
        "Cache-Control": NO_STORE,
        "Content-Disposition": f'attachment; filename="{filename}"',
    }
    return Response(content, headers=headers, mimetype=mimetype)


def iter_chunks(file: BinaryIO) -> Iterator[bytes]:
    """Yield the bytes of a file as fast as the phone takes them, and close the file at the end."""
    with file:
        while chunk := file.read(CHUNK_BYTES):
            yield chunk


def _json(text: str) -> Response:
    return fresh(text + "\n", "application/json")
