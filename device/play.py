"""`traykeeper play`: put the parts together, serve the page, until somebody stops it."""

import signal
import socket
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Event

import click
import platformdirs
import segno
from flask import Flask

from device.button import TrayButton
from device.cameras import SimulatedTray, open_camera
from device.companion import Companion
from device.lamp import RgbLamp
from device.ledger import Ledger
from device.pins import open_pins
from game import rulefile
from game.journal import Journal
from web.app import create_app
from web.server import Server


@dataclass(frozen=True, slots=True)
class Options:
    """What `traykeeper play` was told; see its help for each."""

    camera: str = "auto"
    rules: str = "walnut-studiolo"
    host: str = "0.0.0.0"  # noqa: S104 - phones on the LAN are the point
    port: int = 8000
    state: str | None = None
    still_s: float = 0.4
    roll_s: float = 1.0
    seed: int | None = None


def run(options: Options) -> None:
    """Play until Ctrl-C or a termination signal."""
    stop = Event()
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, lambda *_: stop.set())
    with serving(options) as (companion, server):
        _greet(companion, server)
        stop.wait()
    click.echo("Stopped. The match is kept: play again to go on.")


@contextmanager
def serving(options: Options) -> Iterator[tuple[Companion, Server]]:
    """The companion at work and its page served; all is closed again at the end."""
    with (
        open_companion(options) as companion,
        Server(_app(companion, options), options.host, options.port) as server,
    ):
        companion.announce(f"http://{_address(options.host)}:{server.port}/")
        yield companion, server


def _app(companion: Companion, options: Options) -> Flask:
    """The page, with the rules that were asked for first among those on offer."""
    chosen = rulefile.load(options.rules)
    others = (rulefile.load(name) for name in rulefile.names() if name != chosen.name)
    return create_app(companion, rules=(chosen, *others))


@contextmanager
def open_companion(options: Options) -> Iterator[Companion]:
    """Camera, pins, journal and match joined, without the page."""
    rules = rulefile.load(options.rules)
    state = Path(options.state or platformdirs.user_state_dir("traykeeper"))
    camera = open_camera(options.camera, seed=options.seed, roll_s=options.roll_s)
    cameras = iter([camera])
    tray = camera if isinstance(camera, SimulatedTray) else None
    with closing(Journal.open(state / "journal.db")) as journal, closing(open_pins()) as pins:
        ledger = Ledger(journal)
        if newest := journal.newest():
            ledger.resume(*newest)
        companion = Companion(
            ledger,
            rules,
            lambda: tray or next(cameras, None) or open_camera(options.camera),
            RgbLamp(pins),
            tray=tray,
            still_s=options.still_s,
        )
        companion.attach(
            lambda c: TrayButton(pins, on_press=c.pressed, on_hold=c.held, on_holding=c.holding)
        )
        companion.start()
        try:
            yield companion
        finally:
            companion.close()


def _greet(companion: Companion, server: Server) -> None:
    """Address and QR code, as text: a phone reads it off the terminal."""
    snapshot = companion.snapshot()
    code = segno.make(snapshot.join_url, micro=False)
    code.terminal(compact=True)
    click.echo(
        f"Traykeeper is at {snapshot.join_url}  (this machine: http://localhost:{server.port}/)"
    )
    if snapshot.simulated:
        click.echo(
            "No camera here: dice are simulated. Throw them, and press the button, on the page."
        )
    click.echo("Press Ctrl-C to stop.")


def _address(host: str) -> str:
    """The address that phones can reach: our own on the LAN where we listen everywhere."""
    if host not in ("0.0.0.0", "::", ""):  # noqa: S104 - compared, not bound
        return host
    with closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing: asks the system which way it would go
            return str(probe.getsockname()[0])
        except OSError:
            return "localhost"
