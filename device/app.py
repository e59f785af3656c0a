"""`traykeeper play`: connects the parts and serves the page until the program is stopped."""

import gc
import logging
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from threading import Event, Thread
from time import time
from urllib.parse import urlsplit

import click
import cv2
import segno
from flask import Flask
from gpiozero.pins import Factory
from gpiozero.pins.mock import MockFactory

from device import machine_fit as fits
from device.calibrating.profile_file import PROFILE_FILE, ProfileStore
from device.cameras import CameraOpener, SimulatedTray, camera_opener, is_hot_pluggable
from device.cameras.base import Camera, CameraError
from device.cameras.controls import Tuning
from device.coach.coach import TABLES, TableCoach
from device.coach.notes_file import NOTES_FILE, NotesFile
from device.coach.worker_client import WorkerClient
from device.companion.companion import Companion, Inbox
from device.doctor.system import Machine, System
from device.errors import UsageError, exit_at_ctrl_c, exit_now
from device.failed_starts import StartPart, StartRecord
from device.files import make_folder, print_line, refuse_as_root, remove_unfinished, state_folder
from device.hardware.button import TrayButton
from device.hardware.choices import as_camera, as_mains, as_rotation
from device.hardware.outputs import open_signals
from device.hardware.pins import mock_pins, open_pins, open_when_free
from device.hardware.systemd import Heartbeat, SelfRestart, notify, power_off_action
from device.hardware.voltage import watched_voltage
from device.lan import as_page_url, as_page_urls, lan_address, own_address, split_names
from device.log_file import keep_log
from device.maintenance import Maintenance
from device.mqtt.client import parse_address
from device.mqtt.publisher import publish_to_broker
from device.safe_mode import NO_CAMERA, OTHER_PORTS, SafeMode
from device.session.live_match import LiveMatch
from device.settings import Settings
from device.shared_match.conversation import CLIP, PHOTO, ThrowFiles
from device.shared_match.links import SHARED_FOLDER, LinkStore
from device.shared_match.shared_matches import SharedMatches
from device.storage.daily_backup import CHECK_INTERVAL_S, Backups
from device.storage.misreads import CORRECTIONS_FOLDER, MisreadStore
from device.storage.recovery import delete_notice, open_journal
from device.storage.restore import IncomingBackup
from device.storage.scorekeeper_file import SCOREKEEPER_FILE, ScorekeeperFile
from device.storage.throw_pictures import DAY_S, FRAMES_FOLDER, ThrowPictures
from device.threads import repeated
from device.watching.tray_watch import WatchOptions
from device.webhook import send_to_webhook
from game.commands import ShowOtherPhoto
from game.errors import GameError, JournalError, reason
from game.journal.history import History
from game.journal.journal import JOURNAL_FILE, MendingJournal
from game.message import Message, Paragraph
from game.rules import rule_files
from game.rules.ruleset import Ruleset
from game.situation import TableError
from vision.networks import choose_engine
from web.access.origin import AllowedHosts
from web.access.scorekeeper import Scorekeeper
from web.app import create_app, new_link
from web.pages.matches import throw_positions
from web.picture_check import check_picture
from web.response import HttpProblem
from web.server import Server, ServerError

log = logging.getLogger(__name__)

ADDRESS_CHECK_S = 10.0
"""How often to check whether the address of this machine has changed, in seconds."""

ENGINE_CHECK_DELAY_S = 30.0
"""Delay in seconds before a new engine for the neural networks is checked.

The check keeps a core busy for several seconds, so it waits until the start is over.
"""

ENGINE_RECORD = "engine.json"
"""Name of the file that records whether the engine for the neural networks passed its check."""


@dataclass(frozen=True, slots=True)
class PlayOptions(Settings):
    """The settings, and the options that only the command line of `traykeeper play` has.

    Attributes:
        roll_s: How long simulated dice roll, in seconds.
        seed: Seed for the simulated dice; None uses a different seed each time.
        settings_file: Path of the settings file, which is included in backups; None if there is none.
        safe: Why this start is in safe mode; None if it is not.
    """

    roll_s: float = 1.0
    seed: int | None = None
    settings_file: str | None = None
    safe: SafeMode | None = None


def run(options: PlayOptions, starts: StartRecord) -> None:
    """Run Traykeeper until Ctrl-C or a termination signal.

    Args:
        options: The settings.
        starts: The record in which this start notes each part that it reaches, such as the camera.

    Raises:
        UsageError: If root would play in another user's folder, or the folder cannot be created.
    """
    starts.reach(StartPart.JOURNAL)
    folder = state_folder(options.state)
    refuse_as_root(folder)
    make_folder(folder)
    fits.limit_malloc_arenas()
    stop = Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    with keep_log(folder), watched_voltage(folder), ExitStack() as stack:
        with exit_at_ctrl_c():
            companion, server = stack.enter_context(serving(options, starts.reach))
        signal.signal(signal.SIGINT, lambda *_: exit_now() if stop.is_set() else stop.set())
        if not options.safe:
            check = folder / ENGINE_RECORD, lambda: not stop.wait(ENGINE_CHECK_DELAY_S)
            Thread(target=choose_engine, args=check, daemon=True).start()
        _greet(companion, server)
        gc.freeze()  # a full collection stops all threads, on a small Pi for a quarter of a second
        if not stop.is_set():  # systemd stops a start that takes too long
            starts.reach(StartPart.RUNNING)
        notify("READY=1")
        while not stop.wait(ADDRESS_CHECK_S):
            starts.tick()
            with suppress(TableError):  # the companion is busy; the next attempt follows soon
                announce(companion, options, server)
        notify("STOPPING=1")
    click.echo("Stopped. The match is saved and continues at the next start.")


Reach = Callable[[StartPart], object]
"""A function that is called with each part of the start (such as the camera) just before that part is opened."""


@contextmanager
def serving(
    options: PlayOptions, reach: Reach = lambda _: None
) -> Iterator[tuple[Companion, Server]]:
    """Run the companion and serve its page within the block. Yields the companion and the server.

    Args:
        options: The settings.
        reach: Called with each part of the start just before that part is opened.
    """
    usual_state = options.safe.usual_state if options.safe else options.state
    scorekeeper_file = ScorekeeperFile(state_folder(usual_state) / SCOREKEEPER_FILE)
    if scorekeeper_file.trouble:
        print_line(f"traykeeper: {scorekeeper_file.trouble}", err=True)
    with ExitStack() as stack:
        maintenance = stack.enter_context(open_maintenance(options, scorekeeper_file, reach))
        reach(StartPart.PAGE)
        app = _app(maintenance, options, scorekeeper_file.secret)
        server = stack.enter_context(_server(app, options))
        reach(StartPart.BROKER)
        companion = maintenance.companion
        announce(companion, options, server)
        state, warn = state_folder(options.state), partial(print_line, err=True)
        with (
            publish_to_broker(options, companion, state, warn) as maintenance.broker,
            send_to_webhook(options, companion, state, warn) as maintenance.deliveries,
        ):
            yield companion, server


def _server(app: Flask, options: PlayOptions) -> Server:
    """Create the page's server.

    The service listens even if the address in the setting `host` does not exist yet, because the network may become
    available late. In safe mode, if the page failed to start earlier, other ports on every address are tried instead.
    """
    if options.safe and options.safe.blames(StartPart.PAGE):
        for port in (options.port, *OTHER_PORTS):
            with suppress(ServerError):
                return Server(app, options.host if port == options.port else "", port)
    try:
        return Server(app, options.host, options.port)
    except ServerError as error:
        if options.safe or "NOTIFY_SOCKET" not in os.environ:
            raise
        server = Server(app, options.host, options.port, awaits_address=True)
        print_line(
            f"traykeeper: {error}: the page cannot be reached until the machine has this address",
            err=True,
        )
        return server


def announce(companion: Companion, settings: Settings, server: Server) -> None:
    """Update the page's address in the QR code, because the network may become available late or change.

    Args:
        companion: The companion whose page is served.
        settings: The settings, which may fix the address.
        server: The page's server. In safe mode, its host may differ from the one in the settings.
    """
    page = as_page_url(settings.address) or f"http://{lan_address(server.host)}:{server.port}/"
    if page != companion.snapshot().join_url:
        mode = " in safe mode" if companion.announce(page).safe_mode else ""
        notify(f"STATUS=Serving {page}{mode}")


def _app(maintenance: Maintenance, options: PlayOptions, secret: bytes) -> Flask:
    """Create the Flask app. The rule set named in the settings comes first in its list of rule sets."""
    chosen = rule_files.load(options.rules)
    others = (rule_files.load(name) for name in rule_files.names() if name != chosen.name)
    companion = maintenance.companion
    return create_app(
        companion,
        calibration=companion.tray_camera.wizard,
        history=History(maintenance.journal.path),
        rules=(chosen, *others),
        maintainer=maintenance,
        coach=maintenance.coach,
        misreads=maintenance.misreads,
        hosts=_allowed_hosts(options),
        scorekeeper=companion.scorekeeper,
        secret=secret,
        pictures=maintenance.frames.get,
        has_overlay=options.overlay,
        readers=as_page_urls(options.readers),
        shared=maintenance.shared,
    )


def _allowed_hosts(options: PlayOptions) -> AllowedHosts:
    named = urlsplit(options.address).hostname or ""
    return AllowedHosts(*split_names(options.hosts), options.host, named)


@contextmanager
def open_maintenance(
    options: PlayOptions,
    scorekeeper_file: ScorekeeperFile | None = None,
    reach: Reach = lambda _: None,
) -> Iterator[Maintenance]:
    """Run a companion, with its backups, stored pictures and coach, within the block.

    Args:
        options: The settings.
        scorekeeper_file: Where the scorekeeper is saved; None keeps it in memory only.
        reach: Called with each part of the start just before that part is opened.
    """
    safe = options.safe
    reach(StartPart.SETTINGS)
    rules = rule_files.load(options.rules)
    reach(StartPart.JOURNAL)
    state = state_folder(options.state)
    profiles = ProfileStore(state / PROFILE_FILE)
    if profiles.trouble:
        print_line(f"traykeeper: {profiles.trouble}", err=True)
    fit = fits.from_settings(options.picture, options.threads, options.burst_frames, state)
    cv2.setNumThreads(fit.threads or cv2.getNumberOfCPUs())
    reach(StartPart.CAMERA)
    tray, open_it = (None, _no_camera) if safe else _camera(options, profiles, fit.picture_px)
    reach(StartPart.JOURNAL)
    backups = Backups(state, Path(options.settings_file) if options.settings_file else None)
    inbox = Inbox()
    opened, damage = open_journal(state, backups)
    remove_unfinished(state, time())
    journal = MendingJournal(
        opened,
        partial(open_journal, state, backups),
        lambda notice: inbox.post(lambda companion: companion.note_repair(notice)),
    )
    backups.on_made = partial(journal.cut_trace, backups.position_held_twice)
    reach(StartPart.PINS)
    with (
        closing(journal),
        _pins(safe) as (pins, no_pins),
        closing(_frames(options, state)) as frames,
        closing(MisreadStore(state / CORRECTIONS_FOLDER)) as misreads,
        closing(_coach(state, journal.path, inbox)) as coach,
    ):
        shared = _shared_matches(options, state, rules, frames, inbox)
        live_match = LiveMatch(journal, shared)
        notice = _joined(_continue_match(live_match), _found_backup_notice(state))
        button, no_button = (None, None) if safe else _button(pins, options.button_pin, inbox)
        signals = open_signals(pins, options, partial(print_line, err=True), no_pins)
        reach(StartPart.CAMERA)
        companion = Companion(
            inbox,
            live_match,
            rules,
            open_it,
            signals,
            button=button,
            no_button=no_button,
            simulated_tray=tray,
            shut_down=_shut_down(options, pins),
            restart=SelfRestart(),
            safe_mode=safe,
            profiles=profiles,
            throw_pictures=frames,
            misreads=misreads,
            damage=damage,
            notice=notice,
            on_damage_read=partial(delete_notice, state),
            watch=WatchOptions(
                still_s=options.still_s,
                reports_settled_dice=options.hands_off,
                burst_frames=fit.burst_frames,
                records_clips=options.clips,
            ),
            scorekeeper=_scorekeeper(scorekeeper_file, button, inbox),
            coach=coach,
            other_tray=shared.view,
            on_pass=Heartbeat(),
            bot_pause_s=options.bot_pause_s,
            think=coach.think,
        )
        show_stored_photo(companion, History(journal.path), frames)
        companion.start()
        shared.start(companion)
        try:
            with repeated(backups.make_if_due, CHECK_INTERVAL_S, "backups", at_once=True):
                yield Maintenance(
                    companion,
                    journal,
                    backups,
                    frames,
                    misreads,
                    coach,
                    shared,
                    _system(options, state),
                )
        finally:
            shared.close()
            companion.close()


def _no_camera() -> Camera:
    """Refuse to open a camera, because Traykeeper is in safe mode."""
    raise CameraError(NO_CAMERA)


@contextmanager
def _pins(safe: SafeMode | None) -> Iterator[tuple[Factory, Message | None]]:
    """Open the GPIO pins within the block. Yields them, and why they are mock pins, as `open_pins` returns it.

    In safe mode, use mock pins if opening the real ones failed before.
    """
    pins, trouble = (mock_pins(), None) if safe and safe.blames(StartPart.PINS) else open_pins()
    with closing(pins):
        yield pins, trouble


def _shared_matches(
    options: PlayOptions, state: Path, rules: Ruleset, frames: ThrowPictures, inbox: Inbox
) -> SharedMatches:
    """Return the object that plays matches with other trays: over HTTP, and over the broker if one is set."""
    broker = None
    with suppress(UsageError, GameError):  # `publish_to_broker` reports the problem
        if options.mqtt:
            broker = parse_address(options.mqtt, secret=options.mqtt_secret, ca=options.mqtt_ca)
    return SharedMatches(
        LinkStore(state / SHARED_FOLDER),
        History(state / JOURNAL_FILE),
        {
            PHOTO: ThrowFiles(frames.get, frames.add),
            CLIP: ThrowFiles(frames.clip, frames.add_clip),
        },
        rules,
        broker=broker,
        warn=lambda line: print_line(f"traykeeper: {line}", err=True),
        on_change=inbox.changed,
    )


def _joined(*troubles: Message | None) -> Message | None:
    """Join the problems into one message; return None if there are none."""
    return Paragraph(*troubles) if any(troubles) else None


def _found_backup_notice(state: Path) -> Message | None:
    """Return a notice if a backup was found on a USB stick or card, otherwise None. It is restored only on request."""
    if IncomingBackup(state).file is None:
        return None
    return Message("A backup was found: the health page asks whether to restore it.")


def _continue_match(live_match: LiveMatch) -> Message | None:
    """Continue the last match. Return the reason if this version cannot read it, otherwise None."""
    try:
        live_match.reload()
    except JournalError as error:
        return Paragraph(
            Message("The last match cannot be continued (%(why)s).", why=error.message),
            Message("It stays in the journal."),
        )
    return None


def show_stored_photo(companion: Companion, history: History, frames: ThrowPictures) -> None:
    """Show the picture of the last throw, which was taken before the restart, if it was stored."""
    live_match = companion.session.live_match
    last = live_match.in_play.last_throw if live_match.in_play else None
    if last is None:
        return
    with suppress(JournalError, HttpProblem):
        position = throw_positions(history, live_match.match_id).get(last.index, 0)
        if picture := frames.get(position):
            check_picture(picture)
            stored = ShowOtherPhoto(last.index, picture, frames.clip(position))
            companion.pictures.restore(companion.session.table, stored)


def _button(pins: Factory, pin: int, inbox: Inbox) -> tuple[TrayButton | None, Message | None]:
    """Return the button, or None and the reason why there is no button."""
    open_it = partial(
        TrayButton, pins, on_release=inbox.released, on_holding=inbox.holding, pin=pin
    )
    try:
        return open_when_free(open_it), None
    except Exception as error:  # lgpio raises its own kinds of errors
        log.exception("there is no button")
        return None, Message("No button: %(why)s", why=reason(error))


def _scorekeeper(
    file: ScorekeeperFile | None, button: TrayButton | None, inbox: Inbox
) -> Scorekeeper:
    has_button = button is not None and not button.is_simulated
    if file is None:
        return Scorekeeper(on_change=inbox.changed, has_button=has_button)
    return Scorekeeper(file.record, save=file.save, on_change=inbox.changed, has_button=has_button)


def _frames(options: PlayOptions, state: Path) -> ThrowPictures:
    return ThrowPictures(
        state / FRAMES_FOLDER,
        max_bytes=options.frames_mb * 1024 * 1024,
        max_age_s=options.frames_days * DAY_S,
    )


def _coach(state: Path, journal: Path, inbox: Inbox) -> TableCoach:
    """Return the coach, which starts a process of its own when it is first needed."""
    return TableCoach(
        WorkerClient(journal, state / TABLES),
        History(journal),
        NotesFile(state / NOTES_FILE),
        inbox.changed,
    )


def _system(options: PlayOptions, state: Path) -> System:
    """Return the description of this machine that the health page checks."""
    return System(Machine(), replace(options, state=str(state)), None, None, None, installed=False)


def _shut_down(options: PlayOptions, pins: Factory) -> Callable[[], object] | None:
    """Return the function that shuts the machine down, or None if holding the button must not shut it down.

    A simulated button never shuts the machine down, because anybody on the network can press it.
    """
    if not options.shut_down or isinstance(pins, MockFactory):
        return None
    return power_off_action()


def _camera(
    options: PlayOptions, profiles: ProfileStore, width_px: int
) -> tuple[SimulatedTray | None, Callable[[], Camera] | None]:
    """Return the simulated tray and the function that opens the camera.

    The tray is None if the camera is real. A missing real camera does not prevent the start, because dice can be
    entered by hand until the camera is plugged in. If phones take the pictures, both are None.
    """
    if as_camera(options.camera)[0] == "phone":
        return None, None
    usual = Tuning(
        rotation=as_rotation(options.rotation),
        mains_hz=as_mains(options.mains_hz),
        width_px=width_px,
    )

    def opener(named: str) -> CameraOpener:
        """Return the function that opens the camera of this name, set up with the newest calibration."""
        tuning = profiles.tuning_for(named, usual)
        return camera_opener(named, seed=options.seed, roll_s=options.roll_s, tuning=tuning)

    def open_it(named: str = options.camera) -> Camera:
        return opener(named)()

    if is_hot_pluggable(opener(options.camera)):
        real = (
            "picamera2" if options.camera == "auto" else options.camera
        )  # even if it is unplugged later
        return None, partial(open_it, real)
    camera = open_it()
    cameras = iter([camera])
    if isinstance(camera, SimulatedTray):
        return camera, lambda: camera
    return None, lambda: next(cameras, None) or open_it()


def _greet(companion: Companion, server: Server) -> None:
    """Print the address of the page, and its QR code for phones."""
    snapshot = companion.snapshot()
    here = own_address(server.host).replace("127.0.0.1", "localhost")
    click.echo(
        f"Traykeeper is at {snapshot.join_url}  (this machine: http://{here}:{server.port}/)"
    )
    if _is_logged():
        click.echo("To keep score, ask for it on the page, then press the button at the tray.")
    else:
        link = new_link(server.app)
        if sys.stdout.isatty():
            segno.make(snapshot.join_url + link, micro=False).terminal(compact=True)
        click.echo(f"To play, open http://{here}:{server.port}/{link}")
        click.echo(f"or on a phone {snapshot.join_url}{link}")
        click.echo(
            "The link works once, within an hour, and makes that phone the scorekeeper. All others watch."
        )
    if snapshot.simulated:
        click.echo("The dice are simulated: throw them, and press the button on the page.")
    click.echo("Press Ctrl-C to stop.")


def _is_logged() -> bool:
    """Return whether the output goes to systemd's journal, which must not contain secrets."""
    out = os.fstat(sys.stdout.fileno())
    return os.environ.get("JOURNAL_STREAM") == f"{out.st_dev}:{out.st_ino}"
