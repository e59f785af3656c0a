"""What every answer and every request has to obey, so that other sites cannot play along."""

from flask import Flask, Response, request

from web.problem import HttpProblem

HEADERS = {
    "Content-Security-Policy": "default-src 'self'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'; object-src 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


def register(app: Flask, *, forms: bool = False) -> None:
    """Sets the headers, and turns away requests that another site's page made.

    `forms` are taken only where a cookie that no other site sends stands behind each.
    """
    app.before_request(_refuse_other_sites)
    if not forms:
        app.before_request(_refuse_forms)
    app.after_request(_with_headers)


def _refuse_other_sites() -> None:
    """A browser names the page that sends; programs such as curl name none."""
    if request.method in {"GET", "HEAD", "OPTIONS"}:
        return
    origin = request.headers.get("Origin")
    elsewhere = origin is not None and origin.partition("://")[2] != request.host
    if elsewhere or request.headers.get("Sec-Fetch-Site") == "cross-site":
        raise HttpProblem(403, "this came from another site's page: open the table's own page")


def _refuse_forms() -> None:
    """What a form on another site can send without asking is never JSON; a bare POST is ours."""
    if request.method == "POST" and request.content_type and not request.is_json:
        raise HttpProblem(415, "send JSON, with the header Content-Type: application/json")


def _with_headers(response: Response) -> Response:
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    return response
