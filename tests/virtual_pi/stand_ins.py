"""What picamera2 expects of a Raspberry Pi's kernel, made of plain memory. For the tests only.

Import this before picamera2. Three things are missing where libcamera shows its virtual camera: the
display library, the heap for pictures, and raw sensor modes.
"""

import contextlib
import mmap
import os
import sys
from time import sleep
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

sys.modules["kms"] = MagicMock(name="kms")

import libcamera  # noqa: E402 - after the stand-in
import picamera2.picamera2  # noqa: E402
from picamera2.allocators.allocator import Allocator  # noqa: E402

LUMA, WHOLE = 2, 3
"""NV12 has two parts of brightness and one of colour."""


class MemoryAllocator(Allocator):
    """Picture buffers in memory, with brightness and colour as separate planes for libcamera."""

    def __init__(self) -> None:
        super().__init__()
        self.sync = self.NoSync
        self._buffers: dict[Any, list[Any]] = {}
        self._mapped: dict[Any, mmap.mmap] = {}
        self._descriptors: list[int] = []

    def allocate(self, configuration: Any, _: object) -> None:
        self.close()
        for stream in configuration:
            self._buffers[stream.stream] = [
                self._buffer(stream.frame_size) for _ in range(stream.buffer_count)
            ]

    def buffers(self, stream: Any) -> list[Any]:
        return self._buffers[stream]

    def acquire(self, buffers: object) -> None:
        """Do nothing, because all buffers stay until the end."""

    def release(self, buffers: object) -> None:
        """Do nothing, because all buffers stay until the end."""

    def close(self) -> None:
        for descriptor in self._descriptors:
            os.close(descriptor)
        self._descriptors, self._mapped, self._buffers = [], {}, {}

    def _buffer(self, size: int) -> Any:
        descriptor = os.memfd_create("picture")
        os.ftruncate(descriptor, size)
        self._descriptors.append(descriptor)
        luma = size * LUMA // WHOLE
        buffer = libcamera.FrameBuffer(
            [_plane(descriptor, 0, luma), _plane(descriptor, luma, size - luma)]
        )
        self._mapped[buffer] = mmap.mmap(descriptor, size)
        return buffer

    class NoSync(contextlib.AbstractContextManager):
        """Do nothing, because plain memory needs no cache flush."""

        def __init__(self, allocator: "MemoryAllocator", buffer: Any, _write: object) -> None:
            self._memory = allocator._mapped[buffer]

        def __enter__(self) -> mmap.mmap:
            return self._memory

        def __exit__(self, *_: object) -> None:
            pass


def _plane(descriptor: int, offset: int, length: int) -> Any:
    plane = libcamera.FrameBuffer.Plane()
    plane.fd, plane.offset, plane.length = descriptor, offset, length
    return plane


def use() -> None:
    """Let picamera2 work without a Raspberry Pi."""
    library = picamera2.picamera2
    library.DmaAllocator = MemoryAllocator
    library.Picamera2._get_raw_modes = lambda _: [{"format": "NV12", "size": (1536, 864)}]
    library.Picamera2.sensor_modes = property(lambda _: [])
    library.iter = _as_successful
    library.Picamera2._make_requests = _unhurried(library.Picamera2._make_requests)


def _unhurried(make: Any) -> Any:
    """Wait for the thread of the virtual camera, which loses requests that are queued before."""

    def unhurried(camera: Any) -> Any:
        sleep(0.1)
        return make(camera)

    return unhurried


def _as_successful(_buffers: object) -> Any:
    """Set the status of the first buffer of a frame, which picamera2 reads."""
    status = libcamera.FrameMetadata.Status.Success
    return iter([SimpleNamespace(metadata=SimpleNamespace(status=status))])
