"""`traykeeper calibrate ...`: what is found out about a tray and its camera, on the terminal."""

import re

import click

from calibration.height import VIEWS, Mount, hang
from device.errors import UsageError

SMALLEST_MM, LARGEST_MM = 50, 2000


def heights(tray: str, die_mm: float) -> None:
    """Print for each camera how high it hangs over this tray, and how large a die is then."""
    tray_mm = tray_size(tray)
    click.echo(f"{'camera':<32}{'height':>8}{'a die is':>10}")
    for view in VIEWS:
        click.echo(_line(hang(view, tray_mm, die_mm)))


def tray_size(text: str) -> tuple[float, float]:
    """`250x200` -> its sides in millimetres; one number is a round or square tray."""
    match = re.fullmatch(r"\s*(\d+)\s*(?:[x×*]\s*(\d+)\s*)?(?:mm)?\s*", text)
    if match:
        wide, deep = float(match[1]), float(match[2] or match[1])
        if all(SMALLEST_MM <= side <= LARGEST_MM for side in (wide, deep)):
            return wide, deep
    raise UsageError(
        f"--tray {text!r}: write its sides in millimetres, as 250x200,"
        f" each from {SMALLEST_MM} to {LARGEST_MM}"
    )


def _line(mount: Mount) -> str:
    height, die = f"{mount.height_mm} mm", f"{mount.die_px} px"
    advice = f"   {mount.advice}" if mount.advice else ""
    return f"{mount.view.name:<32}{height:>8}{die:>10}{advice}"
