"""The video nodes of Linux: which USB cameras there are, and which node of each delivers pictures.

A USB camera has several nodes /dev/videoN. Some deliver pictures, others only metadata about them. The
numbers change when a camera is plugged in again; its name does not.
"""

import os
import re
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from fcntl import ioctl
from pathlib import Path

from device.cameras.base import CameraError
from game.message import Message

Size = tuple[int, int]

# From linux/videodev2.h; these structures have the same layout on all machines.
QUERYCAP, CAPABILITY = 0x80685600, struct.Struct("16s32s32s6I")
ENUM_FMT, FORMAT = 0xC0405602, struct.Struct("3I32sI16x")
ENUM_FRAMESIZES, FRAME_SIZE = 0xC02C564A, struct.Struct("3I6I8x")
G_CTRL, S_CTRL, CONTROL = 0xC008561B, 0xC008561C, struct.Struct("Ii")
VIDEO_CAPTURE = 0x1
HAS_DEVICE_CAPS = 0x80000000
DISCRETE = 1

READABLE = {"MJPG", "YUYV", "JPEG", "NV12", "UYVY"}
"""Formats that OpenCV can convert itself; a second node of the same camera may offer only H264."""

MAX_ENTRIES = 64
"""Largest number of formats or sizes to ask for, more than any camera has."""


NodeFormats = tuple[tuple[str, ...], tuple[Size, ...]]
"""The pixel formats that a video node delivers, such as "MJPG", and the sizes of its pictures, largest first."""

NO_FORMATS: NodeFormats = (), ()
"""The formats of a node that delivers no pictures."""


@dataclass(frozen=True, slots=True)
class VideoNode:
    """One video node /dev/videoN.

    Attributes:
        number: The N in the path.
        name: Name of the camera.
        device: Folder of the USB device in sysfs, which is the same for all nodes of a camera. None
            if the node belongs to a part of the machine itself, such as the Pi's camera interface.
        by_id: Path of the node below /dev/v4l/by-id, which stays the same when the camera is plugged
            in again; empty if there is none.
        formats: Pixel formats of its pictures; empty if it delivers no pictures.
        sizes: Sizes of the pictures as width and height in pixels, largest first.
        by_path: Path of the node below /dev/v4l/by-path, which stays the same as long as the camera is in the same
            socket; empty if there is none.
    """

    number: int
    name: str
    device: Path | None
    by_id: str
    formats: tuple[str, ...]
    sizes: tuple[Size, ...]
    by_path: str = ""

    @property
    def path(self) -> str:
        """The path of the node."""
        return f"/dev/video{self.number}"

    @property
    def has_pictures(self) -> bool:
        """Whether the node delivers pictures, and not only metadata."""
        return bool(self.formats)

    @property
    def identity(self) -> str:
        """A string that stays the same when the camera is plugged in again."""
        return self.by_id or self.name


class VideoNodes:
    """The video nodes of a machine.

    Args:
        root: Folder used in place of `/`, for tests.
        query: Returns what the node at a path delivers, or None if it cannot be opened; None means
            `query_node`.
    """

    def __init__(
        self,
        root: Path = Path("/"),
        query: Callable[[Path], NodeFormats | None] | None = None,
    ) -> None:
        self._root, self._query = root, query or query_node
        self._identities: dict[str, str] = {}

    def all(self) -> list[VideoNode]:
        """Return all video nodes, sorted by number."""
        links = self._links("by-id"), self._links("by-path")
        folders = (self._root / "sys/class/video4linux").glob("video[0-9]*")
        nodes = [self._node(folder, *links) for folder in folders]
        return sorted(nodes, key=lambda node: node.number)

    def webcams(self) -> list[VideoNode]:
        """Return, for each USB camera, the node that delivers its pictures."""
        best: dict[Path, VideoNode] = {}
        for node in self.all():
            if node.device and node.has_pictures:
                other = best.get(node.device)
                if other is None or (_is_readable(node) and not _is_readable(other)):
                    best[node.device] = node
        return list(best.values())

    def find(self, which: str) -> VideoNode:
        """Return the node of the camera that a person has chosen.

        A number that no longer exists means the camera that had it before or, after a restart, the
        only camera there is.

        Args:
            which: The number of a node, a path below /dev, or a part of the camera's name; "" means the
                only USB camera or, if there are several or none, number 0.

        Raises:
            CameraError: If there is no such camera, if several cameras match, or if the node delivers
                no pictures.
        """
        if which.startswith("/dev/"):
            return self._with_pictures(self._at_path(which))
        if not which or which.isdecimal():
            return self._with_pictures(self._numbered(which))
        return self._named(which)

    def _node(self, folder: Path, by_id: dict[int, str], by_path: dict[int, str]) -> VideoNode:
        number = int(folder.name.removeprefix("video"))
        found = self._query(self._root / "dev" / folder.name)
        if found is None:  # without permission, the node's index among those of the camera decides
            is_first = _text(folder / "index") in ("", "0")
            found = ("unknown",) if is_first else (), ()
        device, links = _usb_device(folder), (by_id.get(number, ""), by_path.get(number, ""))
        return VideoNode(number, _name(folder), device, links[0], *found, by_path=links[1])

    def _links(self, kind: str) -> dict[int, str]:
        """Return the path of each node below /dev/v4l/by-id or /dev/v4l/by-path, by the number of the node."""
        links = {}
        for link in sorted((self._root / "dev/v4l" / kind).glob("*")):
            if found := re.fullmatch(r"video(\d+)", link.resolve().name):
                links[int(found[1])] = f"/dev/v4l/{kind}/{link.name}"
        return links

    def _at_path(self, path: str) -> VideoNode:
        real = (self._root / path.lstrip("/")).resolve()
        node = next((n for n in self.all() if f"video{n.number}" == real.name), None)
        if node is None:
            raise missing_node(path)
        return node

    def _numbered(self, which: str) -> VideoNode:
        number, webcams = int(which or 0), self.webcams()
        known = self._identities.get(which)
        node = next((node for node in self.all() if node.number == number), None)
        if known and (node is None or node.identity != known):
            node = next((webcam for webcam in webcams if webcam.identity == known), None)
        elif len(webcams) == 1 and (node is None or not which):
            node = webcams[0]
        if node is None:
            raise missing_node(f"/dev/video{number}")
        if node.has_pictures:
            self._identities[which] = node.identity
        return node

    def _named(self, name: str) -> VideoNode:
        wanted = name.casefold()
        found = [w for w in self.webcams() if wanted in f"{w.name}\n{w.by_id}".casefold()]
        if not found:
            raise CameraError(
                Message(
                    "there is no USB camera called %(name)s: plug it in, or choose one that "
                    "`traykeeper cameras` lists",
                    name=name,
                )
            )
        if len(found) > 1:
            raise CameraError(
                Message(
                    "several USB cameras are called %(name)s: choose a path that `traykeeper cameras` lists",
                    name=name,
                )
            )
        return found[0]

    def _with_pictures(self, node: VideoNode) -> VideoNode:
        if node.has_pictures:
            return node
        other = next((w for w in self.webcams() if w.device == node.device), None)
        if other is None:
            raise CameraError(
                Message(
                    "%(path)s sends no pictures: choose a camera that `traykeeper cameras` lists",
                    path=node.path,
                )
            )
        raise CameraError(
            Message(
                "%(path)s provides only metadata from %(camera)s: use usb:%(number)s, which "
                "provides its pictures",
                path=node.path,
                camera=other.name,
                number=str(other.number),
            )
        )


def missing_node(path: str) -> CameraError:
    """Return the error for a camera whose node does not exist."""
    return CameraError(
        Message(
            "there is no camera at %(path)s: plug one in, or choose another camera with usb:N",
            path=path,
        )
    )


def _is_readable(node: VideoNode) -> bool:
    return not READABLE.isdisjoint(node.formats)


def _text(file: Path) -> str:
    try:
        return file.read_text("utf-8", "replace").strip()
    except OSError:
        return ""


def _name(folder: Path) -> str:
    """Return the name of a camera, without the repetition that its driver adds.

    The driver of USB cameras repeats the name after a colon, cut off at 31 characters.
    """
    name, _, rest = _text(folder / "name").partition(": ")
    return name if name.startswith(rest) else f"{name}: {rest}"


def _usb_device(folder: Path) -> Path | None:
    """Return the folder of the USB device that a node belongs to, or the node's own folder for a loopback device.

    Return None for any other node.
    """
    interface = (folder / "device").resolve()
    if "/usb" in str(interface):
        return interface.parent
    # Loopback devices have no hardware; people use them like webcams.
    return folder.resolve() if "/virtual/" in str(folder.resolve()) else None


@contextmanager
def _opened(path: Path) -> Iterator[int]:
    node = os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        yield node
    finally:
        os.close(node)


def query_node(path: Path) -> NodeFormats | None:
    """Ask the driver what a node delivers, which is possible even while another program uses the node.

    Args:
        path: The path of the node.

    Returns:
        The formats; None if the node cannot be opened.
    """
    try:
        with _opened(path) as node:
            _, _, _, _, capabilities, device_caps, *_ = CAPABILITY.unpack(
                ioctl(node, QUERYCAP, bytes(CAPABILITY.size))
            )
            own = device_caps if capabilities & HAS_DEVICE_CAPS else capabilities
            if not own & VIDEO_CAPTURE:
                return NO_FORMATS
            codes = list(_formats(node))
            sizes = {size for code in codes for size in _sizes(node, code)}
            names = (struct.pack("I", code).decode("ascii", "replace").strip() for code in codes)
            return tuple(names), tuple(sorted(sizes, reverse=True))
    except OSError:
        return None


def _formats(node: int) -> Iterator[int]:
    with suppress(OSError):  # the driver ends a list with an error
        for index in range(MAX_ENTRIES):
            asked = FORMAT.pack(index, VIDEO_CAPTURE, 0, b"", 0)
            yield FORMAT.unpack(ioctl(node, ENUM_FMT, asked))[-1]


def _sizes(node: int, code: int) -> Iterator[Size]:
    with suppress(OSError):
        for index in range(MAX_ENTRIES):
            asked = FRAME_SIZE.pack(index, code, *[0] * 7)
            found = FRAME_SIZE.unpack(ioctl(node, ENUM_FRAMESIZES, asked))
            if found[2] != DISCRETE:
                yield found[4], found[7]
                return
            yield found[3], found[4]


def read_control(number: int, control: int) -> int | None:
    """Return the value of a camera's control; None if the camera does not have it.

    Args:
        number: The N in /dev/videoN.
        control: One of the kernel's V4L2_CID constants.
    """
    try:
        with _opened(Path(f"/dev/video{number}")) as node:
            found = CONTROL.unpack(ioctl(node, G_CTRL, CONTROL.pack(control, 0)))
            return int(found[1])
    except OSError:
        return None


def write_control(number: int, control: int, value: int) -> bool:
    """Set a camera's control, and return whether the driver accepted it.

    Args:
        number: The N in /dev/videoN.
        control: One of the kernel's V4L2_CID constants.
        value: The value, in the unit of the control.
    """
    try:
        with _opened(Path(f"/dev/video{number}")) as node:
            ioctl(node, S_CTRL, CONTROL.pack(control, value))
    except OSError:
        return False
    return True
