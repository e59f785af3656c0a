"""Reads a burst of several frames each time the tray is at rest; the readings must agree."""

from collections.abc import Callable
from dataclasses import dataclass

from device.cameras.base import Camera, Image, TrayZones
from device.watching.camera_link import CameraLink
from device.watching.tray_memory import TrayMemory
from vision import Reading, read
from vision.known_tray import KnownTray
from vision.reading import Quad, combine_readings

BURST_FRAMES = 2
"""Number of frames whose readings must agree. The sensor's noise differs between them; the dice do not."""

ZonesOf = Callable[[Camera, tuple[int, int]], TrayZones]
"""A function that returns where a camera sees its tray, given the width and height of its full frames in pixels."""

ReadingFilter = Callable[[Reading, Quad | None, str], Reading]
"""A function that returns a reading corrected with what is known about the dice.

It is called with the reading, the corners of the tray (None if they are not known) and the name of the camera.
"""


@dataclass(frozen=True, slots=True, eq=False)
class _ReadFrame:
    image: Image
    reading: Reading
    known: KnownTray


class BurstReader:
    """Combines the readings of several frames that were taken while the tray was at rest.

    Args:
        link: The connection to the camera, which has to be informed before any lengthy step.
        memory: The knowledge about the tray.
        size: Number of frames whose readings must agree, at least 1.
        zones_of: Returns where the camera sees its tray.
        filter_reading: Corrects each reading with what is known about the dice.
    """

    def __init__(
        self,
        link: CameraLink,
        memory: TrayMemory,
        size: int,
        zones_of: ZonesOf,
        filter_reading: ReadingFilter,
    ) -> None:
        self._link, self._memory = link, memory
        self._size, self._zones_of, self._filter = size, zones_of, filter_reading
        self._frames: list[_ReadFrame] = []

    @property
    def is_complete(self) -> bool:
        """Whether enough frames have been read since something was last learnt about the tray."""
        self._frames = [frame for frame in self._frames if frame.known is self._memory.known]
        return len(self._frames) >= self._size

    def discard(self) -> None:
        """Discard the frames, because the tray is no longer at rest."""
        self._frames.clear()

    def add_frame(self, camera: Camera, image: Image | None) -> None:
        """Read one more frame.

        Args:
            camera: The open camera.
            image: A frame that was captured when the tray came to rest; None captures one now.
        """
        image = self._link.capture(camera, is_at_rest=True).image if image is None else image
        known = self._memory.known
        self._frames.append(_ReadFrame(image, self.read_image(camera, image), known))

    def finish(self, camera: Camera, image: Image | None) -> tuple[Reading, Image]:
        """Read the frames that are still missing, return the result, and start a new burst.

        Args:
            camera: The open camera.
            image: A frame that was captured when the tray came to rest; None if there is none.

        Returns:
            The combined reading and the first frame.
        """
        while not self.is_complete:
            self.add_frame(camera, image)
            image = None
        frames, self._frames = self._frames, []
        return combine_readings([frame.reading for frame in frames]), frames[0].image

    def read_image(self, camera: Camera, image: Image) -> Reading:
        """Read one image, using what is known about the tray.

        Args:
            camera: The open camera.
            image: A frame from that camera, (height, width, 3) BGR.
        """
        self._link.note_call()
        zones = self._zones_of(camera, (image.shape[1], image.shape[0]))
        reading = read(image, zones.tray, aside=zones.aside, known=self._memory.known)
        return self._filter(reading, zones.tray, camera.name)
