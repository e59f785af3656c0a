"""Under which names the page may be asked for: a name of somebody else's is a trap.

A page on the internet can let its own name lead to an address in this network, and then its
scripts may talk to whatever answers there as if it were their own (DNS rebinding). An address in
figures cannot be turned around so, and is always taken.
"""

import re
import socket
from collections.abc import Iterable
from ipaddress import ip_address

from flask import Flask, Response, request

from game.message import Message
from web.problem import NO_JSON, HttpProblem

AT_HOME = ("local", "lan", "home", "home.arpa", "internal", "localdomain", "fritz.box")
"""What routers hang behind a machine's name: none of them can be bought on the internet."""


BRACKETED = re.compile(r"\[([^\]]+)\](?::\d*)?")
"""An address of version 6, as it stands in front of a port."""


class AllowedHosts:
    """The names of this machine, and those that the settings add.

    >>> hosts = Hosts("den.example", name="traykeeper")
    >>> hosts.allows("traykeeper.local:8000"), hosts.allows("evil.example")
    (True, False)

    Args:
        further: names to be taken, too.
        name: what this machine is called; asked of it where not said.
    """

    def __init__(self, *further: str, name: str | None = None) -> None:
        own = _plain(name or socket.gethostname()).partition(".")[0]
        self.own = own
        self._names = {"localhost", own, *(f"{own}.{end}" for end in AT_HOME)}
        self._names |= set(map(_plain, further))
        self._numbered = re.compile(
            rf"{re.escape(own)}-\d+\.local"
        )  # by avahi, where two are alike

    def allows(self, host: str) -> bool:
        """Whether a request with this `Host` is for us; without one it is from no browser."""
        name = _plain(_without_port(host))
        if not name or name in self._names or self._numbered.fullmatch(name):
            return True
        try:
            ip_address(name)
        except ValueError:
            return False
        return True


def register_hosts(app: Flask, hosts: AllowedHosts) -> None:
    """Turns away whoever asks for a page of another name."""

    @app.before_request
    def refuse_other_names() -> None:
        host = request.headers.get("Host", "")
        if not hosts.allows(host):
            raise HttpProblem(
                403,
                Message(
                    "this table is not called %(host)s: open it as %(name)s or by its address, or "
                    "add the name to `hosts` in the settings",
                    host=repr(_without_port(host)[:60]),
                    name=f"{hosts.own}.local",
                ),
            )


def split_names(text: str) -> Iterable[str]:
    """The names in a setting."""
    return text.replace(",", " ").split()


def _without_port(host: str) -> str:
    if bracketed := BRACKETED.fullmatch(host):
        return bracketed[1]
    return host.rpartition(":")[0] if host.count(":") == 1 else host


def _plain(name: str) -> str:
    return name.strip().rstrip(".").lower()


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
        raise HttpProblem(
            403, Message("this came from another site's page: open the table's own page")
        )


def _refuse_forms() -> None:
    """What a form on another site can send without asking is never JSON; a bare POST is ours."""
    if request.method == "POST" and request.content_type and not request.is_json:
        raise HttpProblem(415, NO_JSON)


def _with_headers(response: Response) -> Response:
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    return response
