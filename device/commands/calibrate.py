"""`traykeeper calibrate ...`: calibrates the camera for the tray, in the same steps as on the page.

Before anything is saved, the user is asked.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep

import click
import cv2
import numpy as np

from calibration import mat
from calibration.camera_height import CAMERA_VIEWS, CameraMount, mount_camera
from calibration.outline import Outline
from calibration.rectify import Image
from device import machine_fit as fits
from device.calibrating.draft import TRIALS
from device.calibrating.profile_file import PROFILE_FILE, ProfileStore, as_text
from device.calibrating.wizard import Wizard
from device.cameras import SimulatedTray, camera_opener
from device.cameras.controls import Tuning
from device.commands.options import FiniteRange, settings_option
from device.errors import UsageError
from device.files import as_owner_of, print_line, state_folder, write_atomically
from device.hardware.choices import as_mains, as_rotation
from device.settings import find, load
from device.watching.reports import CameraFound, CameraLost, Report
from device.watching.tray_watch import TrayWatch, WatchOptions
from game.rules import rule_files
from game.situation import TableError
from web.contracts import CalibrationState, CalibrationStep, Points

SMALLEST_MM, LARGEST_MM = 50, 2000

FAILED = 1
OPENING_S = 20.0
PICTURE = "calibration.jpg"
"""Name of the picture with the corners drawn on it, stored next to the profile."""

TEAL, ORANGE = (150, 200, 40), (0, 150, 240)

camera_option = click.option(
    "--camera", metavar="NAME", help="Camera, instead of the one in the settings."
)


@dataclass
class CalibrationBench:
    """A camera that has been opened for calibration.

    Attributes:
        wizard: Calibrates the camera's tray.
        folder: The folder that contains the profile.
        simulated: The simulated tray; None if the tray is real.
    """

    wizard: Wizard
    folder: Path
    simulated: SimulatedTray | None


@contextmanager
def open_bench(file: str | None, camera: str | None) -> Iterator[CalibrationBench]:
    """Open a camera for calibration during a `with` block.

    Args:
        file: Path of the settings file, as named on the command line; None means the one of this installation.
        camera: The camera, as named on the command line; None means the one in the settings.

    Raises:
        UsageError: If the camera does not start.
    """
    settings = load(find(file))
    folder = state_folder(settings.state)
    profiles = ProfileStore(folder / PROFILE_FILE)
    spec = camera or settings.camera
    fit = fits.from_settings(settings.picture, settings.threads, settings.burst_frames, folder)
    usual = Tuning(
        rotation=as_rotation(settings.rotation),
        mains_hz=as_mains(settings.mains_hz),
        width_px=fit.picture_px,
    )
    opener = camera_opener(spec, tuning=profiles.tuning_for(spec, usual))
    first = opener()
    simulated = first if isinstance(first, SimulatedTray) else None
    cameras = iter([first])
    reports: list[Report] = []
    tray_watch = TrayWatch(
        lambda: next(cameras, None) or opener(),
        reports.append,
        WatchOptions(still_s=settings.still_s, zones_of=profiles.zones_of),
    )
    n_dice = rule_files.load(settings.rules).n_dice
    wizard = Wizard(tray_watch, profiles, n_dice=n_dice, simulated=simulated)
    tray_watch.start()
    try:
        wizard.camera_found(_wait_for_camera(reports))
        yield CalibrationBench(wizard, folder, simulated)
    finally:
        wizard.close()
        tray_watch.close()


@click.group(invoke_without_command=True)
@camera_option
@settings_option
@click.pass_context
def calibrate(context: click.Context, camera: str | None, file: str | None) -> None:
    """Calibrate the camera for the tray. Without a command, carry out all steps and ask before saving.

    The page /calibrate does the same and lets you drag the corners.

    \b
    traykeeper calibrate                  # tray, checks, dice
    traykeeper calibrate height --tray 250x250 --die 8
    """
    if context.invoked_subcommand is None:
        with open_bench(file, camera) as bench:
            _tray(bench)
            _checks(bench.wizard.state())
            if click.confirm("Learn the dice now?", default=False):
                _dice(bench)
            _save(bench)
    else:  # options before the command apply to it as well
        context.default_map = {context.invoked_subcommand: {"camera": camera, "file": file}}


@calibrate.command("tray")
@camera_option
@settings_option
def calibrate_tray(camera: str | None, file: str | None) -> None:
    """Find the tray, draw the result, and ask before saving it.

    \b
    traykeeper calibrate tray
    """
    with open_bench(file, camera) as bench:
        _tray(bench)
        _save(bench)


@calibrate.command("check")
@camera_option
@settings_option
def calibrate_check(camera: str | None, file: str | None) -> int:
    """Check framing, light, glare and focus; exit 1 if one of them is not good enough.

    \b
    traykeeper calibrate check
    """
    with open_bench(file, camera) as bench:
        state = bench.wizard.do(CalibrationStep.CHECK)
        _checks(state)
        return FAILED if any(finding.ok is False for finding in state.checks) else 0


@calibrate.command("dice")
@camera_option
@settings_option
def calibrate_dice(camera: str | None, file: str | None) -> None:
    """Learn the appearance of a set of dice from a few throws.

    \b
    traykeeper calibrate dice
    """
    with open_bench(file, camera) as bench:
        bench.wizard.do(CalibrationStep.FORGET)
        _dice(bench)
        _save(bench)


@calibrate.command("test")
@camera_option
@settings_option
def calibrate_test(camera: str | None, file: str | None) -> int:
    """Test the calibration with three throws of all dice; exit 1 unless all three are read with certainty.

    \b
    traykeeper calibrate test
    """
    with open_bench(file, camera) as bench:
        state = bench.wizard.do(CalibrationStep.RETEST)
        for number in range(TRIALS):
            _wait_for_throw(bench, f"Throw {state.n_dice} dice, {number + 1} of {TRIALS}")
            state = _state_after(lambda: bench.wizard.do(CalibrationStep.TEST), state)
            if state.trials:
                click.echo(state.trials[-1].words)
        return 0 if sum(trial.passed for trial in state.trials) == TRIALS else FAILED


@calibrate.command("mat")
@click.option(
    "--paper",
    type=click.Choice(["a4", "letter"]),
    default="a4",
    show_default=True,
    help="Paper size.",
)
@click.option(
    "--out", metavar="FILE", help="Output file, .pdf or .svg; by default a PDF in this folder."
)
def calibrate_mat(paper: mat.Paper, out: str | None) -> None:
    """Write a mat to print. It lets Traykeeper measure the tray in millimetres and the distortion of the lens.

    \b
    traykeeper calibrate mat --paper letter --out mat.svg
    """
    path = Path(out or f"traykeeper-mat-{paper}.pdf")
    sheet = mat.MatSheet(paper)
    if path.suffix.lower() == ".svg":
        path.write_text(mat.as_svg(sheet), "utf-8")
    elif path.suffix.lower() == ".pdf":
        path.write_bytes(mat.as_pdf(sheet))
    else:
        raise UsageError(f"--out {out}: its name must end in .pdf or .svg")
    print_line(
        f"{path}: print it at 100 %, lay it flat in the tray, then run `traykeeper calibrate tray`."
    )


@calibrate.command("show")
@settings_option
def calibrate_show(file: str | None) -> None:
    """Print the calibration profile in use.

    \b
    traykeeper calibrate show
    """
    folder = state_folder(load(find(file)).state)
    profiles = ProfileStore(folder / PROFILE_FILE)
    if profiles.trouble:
        raise UsageError(profiles.trouble)
    if profiles.profile is None:
        raise UsageError(
            f"{folder / PROFILE_FILE}: there is no profile yet: `traykeeper calibrate` makes one"
        )
    click.echo(as_text(profiles.profile), nl=False)


@calibrate.command("height")
@click.option(
    "--tray", default="250x250", show_default=True, help="Sides of the tray in millimetres."
)
@click.option(
    "--die",
    "die_mm",
    type=FiniteRange(4, 40),
    default=16,
    show_default=True,
    help="Edge of a die in millimetres.",
)
def calibrate_height(tray: str, die_mm: float) -> None:
    """Print how high to mount each type of camera above a tray, and how many pixels wide a die will be.

    \b
    traykeeper calibrate height --tray 250x250 --die 8
    """
    tray_mm = tray_size(tray)
    click.echo(f"{'camera':<32}{'height':>8}{'a die is':>10}")
    for view in CAMERA_VIEWS:
        click.echo(_line(mount_camera(view, tray_mm, die_mm)))


def tray_size(text: str) -> tuple[float, float]:
    """Parse the width and depth of a tray in millimetres, such as `250x200`.

    A single number is the width and depth of a round or square tray.

    Raises:
        UsageError: If the text is not a size, or a side is out of range.
    """
    match = re.fullmatch(r"\s*(\d+)\s*(?:[x×*]\s*(\d+)\s*)?(?:mm)?\s*", text)
    if match:
        wide, deep = float(match[1]), float(match[2] or match[1])
        if all(SMALLEST_MM <= side <= LARGEST_MM for side in (wide, deep)):
            return wide, deep
    raise UsageError(
        f"--tray {text!r}: write the sides in millimetres, such as 250x200,"
        f" each from {SMALLEST_MM} to {LARGEST_MM}"
    )


def _line(mount: CameraMount) -> str:
    height, die = f"{mount.height_mm} mm", f"{mount.die_px} px"
    advice = f"   {mount.advice}" if mount.advice else ""
    return f"{mount.view.name:<32}{height:>8}{die:>10}{advice}"


def _wait_for_camera(reports: list[Report]) -> str:
    end_s = monotonic() + OPENING_S
    while monotonic() < end_s:
        for report in reports:
            if isinstance(report, CameraFound):
                return report.name
            if isinstance(report, CameraLost):
                raise UsageError(f"no camera ({report.reason})")
        sleep(0.05)
    raise UsageError(
        "no camera: it did not start within 20 s; check whether the service is using it"
    )


def _tray(bench: CalibrationBench) -> None:
    state = bench.wizard.do(CalibrationStep.FIND)
    click.echo(state.words)
    click.echo(f"corners: {_corners(state.tray)} (fractions of the frame's width and height)")
    click.echo(f"set-aside area: {_corners(state.aside) if state.aside else 'no room for one'}")
    path = _draw_result(bench, state)
    if path:
        print_line(f"drawn: {path}")
    if not state.sure:
        click.echo(
            "To drag the corners, open /calibrate on the page of `traykeeper play`, or of the installed "
            "service: sudo systemctl start traykeeper."
        )


def _checks(state: CalibrationState) -> None:
    for finding in state.checks:
        mark = {True: "ok   ", False: "BAD  ", None: "?    "}[finding.ok]
        click.echo(f"{mark}{finding.name:<9}{finding.verdict} {finding.advice or ''}".rstrip())


def _dice(bench: CalibrationBench) -> None:
    state = bench.wizard.state()
    while not state.learning.learnt:
        _wait_for_throw(bench, f"Throw all the dice ({state.learning.looked_at} seen so far)")
        state = _state_after(lambda: bench.wizard.do(CalibrationStep.LEARN), state)
    click.echo(f"Learnt: {state.learning.words}.")


def _wait_for_throw(bench: CalibrationBench, words: str) -> None:
    if bench.simulated is not None:
        click.echo(f"{words}: simulated.")
        bench.wizard.do(CalibrationStep.THROW)
        sleep(1.5)
    else:
        click.prompt(f"{words}, then press Enter", default="", show_default=False, prompt_suffix="")


def _state_after(ask: Callable[[], CalibrationState], state: CalibrationState) -> CalibrationState:
    try:
        return ask()
    except TableError as error:
        click.echo(str(error))
        return state


def _save(bench: CalibrationBench) -> None:
    if not click.confirm("Is this right? Save it?", default=False):
        click.echo("Nothing was saved.")
        return
    try:
        bench.wizard.do(CalibrationStep.SAVE)
    except TableError as error:
        raise UsageError(str(error)) from None
    print_line(f"saved: {bench.folder / PROFILE_FILE}")


def _corners(points: Points) -> str:
    return "  ".join(f"{x:.3f} {y:.3f}" for x, y in points)


def _draw_result(bench: CalibrationBench, state: CalibrationState) -> Path | None:
    """Save a frame with the corners drawn on it, next to the profile.

    Args:
        bench: The camera that has been opened for calibration.
        state: The state of the calibration, with the corners.

    Returns:
        The path of the picture; None if it cannot be written.
    """
    jpeg = bench.wizard.picture()
    if jpeg is None:
        return None
    image = np.asarray(cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR), np.uint8)
    _draw(image, state.tray, TEAL)
    if state.aside:
        _draw(image, state.aside, ORANGE)
    path = bench.folder / PICTURE
    try:
        with as_owner_of(bench.folder):
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
