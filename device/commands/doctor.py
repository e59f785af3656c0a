"""`traykeeper doctor`: checks the whole installation. `traykeeper cameras`: lists the cameras."""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import click

from device.cameras.base import CameraError
from device.cameras.picamera import pi_cameras
from device.cameras.video_nodes import VideoNodes
from device.commands.options import settings_option
from device.doctor.findings import Level
from device.doctor.report import pack_report
from device.doctor.run import as_text, examine
from device.doctor.system import open_system
from device.files import print_line


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option(
    "--zip", "pack", metavar="FILE", help="Write a report without secrets to this zip file."
)
@click.option("--pictures", is_flag=True, help="Include pictures from the camera in the report.")
@settings_option
def doctor(as_json: bool, pack: str | None, pictures: bool, file: str | None) -> int:  # noqa: FBT001
    """Check camera, pins, disk, power, clock, network, name and port; exit 1 if a check fails.

    \b
    traykeeper doctor
    traykeeper doctor --zip report.zip
    """
    if pictures and not pack:
        raise click.UsageError("--pictures needs a report: add --zip report.zip")
    system = open_system(file)
    findings = examine(system)
    has_failed = any(found.level is Level.FAILED for found in findings.values())
    text = as_text(findings)
    if as_json:
        checks = [found.to_json(name) for name, found in findings.items()]
        click.echo(json.dumps({"ok": not has_failed, "checks": checks}, ensure_ascii=False))
    else:
        for line in text.splitlines():
            print_line(line)
    if pack is not None:
        pack_report(Path(pack), system, text, pictures=pictures)
        print_line(f"Wrote {pack}: check its contents before you send it.", err=True)
    return int(has_failed)


@dataclass(frozen=True, slots=True)
class ListedCamera:
    """A line of `traykeeper cameras`.

    Attributes:
        setting: Value of the setting `camera` that selects this camera; empty for a device node that delivers
            no pictures.
        name: Name of the camera.
        path: Its device node, such as `/dev/video0`; empty for a camera on a ribbon cable.
        by_id: Path that stays the same when the camera is plugged in again; empty if there is none.
        sizes: Width and height of its pictures in pixels, largest first; empty if they are not known.
    """

    setting: str
    name: str
    path: str = ""
    by_id: str = ""
    sizes: tuple[tuple[int, int], ...] = ()


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def cameras(as_json: bool) -> int:  # noqa: FBT001
    """List the cameras of this machine and how to choose each; exit 1 if there is none.

    \b
    traykeeper cameras
    traykeeper play --camera "usb:HD Pro Webcam C920"
    """
    found = [*_on_ribbon_cables(), *webcams(VideoNodes())]
    if as_json:
        click.echo(json.dumps({"cameras": [asdict(camera) for camera in found]}, indent=1))
    else:
        for camera in found:
            for line in _lines(camera):
                print_line(line)
    has_any = any(camera.setting for camera in found)
    if not has_any and not as_json:
        print_line("No camera was found: plug one in, or use --camera URL for one on the network.")
    return int(not has_any)


def _on_ribbon_cables() -> Iterator[ListedCamera]:
    try:
        for camera in pi_cameras():
            yield ListedCamera(f"picamera2:{camera.number}", camera.model)
    except CameraError as error:
        click.echo(f"Cameras on a ribbon cable cannot be listed: {error}", err=True)


def webcams(nodes: VideoNodes) -> Iterator[ListedCamera]:
    """Yield one line for each device node of a USB camera, including nodes that deliver no pictures.

    Args:
        nodes: The video device nodes of the machine.
    """
    best = nodes.webcams()
    names = [node.name for node in best]
    for node in nodes.all():
        if node.device is None:
            continue
        setting = ""
        if node in best:
            is_unique = sum(node.name.casefold() in name.casefold() for name in names) == 1
            setting = f"usb:{node.name}" if is_unique else node.by_id or f"usb:{node.number}"
        yield ListedCamera(setting, node.name, node.path, node.by_id, node.formats.sizes)


def _lines(camera: ListedCamera) -> Iterator[str]:
    if not camera.setting:
        yield f"({camera.path}: another device of {camera.name}, which sends no pictures)"
        return
    where = camera.path or "ribbon cable"
    sizes = ", ".join(f"{wide}x{high}" for wide, high in camera.sizes[:3])
    yield "  ".join(filter(None, (camera.setting, camera.name, where, sizes)))
    if camera.by_id:
        yield f"    or {camera.by_id}"
