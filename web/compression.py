"""Compression of pages, so that the first one loads faster over a slow network."""

import gzip
from functools import lru_cache

from flask import Flask, Response, request

MIN_BYTES = 500
"""A shorter text fits into one network packet anyway."""

LEVEL = 6
TEXTS = ("text/html", "text/css", "text/javascript", "image/svg+xml", "application/manifest+json")
"""The media types that are compressed: those of pages. Some other programs do not know gzip."""


def register(app: Flask) -> None:
    """Compress every page that an app sends to a browser that accepts gzip."""
    app.after_request(_compress)


def _compress(response: Response) -> Response:
    if response.mimetype not in TEXTS or (response.is_streamed and not response.direct_passthrough):
        return response
    response.vary.add("Accept-Encoding")
    if not _should_compress(response):
        return response
    response.direct_passthrough = False
    data = response.get_data()
    if len(data) >= MIN_BYTES:
        response.set_data(_gzip(data))
        response.headers["Content-Encoding"] = "gzip"
        response.headers.pop("ETag", None)
    return response


def _should_compress(response: Response) -> bool:
    is_accepted = request.accept_encodings["gzip"] > 0
    is_whole = response.status_code == 200  # noqa: PLR2004 - 206 is a range of the plain file
    return is_accepted and is_whole and "Content-Encoding" not in response.headers


@lru_cache(maxsize=64)
def _gzip(data: bytes) -> bytes:
    """Compress data. The result is cached, because many phones ask for the same files."""
    return gzip.compress(data, LEVEL, mtime=0)
