"""`traykeeper play`: put the parts together, serve the page, until somebody stops it."""

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Event

import click
import platformdirs
import segno
from flask import Flask

from calibration.profile import FILE
from device.broker.joining import on_broker
from device.button import TrayButton
from device.camera import Camera
from device.cameras import Opener, SimulatedTray, camera_opener, may_come_later
from device.cameras.tuning import Tuning, as_mains, as_rotation
from device.companion import Companion
from device.lan import lan_address
from device.ledger import Ledger
from device.notify import Heartbeat, notify
from device.pins import open_pins
from device.power import shut_down_where_allowed
from device.settings import Settings
from device.shelf import Shelf
from device.signals import Wiring, as_lamp, open_signals
from game import rulefile
from game.journal import JOURNAL, Journal
from web.app import create_app
from web.server import Server


@dataclass(frozen=True, slots=True)
class Options(Settings):
    """The settings, and what only the command line of `traykeeper play` can say."""

    roll_s: float = 1.0
    seed: int | None = None


def run(options: Options) -> None:
    """Play until Ctrl-C or a termination signal."""
    stop = Event()
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, lambda *_: stop.set())
    with serving(options) as (companion, server):
        _greet(companion, server)
        notify("READY=1", f"STATUS=Serving {companion.snapshot().join_url}")
        stop.wait()
        notify("STOPPING=1")
    click.echo("Stopped. The match is kept: play again to go on.")


@contextmanager
def serving(options: Options) -> Iterator[tuple[Companion, Server]]:
    """The companion at work and its page served; all is closed again at the end."""
    with (
        open_companion(options) as companion,
        Server(_app(companion, options), options.host, options.port) as server,
    ):
        companion.announce(f"http://{lan_address(options.host)}:{server.port}/")
        with on_broker(options, companion, _folder(options), partial(click.echo, err=True)):
            yield companion, server


def _app(companion: Companion, options: Options) -> Flask:
    """The page, with the rules that were asked for first among those on offer."""
    chosen = rulefile.load(options.rules)
    others = (rulefile.load(name) for name in rulefile.names() if name != chosen.name)
    return create_app(companion, calibration=companion.fitting, rules=(chosen, *others))


@contextmanager
def open_companion(options: Options) -> Iterator[Companion]:
    """Camera, pins, journal and match joined, without the page."""
    rules = rulefile.load(options.rules)
    state = _folder(options)
    shelf = Shelf(state / FILE)
    if shelf.trouble:
        click.echo(f"traykeeper: {shelf.trouble}", err=True)
    tray, open_it = _camera(options, shelf)
    with closing(Journal.open(state / JOURNAL)) as journal, closing(open_pins()) as pins:
        ledger = Ledger(journal)
        if newest := journal.newest():
            ledger.resume(*newest)
        companion = Companion(
            ledger,
            rules,
            open_it,
            open_signals(pins, _wiring(options), warn=partial(click.echo, err=True)),
            tray=tray,
            shelf=shelf,
            still_s=options.still_s,
            shut_down=shut_down_where_allowed() if options.shut_down else None,
            alive=Heartbeat(),
        )
        companion.attach(
            lambda c: TrayButton(
                pins,
                on_press=c.pressed,
                on_hold=c.held,
                on_holding=c.holding,
                pin=options.button_pin,
            )
        )
        companion.start()
        try:
            yield companion
        finally:
            companion.close()


def _folder(options: Options) -> Path:
    """Where the matches are kept."""
    return Path(options.state or platformdirs.user_state_dir("traykeeper"))


def _camera(options: Options, shelf: Shelf) -> tuple[SimulatedTray | None, Callable[[], Camera]]:
    """The simulated tray where it is one, and what opens the camera, again after it failed.

    A real camera that is not there yet stops nobody: dice are tapped in until it comes.
    """
    usual = Tuning(rotation=as_rotation(options.rotation), mains_hz=as_mains(options.mains_hz))

    def opener() -> Opener:
        """Anew each time: it opens as it was calibrated, perhaps meanwhile."""
        tuning = shelf.tuning(options.camera, usual)
        return camera_opener(
            options.camera, seed=options.seed, roll_s=options.roll_s, tuning=tuning
        )

    def open_it() -> Camera:
        return opener()()

    if may_come_later(opener()):
        return None, open_it
    camera = open_it()
    cameras = iter([camera])
    if isinstance(camera, SimulatedTray):
        return camera, lambda: camera
    return None, lambda: next(cameras, None) or open_it()


def _wiring(options: Options) -> Wiring:
    return Wiring(
        lamp=as_lamp(options.lamp),
        red=options.red_pin,
        green=options.green_pin,
        blue=options.blue_pin,
        anode=options.common_anode,
        buzzer=options.buzzer_pin if options.buzzer_pin >= 0 else None,
        tones=options.buzzer_tones,
        voice=options.voice,
    )


def _greet(companion: Companion, server: Server) -> None:
    """Address and QR code, as text: a phone reads it off the terminal."""
    snapshot = companion.snapshot()
    if sys.stdout.isatty():
        segno.make(snapshot.join_url, micro=False).terminal(compact=True)
    click.echo(
        f"Traykeeper is at {snapshot.join_url}  (this machine: http://localhost:{server.port}/)"
    )
    if snapshot.simulated:
        click.echo(
            "No camera here: dice are simulated. Throw them, and press the button, on the page."
        )
    click.echo("Press Ctrl-C to stop.")
