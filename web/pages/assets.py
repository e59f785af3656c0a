"""Addresses of static files; each changes with the file's content, so that browsers may cache the file for a year."""

from functools import cache
from hashlib import blake2s
from pathlib import Path

from flask import url_for

YEAR_S = 365 * 24 * 3600


def asset(name: str) -> str:
    """Return the address of a file in `static`."""
    return url_for("static", filename=name, v=_digest(name))


@cache
def _digest(name: str) -> str:
    data = Path(__file__).parents[1].joinpath("static", name).read_bytes()
    return blake2s(data, digest_size=5).hexdigest()
