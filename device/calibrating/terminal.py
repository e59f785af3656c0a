"""Calibrating on the terminal: the same as on the page, with a yes or no at the end."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep

import click
import cv2
import numpy as np

from calibration import mat
from calibration.outline import Outline
from calibration.rectify import Image
from device.calibrating.calibrated_camera import calibrated_opener
from device.calibrating.draft import N_DICE, TRIALS
from device.calibrating.profile_file import FILE, as_text
from device.calibrating.profile_store import ProfileStore
from device.calibrating.wizard import Wizard
from device.cameras import SimulatedTray, camera_opener
from device.cameras.controls import Tuning
from device.errors import UsageError
from device.files import as_owner_of, print_line, state_folder, write_atomically
from device.hardware.choices import as_mains, as_rotation
from device.settings import Settings
from device.watching.reports import CameraFound, CameraLost, Report
from device.watching.tray_watch import CameraThread, TrayWatch
from device.watching.watch_loop import WatchOptions
from game.situation import TableError
from web.contracts.calibration import CalibrationState, CalibrationStep, Points

FAILED = 1
OPENING_S = 20.0
PICTURE = "calibration.jpg"
"""Where what was found is drawn, beside the profile."""

TEAL, ORANGE = (150, 200, 40), (0, 150, 240)


@dataclass
class Here:
    """A camera opened for calibration, and where the profile is."""

    wizard: Wizard
    tray_watch: TrayWatch
    folder: Path
    simulated: SimulatedTray | None


@contextmanager
def opened(settings: Settings, camera: str | None) -> Iterator[Here]:
    """The camera of the settings, or the one named."""
    folder = state_folder(settings.state)
    profiles = ProfileStore(folder / FILE)
    spec = camera or profiles.resolve_camera(settings.camera)
    usual = Tuning(rotation=as_rotation(settings.rotation), mains_hz=as_mains(settings.mains_hz))
    opener = camera_opener(spec, tuning=profiles.tuning_for(spec, usual))
    first = opener()
    simulated = first if isinstance(first, SimulatedTray) else None
    cameras = iter([first])
    reports: list[Report] = []
    tray_watch = TrayWatch(
        calibrated_opener(lambda: next(cameras, None) or opener(), profiles),
        reports.append,
        WatchOptions(still_s=settings.still_s),
    )
    thread, wizard = CameraThread(tray_watch), Wizard(tray_watch, profiles, simulated=simulated)
    thread.start()
    try:
        wizard.camera_found(_name(reports))
        yield Here(wizard, tray_watch, folder, simulated)
    finally:
        wizard.close()
        thread.close()


def walk(settings: Settings, camera: str | None) -> None:
    """Tray and checks, then the dice where a person wants them known, then save."""
    with opened(settings, camera) as here:
        _tray(here)
        _checks(here.wizard.state())
        if click.confirm("Learn the dice now?", default=False):
            _dice(here)
        _save(here)


def find_tray(settings: Settings, camera: str | None) -> None:
    with opened(settings, camera) as here:
        _tray(here)
        _save(here)


def check(settings: Settings, camera: str | None) -> int:
    """Exit code 1 where a check failed."""
    with opened(settings, camera) as here:
        here.wizard.state()
        state = here.wizard.do(CalibrationStep.CHECK)
        _checks(state)
    return FAILED if any(finding.ok is False for finding in state.checks) else 0


def learn_dice(settings: Settings, camera: str | None) -> None:
    with opened(settings, camera) as here:
        here.wizard.state()
        here.wizard.do(CalibrationStep.FORGET)
        _dice(here)
        _save(here)


def self_test(settings: Settings, camera: str | None) -> int:
    """Exit code 1 unless so many throws running were read."""
    with opened(settings, camera) as here:
        here.wizard.state()
        return 0 if _test(here) else FAILED


def print_mat(paper: mat.Paper, out: str | None) -> None:
    """Write the mat; an SVG where the name ends so, else a PDF."""
    path = Path(out or f"traykeeper-mat-{paper}.pdf")
    sheet = mat.MatSheet(paper)
    if path.suffix.lower() == ".svg":
        path.write_text(mat.as_svg(sheet), "utf-8")
    elif path.suffix.lower() == ".pdf":
        path.write_bytes(mat.as_pdf(sheet))
    else:
        raise UsageError(f"--out {out}: its name must end in .pdf or .svg")
    print_line(f"{path}: print it at 100 %, put it flat in the tray, then find the tray.")


def show(settings: Settings) -> None:
    """The profile as it is in force."""
    folder = state_folder(settings.state)
    profiles = ProfileStore(folder / FILE)
    if profiles.trouble:
        raise UsageError(profiles.trouble)
    if profiles.profile is None:
        raise UsageError(f"{folder / FILE}: there is none yet: `traykeeper calibrate` makes it")
    click.echo(as_text(profiles.profile), nl=False)


def _name(reports: list[Report]) -> str:
    end_s = monotonic() + OPENING_S
    while monotonic() < end_s:
        for report in reports:
            if isinstance(report, CameraFound):
                return report.name
            if isinstance(report, CameraLost):
                raise UsageError(f"no camera ({report.reason})")
        sleep(0.05)
    raise UsageError("no camera: it did not start within 20 s; is the service using it?")


def _tray(here: Here) -> None:
    state = here.wizard.do(CalibrationStep.FIND)
    click.echo(state.words)
    click.echo(f"corners: {_corners(state.tray)} (shares of the picture)")
    click.echo(f"set-aside zone: {_corners(state.aside) if state.aside else 'no room for one'}")
    path = _drawn(here, state)
    if path:
        print_line(f"drawn: {path}")
    if not state.sure:
        click.echo(
            "Corners are dragged on the page, at /calibrate: traykeeper play, or where it is installed "
            "sudo systemctl start traykeeper."
        )


def _checks(state: CalibrationState) -> None:
    for finding in state.checks:
        mark = {True: "ok   ", False: "BAD  ", None: "?    "}[finding.ok]
        click.echo(f"{mark}{finding.name:<9}{finding.verdict} {finding.advice or ''}".rstrip())


def _dice(here: Here) -> None:
    state = here.wizard.state()
    while not state.learning.learnt:
        _thrown(here, f"Throw all the dice ({state.learning.looked_at} looked at)")
        state = _refused_or(lambda: here.wizard.do(CalibrationStep.LEARN), state)
    click.echo(f"Known: {state.learning.words}.")


def _test(here: Here) -> bool:
    state = here.wizard.do(CalibrationStep.RETEST)
    for number in range(TRIALS):
        _thrown(here, f"Throw {N_DICE} dice, {number + 1} of {TRIALS}")
        state = _refused_or(lambda: here.wizard.do(CalibrationStep.TEST), state)
        if state.trials:
            click.echo(state.trials[-1].words)
    return sum(trial.passed for trial in state.trials) == TRIALS


def _thrown(here: Here, words: str) -> None:
    if here.simulated is not None:
        click.echo(f"{words}: simulated.")
        here.wizard.do(CalibrationStep.THROW)
        sleep(1.5)
    else:
        click.prompt(f"{words}, then press Enter", default="", show_default=False, prompt_suffix="")


def _refused_or(ask: Callable[[], CalibrationState], state: CalibrationState) -> CalibrationState:
    try:
        return ask()
    except TableError as error:
        click.echo(str(error))
        return state


def _save(here: Here) -> None:
    if not click.confirm("Is that right? Save it?", default=False):
        click.echo("Nothing was changed.")
        return
    try:
        here.wizard.do(CalibrationStep.SAVE)
    except TableError as error:
        raise UsageError(str(error)) from None
    print_line(f"saved: {here.folder / FILE}")


def _corners(points: Points) -> str:
    return "  ".join(f"{x:.3f} {y:.3f}" for x, y in points)


def _drawn(here: Here, state: CalibrationState) -> Path | None:
    """The picture with corners and zone on it; None where it cannot be written."""
    jpeg = here.wizard.picture()
    if jpeg is None:
        return None
    image = np.asarray(cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR), np.uint8)
    _draw(image, state.tray, TEAL)
    if state.aside:
        _draw(image, state.aside, ORANGE)
    path = here.folder / PICTURE
    try:
        with as_owner_of(here.folder):
            write_atomically(path, cv2.imencode(path.suffix, image)[1].tobytes())
    except OSError:
        return None
    return path


def _draw(image: Image, points: Points, colour: tuple[int, int, int]) -> None:
    a, b, c, d = points
    quad = Outline((a, b, c, d)).in_px(image.shape[1], image.shape[0])
    corners = np.rint(np.array(quad.corners) * 8).astype(np.int32)
    cv2.polylines(image, [corners], True, colour, 2, cv2.LINE_AA, 3)
    for x, y in corners.tolist():
        cv2.circle(image, (x, y), 5 * 8, colour, -1, cv2.LINE_AA, 3)
