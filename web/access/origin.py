"""Protection against other websites: allowed host names, refused cross-site requests, headers.

A page on the internet can make its own name point to an address on this network; its scripts may
then talk to the server at that address as if it were their own (DNS rebinding). So the server only
answers under its own names. A numeric address cannot be redirected like this and is always allowed.
"""

import re
import socket
from collections.abc import Iterable
from ipaddress import ip_address

from flask import Flask, Response, request

from game.message import Message
from web.response import NO_JSON, HttpProblem

LOCAL_DOMAINS = ("local", "lan", "home", "home.arpa", "internal", "localdomain", "fritz.box")
"""Domains that routers append to a machine's name. Nobody can register them on the internet."""

BRACKETED = re.compile(r"\[([^\]]+)\](?::\d*)?")
"""An IPv6 address in brackets, with or without a port."""

HEADERS = {
    "Content-Security-Policy": "default-src 'self'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'; object-src 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


class AllowedHosts:
    """The names under which this machine may be addressed.

    >>> hosts = AllowedHosts("den.example", name="traykeeper")
    >>> hosts.allows("traykeeper.local:8000"), hosts.allows("evil.example")
    (True, False)

    Args:
        extra_names: More names to allow, from the settings.
        name: The machine's name; by default the operating system is asked at each request, because the
            machine may be renamed at any time.
    """

    def __init__(self, *extra_names: str, name: str | None = None) -> None:
        self._name = name
        self._extra = {"localhost", *map(_normalised, extra_names)}

    @property
    def own(self) -> str:
        """The machine's name without a domain."""
        return _normalised(self._name or socket.gethostname()).partition(".")[0]

    def allows(self, host: str) -> bool:
        """Return whether to accept a request with this `Host` header.

        A request without the header is allowed, because browsers always send one, so this request is not
        from a browser.
        """
        name = _normalised(_without_port(host))
        if not name or name in self._extra or self._is_own(name):
            return True
        try:
            ip_address(name)
        except ValueError:
            return False
        return True

    def _is_own(self, name: str) -> bool:
        own, (host, _, domain) = self.own, name.partition(".")
        # avahi numbers the machines that have the same name.
        is_numbered = domain == "local" and re.fullmatch(rf"{re.escape(own)}-\d+", host)
        return bool(is_numbered) or (host == own and domain in ("", *LOCAL_DOMAINS))


def register_hosts(app: Flask, hosts: AllowedHosts) -> None:
    """Refuse requests to host names that are not in `hosts`.

    Args:
        app: The app whose requests are checked.
        hosts: The names to accept.
    """

    @app.before_request
    def refuse_other_names() -> None:
        host = request.headers.get("Host", "")
        if not hosts.allows(host):
            raise HttpProblem(
                403,
                Message(
                    "this Traykeeper is not called %(host)s: open it as %(name)s or by its "
                    "address, or add the name to `hosts` in the settings",
                    host=repr(_without_port(host)[:60]),
                    name=f"{hosts.own}.local",
                ),
            )


def _without_port(host: str) -> str:
    if bracketed := BRACKETED.fullmatch(host):
        return bracketed[1]
    return host.rpartition(":")[0] if host.count(":") == 1 else host


def _normalised(name: str) -> str:
    return name.strip().rstrip(".").lower()


def register(app: Flask, *, accept_forms: bool = False) -> None:
    """Refuse requests made by another website's page, and set security headers.

    Args:
        app: The app whose requests are checked.
        accept_forms: Whether to accept posted HTML forms, which browsers also send from another
            site. Allow them only if the app requires a cookie that browsers do not send with such
            forms.
    """
    app.before_request(_refuse_other_sites)
    if not accept_forms:
        app.before_request(_refuse_forms)
    app.after_request(_set_headers)


def allow_readers(app: Flask, origins: Iterable[str]) -> None:
    """Let other programs' pages read what every watcher may read.

    Their requests are answered without cookies, so that they never act as somebody's phone.

    Args:
        app: The app whose API they may read.
        origins: Addresses of the other programs' pages, such as `http://foundry.local:30000`.
    """
    allowed = {origin.rstrip("/").lower() for origin in origins}

    @app.after_request
    def allow(response: Response) -> Response:
        origin = request.headers.get("Origin", "")
        is_read = request.method == "GET" and request.path.startswith("/api/v1/")
        if is_read and origin.lower() in allowed:
            response.headers["Access-Control-Allow-Origin"] = origin
            response.headers.add("Vary", "Origin")
        return response


def _refuse_other_sites() -> None:
    """Refuse a change requested by another site's page. A request without `Origin`, as from curl, is let through."""
    if request.method in {"GET", "HEAD", "OPTIONS"}:
        return
    origin = request.headers.get("Origin")
    is_foreign = origin is not None and origin.partition("://")[2] != request.host
    if is_foreign or request.headers.get("Sec-Fetch-Site") == "cross-site":
        raise HttpProblem(
            403, Message("this request came from another website: open the page of this Traykeeper")
        )


def _refuse_forms() -> None:
    """Refuse every body that is not JSON, because a form on another site can send other types."""
    if request.method == "POST" and request.content_type and not request.is_json:
        raise HttpProblem(415, NO_JSON)


def _set_headers(response: Response) -> Response:
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    return response
