"""`traykeeper club`: the board of a club night, which shows every tray that is connected to a broker."""

import json
import re
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from secrets import token_hex
from threading import Event
from typing import Any

import click
import platformdirs
import segno

from device.files import print_line
from device.lan import lan_address, split_names
from device.machine_fit import limit_malloc_arenas
from device.mqtt.client import (
    ROOT,
    Address,
    BrokerClient,
    BrokerEvents,
    Topics,
    is_tray_name,
    parse_address,
)
from device.threads import DistinctReports, repeated
from game.errors import GameError
from web.access.origin import AllowedHosts
from web.club.app import create_club
from web.club.match_history import MatchHistory
from web.club.people import People
from web.club.steward import Steward
from web.club.store import ClubStore, StoreError
from web.club.tournaments import TournamentCalls, Tournaments
from web.club.tray_inbox import OnCallAnswer, SendRequest, TrayInbox, Trays
from web.server import Server

CALL_PERIOD_S = 1.0
"""Interval at which free trays are given the next match of a tournament, in seconds."""

_TOPIC = re.compile(rf"{ROOT}/([^/]+)/(availability|state|event|replay/[^/]+|assign/answer)")


@dataclass(frozen=True, slots=True)
class ClubOptions:
    """The options of `traykeeper club`.

    Attributes:
        broker: Address of the MQTT broker.
        secret: File with the user name and password for the broker; "" if the broker needs none.
        ca: File with the certificate of the authority that signed the broker's certificate; "" trusts the
            system's authorities.
        host: Address to listen on.
        port: Port of the page.
        state: Folder for the matches; "" is the default folder.
        hosts: Additional host names of the page, separated by spaces.
    """

    broker: str
    secret: str = ""
    ca: str = ""
    host: str = "0.0.0.0"  # noqa: S104 - screens and phones on the LAN are the point
    port: int = 8100
    state: str = ""
    hosts: str = ""


class BoardClient:
    """The club board's connection to the broker.

    Args:
        address: Address of the broker.
        warn: Prints one line about a problem.
    """

    def __init__(self, address: Address, warn: Callable[[str], object]) -> None:
        self._warn = DistinctReports(warn)
        self._inbox: TrayInbox | None = None
        self._name = f"board-{token_hex(4)}"
        events = BrokerEvents(
            on_connected=self._connected,
            on_lost=self._lost,
            on_message=self._message,
            on_trouble=warn,
        )
        self._link = BrokerClient(address, f"traykeeper-{self._name}", events)

    def start(self, inbox: TrayInbox) -> None:
        """Connect to the broker, and pass to `inbox` everything that the trays send."""
        self._inbox = inbox
        self._link.start()

    def close(self) -> None:
        """Disconnect from the broker."""
        self._link.close()

    def ask(self, tray: str, request: dict[str, Any]) -> None:
        """Ask a tray to send matches that it has played. The answer may come much later, or never.

        Args:
            tray: Name of the tray.
            request: Fields of the request, which describe the wanted matches.
        """
        text = json.dumps({"to": self._name, **request})
        self._link.publish(Topics(tray).replay, text)

    def call(self, tray: str, match: dict[str, Any] | None) -> None:
        """Call on a tray to begin a match. The broker keeps the call until the tray is online.

        Args:
            tray: Name of the tray.
            match: Fields that describe the match; None withdraws the call.
        """
        text = json.dumps(match) if match else ""
        self._link.publish(Topics(tray).assign, text, retain=True)

    def _connected(self) -> None:
        if self._inbox:
            self._inbox.on_connected()
        every = Topics("+")
        self._link.subscribe(
            every.event, every.answer(self._name), every.availability, every.state, every.assigned
        )

    def _lost(self) -> None:
        if self._inbox:
            self._inbox.on_lost()

    def _message(self, topic: str, payload: bytes) -> None:
        found = _TOPIC.fullmatch(topic)
        if self._inbox is None or found is None or not is_tray_name(found[1]):
            return
        try:
            kind = "answer" if found[2].startswith("replay/") else found[2]
            self._inbox.on_message(found[1], kind, payload)
        except StoreError as error:  # a full disk; missing entries are requested again later
            self._warn(str(error))


def run(options: ClubOptions) -> None:
    """Run the club board until Ctrl-C or a termination signal."""
    limit_malloc_arenas()
    stop = Event()
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, lambda *_: stop.set())
    with serving(options, partial(print_line, err=True)) as (server, steward):
        _greet(options, server, steward)
        stop.wait()
    click.echo("Stopped. All matches are saved.")


@contextmanager
def serving(
    options: ClubOptions,
    warn: Callable[[str], object],
    make_inbox: Callable[[Trays, MatchHistory, SendRequest, OnCallAnswer], TrayInbox] = TrayInbox,
) -> Iterator[tuple[Server, Steward]]:
    """Run the club board and serve its pages within the block. Yields the server and the steward.

    Args:
        options: Options of the command line.
        warn: Prints one line about a problem.
        make_inbox: Creates the object that receives the messages from the trays; tests replace it.
    """
    broker = parse_address(options.broker, secret=options.secret, ca=options.ca)
    folder = Path(options.state or platformdirs.user_state_path("traykeeper") / "club")
    steward = Steward.load(folder / "steward.key")
    with closing(ClubStore.open(folder / "club.db")) as store:
        people = People(store)
        history = MatchHistory(store, people)
        client = BoardClient(broker, lambda line: warn(f"traykeeper club: {line}"))
        trays = Trays()
        calls = TournamentCalls(store, people, Tournaments(store, people), client.call)
        inbox = make_inbox(trays, history, client.ask, calls.on_answer)
        hosts = AllowedHosts(*split_names(options.hosts), options.host)
        app = create_club(store, history, people, trays, calls, steward=steward, hosts=hosts)
        with Server(app, options.host, options.port) as server:
            client.start(inbox)
            try:
                call_players = partial(_call_players, calls, trays, inbox, warn)
                with repeated(call_players, CALL_PERIOD_S, "club-calls"):
                    yield server, steward
            finally:
                client.close()


def _call_players(
    calls: TournamentCalls, trays: Trays, inbox: TrayInbox, warn: Callable[[str], object]
) -> None:
    """Call the players of the next matches to free trays."""
    try:
        inbox.retry_requests()
        if calls.update(trays.snapshot().trays):
            trays.refresh()
    except GameError as error:
        warn(f"traykeeper club: {error}")


def _greet(options: ClubOptions, server: Server, steward: Steward) -> None:
    url = f"http://{lan_address(options.host)}:{server.port}/"
    if sys.stdout.isatty():
        segno.make(url, micro=False).terminal(compact=True)
    click.echo(f"The club board is at {url}")
    click.echo(f"To merge or split players, and to run tournaments: {url}{steward.link_path}")
    click.echo("Press Ctrl-C to stop.")
