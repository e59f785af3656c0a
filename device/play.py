"""`traykeeper play`: put the parts together, serve the page, until somebody stops it."""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from threading import Event

import click
import platformdirs
import segno
from flask import Flask
from gpiozero.pins import Factory
from gpiozero.pins.mock import MockFactory

from calibration.profile import FILE as PROFILE
from device.aside import WorkerClient
from device.broker.joining import on_broker
from device.button import TrayButton
from device.camera import Camera
from device.cameras import Opener, SimulatedTray, camera_opener, may_come_later
from device.cameras.tuning import Tuning, as_mains, as_rotation
from device.coach import TABLES, TableCoach
from device.companion import Companion
from device.corrections import FOLDER as CORRECTIONS
from device.corrections import MisreadStore
from device.daily import Backups, DailyBackup
from device.doctor.machine import Machine
from device.doctor.patient import System
from device.drawer import FILE as DRAWER
from device.drawer import PencilFile
from device.frames import DAY_S, ThrowPictures
from device.frames import FOLDER as FRAMES
from device.lan import lan_address
from device.ledger import LiveMatch
from device.notebook import FILE as NOTEBOOK
from device.notebook import NotesFile
from device.notify import Heartbeat, notify
from device.pins import open_pins
from device.power import shut_down_where_allowed
from device.rescue import open_journal
from device.settings import Settings
from device.shelf import ProfileStore
from device.signals import Wiring, as_lamp, open_signals
from device.upkeep import Maintenance
from game import rulefile
from game.errors import JournalError
from game.history import History
from web.app import create_app, new_link
from web.hosts import AllowedHosts, named
from web.pencil import Pencil
from web.server import Server


@dataclass(frozen=True, slots=True)
class PlayOptions(Settings):
    """The settings, and what only the command line of `traykeeper play` can say."""

    roll_s: float = 1.0
    seed: int | None = None
    settings_file: str | None = None


def run(options: PlayOptions) -> None:
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
def serving(options: PlayOptions) -> Iterator[tuple[Companion, Server]]:
    """The companion at work and its page served; all is closed again at the end."""
    drawer = PencilFile(_folder(options) / DRAWER)
    if drawer.trouble:
        click.echo(f"traykeeper: {drawer.trouble}", err=True)
    with (
        open_upkeep(options, Pencil(drawer.kept, keep=drawer.keep)) as upkeep,
        Server(_app(upkeep, options, drawer.secret), options.host, options.port) as server,
    ):
        companion = upkeep.companion
        companion.announce(f"http://{lan_address(options.host)}:{server.port}/")
        with on_broker(options, companion, _folder(options), partial(click.echo, err=True)):
            yield companion, server


def _app(upkeep: Maintenance, options: PlayOptions, secret: bytes) -> Flask:
    """The page, with the rules that were asked for first among those on offer."""
    chosen = rulefile.load(options.rules)
    others = (rulefile.load(name) for name in rulefile.names() if name != chosen.name)
    companion = upkeep.companion
    return create_app(
        companion,
        calibration=companion.fitting,
        history=History(upkeep.journal.path),
        rules=(chosen, *others),
        keeper=upkeep,
        coach=upkeep.coach,
        corrections=upkeep.corrections,
        hosts=AllowedHosts(*named(options.hosts), options.host),
        pencil=companion.pencil,
        secret=secret,
    )


@contextmanager
def open_companion(options: PlayOptions, pencil: Pencil | None = None) -> Iterator[Companion]:
    """Camera, pins, journal and match joined, without the page."""
    with open_upkeep(options, pencil) as upkeep:
        yield upkeep.companion


@contextmanager
def open_upkeep(options: PlayOptions, pencil: Pencil | None = None) -> Iterator[Maintenance]:
    """The companion at work, and what looks after it."""
    rules = rulefile.load(options.rules)
    state = _folder(options)
    shelf = ProfileStore(state / PROFILE)
    if shelf.trouble:
        click.echo(f"traykeeper: {shelf.trouble}", err=True)
    tray, open_it = _camera(options, shelf)
    backups = Backups(state, Path(options.settings_file) if options.settings_file else None)
    journal, damage = open_journal(state, backups)
    with (
        closing(journal),
        closing(open_pins()) as pins,
        closing(_frames(options, state)) as frames,
        closing(MisreadStore(state / CORRECTIONS)) as corrections,
        closing(_coach(state, journal.path)) as coach,
    ):
        if damage:
            frames.forget(after=0)
        ledger = LiveMatch(journal)
        damage = " ".join(filter(None, (damage, _taken_up(ledger))))
        companion = Companion(
            ledger,
            rules,
            open_it,
            open_signals(pins, _wiring(options), warn=partial(click.echo, err=True)),
            tray=tray,
            shelf=shelf,
            pencil=pencil,
            still_s=options.still_s,
            shut_down=_shut_down(options, pins),
            frames=frames,
            corrections=corrections,
            damage=damage,
            coach=coach,
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
            with DailyBackup(backups):
                yield Maintenance(
                    companion,
                    journal,
                    backups,
                    frames,
                    corrections,
                    coach,
                    _patient(options, state),
                )
        finally:
            companion.close()


def _taken_up(ledger: LiveMatch) -> str:
    """Go on with what was played last; why not, where it cannot be read by this version."""
    try:
        ledger.reload()
    except JournalError as error:
        return f"The last match cannot be gone on with ({error}). It stays in the journal."
    return ""


def _frames(options: PlayOptions, state: Path) -> ThrowPictures:
    return ThrowPictures(
        state / FRAMES,
        max_bytes=options.frames_mb * 1024 * 1024,
        max_age_s=options.frames_days * DAY_S,
    )


def _coach(state: Path, journal: Path) -> TableCoach:
    """It works aside, in a process of its own that starts when it is first asked."""
    return TableCoach(
        WorkerClient(journal, state / TABLES), History(journal), NotesFile(state / NOTEBOOK)
    )


def _patient(options: PlayOptions, state: Path) -> System:
    """This machine, for the health page."""
    return System(Machine(), replace(options, state=str(state)), None, None, None, installed=False)


def _folder(options: PlayOptions) -> Path:
    """Where journal, profile, pictures, backups and the pencil are."""
    return Path(options.state or platformdirs.user_state_dir("traykeeper"))


def _shut_down(options: PlayOptions, pins: Factory) -> Callable[[], object] | None:
    """A simulated button is pressed by anybody in the network: it shuts nothing down."""
    if not options.shut_down or isinstance(pins, MockFactory):
        return None
    return shut_down_where_allowed()


def _camera(
    options: PlayOptions, shelf: ProfileStore
) -> tuple[SimulatedTray | None, Callable[[], Camera]]:
    """The simulated tray where it is one, and what opens the camera, again after it failed.

    A real camera that is not there yet stops nobody: dice are tapped in until it comes.
    """
    usual = Tuning(rotation=as_rotation(options.rotation), mains_hz=as_mains(options.mains_hz))

    def opener() -> Opener:
        """Anew each time: it opens as it was calibrated, perhaps meanwhile."""
        spec = shelf.meant(options.camera)
        tuning = shelf.tuning(spec, usual)
        return camera_opener(spec, seed=options.seed, roll_s=options.roll_s, tuning=tuning)

    def open_it() -> Camera:
        return opener()()

    if may_come_later(opener()):
        return None, open_it
    camera = open_it()
    cameras = iter([camera])
    if isinstance(camera, SimulatedTray):
        return camera, lambda: camera
    return None, lambda: next(cameras, None) or open_it()


def _wiring(options: PlayOptions) -> Wiring:
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
    click.echo(
        f"Traykeeper is at {snapshot.join_url}  (this machine: http://localhost:{server.port}/)"
    )
    if _goes_to_a_log():
        click.echo("Who wants to play asks for the pencil on the page, and presses the button.")
    else:
        link = new_link(server.app)
        if sys.stdout.isatty():
            segno.make(snapshot.join_url + link, micro=False).terminal(compact=True)
        click.echo(f"To play, open http://localhost:{server.port}/{link}")
        click.echo(f"or on a phone {snapshot.join_url}{link}")
        click.echo("It gives the pencil once, within the hour; all other phones watch.")
    if snapshot.simulated:
        click.echo(
            "No camera here: dice are simulated. Throw them, and press the button, on the page."
        )
    click.echo("Press Ctrl-C to stop.")


def _goes_to_a_log() -> bool:
    """Whether systemd's journal keeps what we print: no secret may stand there."""
    out = os.fstat(sys.stdout.fileno())
    return os.environ.get("JOURNAL_STREAM") == f"{out.st_dev}:{out.st_ino}"
