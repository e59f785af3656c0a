"""`traykeeper calibrate ...`: calibrates the camera for the tray."""

import re

import click

from calibration.camera_height import CAMERA_VIEWS, CameraMount, mount_camera
from calibration.mat import Paper
from device.calibrating import terminal
from device.commands.options import FiniteRange, settings_option
from device.errors import UsageError
from device.settings import Settings, find, load

SMALLEST_MM, LARGEST_MM = 50, 2000

camera_option = click.option(
    "--camera", metavar="NAME", help="Camera, instead of the one in the settings."
)


def _settings_of(file: str | None) -> Settings:
    return load(find(file))


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
        with terminal.open_bench(_settings_of(file), camera) as bench:
            terminal.calibrate(bench)
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
    with terminal.open_bench(_settings_of(file), camera) as bench:
        terminal.find_tray(bench)


@calibrate.command("check")
@camera_option
@settings_option
def calibrate_check(camera: str | None, file: str | None) -> int:
    """Check framing, light, glare and focus; exit 1 if one of them is not good enough.

    \b
    traykeeper calibrate check
    """
    with terminal.open_bench(_settings_of(file), camera) as bench:
        return terminal.check(bench)


@calibrate.command("dice")
@camera_option
@settings_option
def calibrate_dice(camera: str | None, file: str | None) -> None:
    """Learn the appearance of a set of dice from a few throws.

    \b
    traykeeper calibrate dice
    """
    with terminal.open_bench(_settings_of(file), camera) as bench:
        terminal.learn_dice(bench)


@calibrate.command("test")
@camera_option
@settings_option
def calibrate_test(camera: str | None, file: str | None) -> int:
    """Test the calibration with three throws of six dice; exit 1 unless all three are read with certainty.

    \b
    traykeeper calibrate test
    """
    with terminal.open_bench(_settings_of(file), camera) as bench:
        return terminal.self_test(bench)


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
def calibrate_mat(paper: Paper, out: str | None) -> None:
    """Write a mat to print. It lets Traykeeper measure the tray in millimetres and the distortion of the lens.

    \b
    traykeeper calibrate mat --paper letter --out mat.svg
    """
    terminal.print_mat(paper, out)


@calibrate.command("show")
@settings_option
def calibrate_show(file: str | None) -> None:
    """Print the calibration profile in use.

    \b
    traykeeper calibrate show
    """
    terminal.show(_settings_of(file))


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
