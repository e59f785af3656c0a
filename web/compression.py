"""Text goes out compressed to whoever takes it: over a slow network that is the first view's wait."""

import gzip
from functools import lru_cache

from flask import Flask, Response, request

LEAST_BYTES = 500
"""Less fits into one packet anyway."""

LEVEL = 6
TEXTS = ("text/html", "text/css", "text/javascript", "image/svg+xml", "application/manifest+json")
"""Of pages; what programs ask for is small, and some of them know no gzip."""


def register(app: Flask) -> None:
    app.after_request(_compressed)


def _compressed(response: Response) -> Response:
    if response.mimetype not in TEXTS or (response.is_streamed and not response.direct_passthrough):
        return response
    response.vary.add("Accept-Encoding")
    if not _is_wanted(response):
        return response
    response.direct_passthrough = False
    data = response.get_data()
    if len(data) >= LEAST_BYTES:
        response.set_data(_gzip(data))
        response.headers["Content-Encoding"] = "gzip"
        response.headers.pop("ETag", None)
    return response


def _is_wanted(response: Response) -> bool:
    takes = request.accept_encodings["gzip"] > 0
    return takes and response.status_code == 200 and "Content-Encoding" not in response.headers  # noqa: PLR2004 - ranges stay as they are


@lru_cache(maxsize=64)
def _gzip(data: bytes) -> bytes:
    """The same files go to many phones."""
    return gzip.compress(data, LEVEL, mtime=0)
