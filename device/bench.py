"""`traykeeper bench fit` and `traykeeper bench camera`: what this machine can do, and which settings suit it.

For `bench fit`, simulated phones follow the event stream of a companion whose tray is simulated.
"""

import os
import re
import resource
import socket
import statistics
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from http.client import HTTPConnection
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from threading import Thread
from time import monotonic, perf_counter, process_time, sleep
from typing import Any, Self

import av
import click
import cv2
import numpy as np

from device import machine_fit as fits
from device.app import PlayOptions, serving
from device.cameras.base import Image, scaled
from device.cameras.newest_frame import decode_jpeg
from device.cameras.simulated.tray import SimulatedTray
from device.companion import Companion
from device.files import as_owner_of
from device.machine_fit import Fit
from device.settings import Settings
from device.watching.tray_watch import PREVIEW_PERIOD_S
from game.commands import EnterThrow, StartMatch, Undo
from vision import Quad, read
from vision.candidates import ENOUGH_LEANS
from vision.known_tray import KnownTray

PACE_S = 1.0
"""Time from one action to the next, in seconds."""

GRACE_S = 5.0
"""How long to wait for phones that have not yet received a snapshot, in seconds."""

DICE = (1, 1, 3, 3, 3, 5)
_VERSION = re.compile(rb'"version":(\d+)')

READS = 5
PHONES, SECONDS = 10, 10

MAX_PRESS_S = 1.5
"""Longest acceptable time from a press of the button to the reading, in seconds. After that, people press again."""

MAX_DELAY_S = 0.5
"""Longest acceptable delay until the last phone shows a change, in seconds."""

MAX_PHONES = 100
"""Largest number of event streams that the server allows."""

FRAME_S = 1 / 15
"""Longest wait for a frame whose exposure began after it was requested, in seconds."""

RESERVED_MB = 130
"""Memory in MB for the system without a desktop (100) and the coach's solver (30, see docs/hardware.md)."""

BUFFERS, CHANNELS = 4, 3
"""Number of frames in the camera's buffers, and bytes per pixel."""

WORTH_A_THREAD = 0.9
"""Another thread is used only if it cuts the time to less than this fraction, because the page needs a core as well."""

STREAM_WIDTHS_PX = (1920, 1280, 640)
RATES_HZ = (30, 25, 15, 10, 5)
DECODED = 20
"""Number of pictures that are decoded for a measurement."""

REDUCTIONS = {1920: 4, 1280: 4, 640: 2}
"""How much smaller a JPEG of each width becomes while it is decoded for a preview."""

QUALITY, BITS_PER_PIXEL, NOISE = 85, 0.08, 12
"""Quality of the JPEGs, bits for each pixel of a video (5 Mbit/s at 1920x1080), and brightest noise in grey levels.

Phones and network cameras are set to such values when they leave the factory."""

MAX_LOAD = 0.5
"""Share of one core that decoding may take; reading dice and serving pages need the rest."""


@dataclass
class Phone:
    """A phone that follows the event stream.

    Attributes:
        received_s: When each snapshot arrived, in seconds of `perf_counter`, by the snapshot's version number.
    """

    received_s: dict[int, float] = field(default_factory=dict)

    def listen(self, connection: HTTPConnection) -> None:
        """Read the event stream until the connection is closed."""
        connection.request("GET", "/api/v1/events")
        try:
            for line in connection.getresponse():
                if found := _VERSION.search(line):
                    self.received_s[int(found[1])] = perf_counter()
        except (OSError, ValueError):
            return  # the connection was closed: the benchmark is over


@dataclass(frozen=True, slots=True)
class PhoneDelays:
    """How long each action took to reach the last phone.

    Attributes:
        phones: Number of phones.
        actions: Number of actions.
        last_ms: Delay of the last phone, for each action that reached every phone.
        missed: Number of snapshots that phones did not receive, added up over all phones.
    """

    phones: int
    actions: int
    last_ms: list[float]
    missed: int

    @property
    def median_ms(self) -> float:
        """The median delay of the last phone, in milliseconds."""
        return statistics.median(self.last_ms or [0.0])

    @property
    def p99_ms(self) -> float:
        """The 99th percentile of the delay of the last phone, in milliseconds."""
        if len(self.last_ms) < 2:  # noqa: PLR2004 - quantiles need two values
            return max(self.last_ms, default=0.0)
        return statistics.quantiles(self.last_ms, n=100, method="inclusive")[98]


@contextmanager
def connected_phones(port: int, count: int, timeout_s: float) -> Iterator[list[Phone]]:
    """Connect phones to the event stream, and disconnect them at the end of the block.

    Args:
        port: Port of the page on this machine.
        count: Number of phones.
        timeout_s: How long a phone waits for the next event, in seconds.
    """
    phones = [Phone() for _ in range(count)]
    with ExitStack() as connections:
        for phone in phones:
            connection = HTTPConnection("127.0.0.1", port, timeout=timeout_s)
            connections.enter_context(closing(connection))
            Thread(target=phone.listen, args=(connection,), daemon=True).start()
            connections.callback(_hang_up, connection)
        _wait_until(lambda: all(phone.received_s for phone in phones))
        yield phones


def measure_delays(companion: Companion, phones: list[Phone], actions: int) -> PhoneDelays:
    """Carry out one action per second, and measure how long each takes to reach the phones.

    Args:
        companion: The companion whose page the phones follow; a match must be under way.
        phones: The connected phones.
        actions: Number of actions.
    """
    asked_s: dict[int, float] = {}
    next_s = monotonic()
    for number in range(actions):
        start_s = perf_counter()
        snapshot = companion.do(Undo() if number % 2 else EnterThrow(DICE))
        asked_s[snapshot.version] = start_s
        next_s += PACE_S
        sleep(max(0.0, next_s - monotonic()))
    _wait_until(lambda: all(max(asked_s) in phone.received_s for phone in phones))
    missed = sum(version not in phone.received_s for phone in phones for version in asked_s)
    last_ms = [
        1000 * (max(phone.received_s[version] for phone in phones) - start_s)
        for version, start_s in asked_s.items()
        if all(version in phone.received_s for phone in phones)
    ]
    return PhoneDelays(len(phones), len(asked_s), last_ms, missed)


def _wait_until(holds: Callable[[], bool]) -> None:
    until_s = monotonic() + GRACE_S
    while not holds() and monotonic() < until_s:
        sleep(0.02)


def _hang_up(connection: HTTPConnection) -> None:
    if connection.sock:
        connection.sock.shutdown(socket.SHUT_RDWR)


@dataclass(frozen=True, slots=True, eq=False)
class StagedThrow:
    """An image of dice at rest in the simulated tray, an empty-tray image, and the tray's corners in both."""

    image: Image
    empty: Image
    tray: Quad

    @classmethod
    def of(cls, n_dice: int = 6, seed: int = 1) -> Self:
        """Throw dice in the simulated tray and return the images that its camera takes.

        Args:
            n_dice: Number of dice in the tray.
            seed: Seed for the simulated tray. The same seed gives the same throw.
        """
        tray = SimulatedTray(seed=seed, n_dice=n_dice, roll_s=0)
        empty = tray.capture().image
        tray.throw_all()
        return cls(tray.capture().image, empty, tray.tray)

    def sized(self, width_px: int) -> Self:
        """Return the same throw with images scaled to this width."""
        tray = self.tray.scaled(width_px / self.image.shape[1])
        return type(self)(scaled(self.image, width_px), scaled(self.empty, width_px), tray)

    def known(self) -> KnownTray:
        """Return what a companion knows about this tray once it has seen enough throws to determine the properties of the lens."""
        tray = KnownTray(self.empty)
        for _ in range(ENOUGH_LEANS):
            tray = tray.with_reading(self.image, read(self.image, self.tray, known=tray))
            if len(tray.leans) >= ENOUGH_LEANS:
                break
        return tray


def median_ms(
    work: Callable[[], object], runs: int, clock: Callable[[], float] = perf_counter
) -> float:
    """Return the median time that a function takes, in milliseconds.

    Args:
        work: The function to time. It is called once beforehand, untimed, to warm up.
        runs: Number of calls to time.
        clock: Clock in seconds. `time.process_time` leaves out the time during which other programs run.
    """
    return medians_ms([work], runs, clock)[0]


def medians_ms(
    works: Sequence[Callable[[], object]], runs: int, clock: Callable[[], float] = perf_counter
) -> list[float]:
    """Return the median times that several functions take, in milliseconds.

    The functions are called in turn, so that a machine whose speed changes slows all of them down alike.

    Args:
        works: The functions to compare. Each is called once beforehand, untimed, to warm up.
        runs: Number of calls of each function to time.
        clock: Clock in seconds, as for `median_ms`.
    """
    for work in works:
        work()
    times_s: list[list[float]] = [[] for _ in works]
    for _ in range(runs):
        for work, times in zip(works, times_s, strict=True):
            start_s = clock()
            work()
            times.append(clock() - start_s)
    return [median(times) * 1000 for times in times_s]


@dataclass(frozen=True, slots=True)
class Measured:
    """The results of a measurement.

    Attributes:
        reads_s: Seconds to read one frame, by picture width in pixels and number of threads. The reader already
            knows the tray: its empty-tray image and the lens.
        phone_s: Seconds until the last phone shows a change, divided by the number of phones.
        peaks_mb: Peak memory in MB while playing, by picture width in pixels.
        memory_mb: Total memory of this machine, in MB.
    """

    reads_s: dict[tuple[int, int], float]
    phone_s: float
    peaks_mb: dict[int, float]
    memory_mb: float

    def press_s(self, fit: Fit) -> float:
        """Return the time, in seconds, that a reading of dice at rest takes with these settings."""
        return fit.burst_frames * (FRAME_S + self.reads_s[fit.picture_px, fit.threads])

    def needs_mb(self, width_px: int) -> float:
        """Return the peak memory in MB with pictures of this width, including the camera's buffers."""
        buffers_mb = BUFFERS * CHANNELS * width_px * width_px * 9 / 16 / 1024**2
        return self.peaks_mb[width_px] + buffers_mb

    def has_room(self, width_px: int) -> bool:
        """Return whether this machine has enough memory for pictures of this width."""
        return self.needs_mb(width_px) + RESERVED_MB <= self.memory_mb

    @property
    def phones(self) -> int:
        """The number of phones that are updated without noticeable delay."""
        return round(MAX_DELAY_S / self.phone_s)


def fit(state: Path | None) -> None:
    """Measure this machine and print the result. If `state` names the state folder, save the result there."""
    phone_s = _phone_s()
    reads_s, peaks_mb = _reads()
    measured = Measured(reads_s, phone_s, peaks_mb, fits.total_memory_mb())
    best = choose(measured)
    _print_result(measured, best)
    if state is not None:
        with as_owner_of(state):
            kept = fits.save(best, state)
        click.echo(
            f"saved in {kept}: settings that are `auto` use these values from the next start"
        )


def choose(measured: Measured) -> Fit:
    """Return the settings with the largest pictures and most readings that memory and time allow.

    If no settings are fast enough, the fastest ones are returned.
    """
    smallest = fits.WIDTHS_PX[-1]
    widths = [px for px in fits.WIDTHS_PX if measured.has_room(px)] or [smallest]
    twice = [replace(_fastest(measured, width_px), burst_frames=2) for width_px in widths]
    once = replace(_fastest(measured, smallest), burst_frames=1)
    in_time = (fit for fit in (*twice, once) if measured.press_s(fit) <= MAX_PRESS_S)
    return next(in_time, once)


def _fastest(measured: Measured, width_px: int) -> Fit:
    """Return the settings for this picture width, with more threads only if they save enough time."""
    best = Fit(width_px, 1)
    for threads in _thread_counts(measured):
        more = Fit(width_px, threads)
        if measured.press_s(more) < WORTH_A_THREAD * measured.press_s(best):
            best = more
    return best


def _reads() -> tuple[dict[tuple[int, int], float], dict[int, float]]:
    """Measure how long a reading takes and how much memory it needs, for each picture width.

    Returns:
        Seconds per reading by picture width and number of threads, and peak memory in MB by picture width.
    """
    whole = StagedThrow.of()
    reads_s, peaks_mb = {}, {}
    for width_px in sorted(fits.WIDTHS_PX):
        throw = whole.sized(width_px)
        work = partial(read, throw.image, throw.tray, known=throw.known())
        for threads in sorted({1, 2, os.cpu_count() or 1}):
            cv2.setNumThreads(threads)
            reads_s[width_px, threads] = median_ms(work, READS) / 1000
        peaks_mb[width_px] = peak_mb()
    return reads_s, peaks_mb


def _phone_s() -> float:
    """Measure how long the last phone takes to show a change, in seconds, divided by the number of phones."""
    with TemporaryDirectory() as state:
        options = PlayOptions(camera="sim", host="127.0.0.1", port=0, state=state, seed=1)
        with serving(options) as (companion, server):
            companion.do(StartMatch(("Anna", "Ben")))
            with connected_phones(server.port, PHONES, timeout_s=SECONDS + 60) as phones:
                return measure_delays(companion, phones, SECONDS).median_ms / 1000 / PHONES


def peak_mb() -> float:
    """Return the largest memory that this process has used so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _print_result(measured: Measured, best: Fit) -> None:
    after_stop_s = measured.press_s(best) + Settings().still_s
    phones = f"{measured.phones}" if measured.phones <= MAX_PHONES else f"more than {MAX_PHONES}"
    for line in (
        f"press to reading: {after_stop_s:.1f} s after the dice have stopped, or at once if they have lain still that long",
        f"phones: {phones} are updated within {MAX_DELAY_S:g} s",
        _memory(measured, best),
        f'best settings: picture = "{best.picture_px}", threads = "{best.threads}", burst_frames = "{best.burst_frames}"',
    ):
        click.echo(line)
    _print_table(measured)


def _memory(measured: Measured, best: Fit) -> str:
    """Return a line that says how much memory these settings need, and whether memory ruled out larger pictures."""
    needed = (
        f"memory: at most {measured.needs_mb(best.picture_px):.0f} MB for playing with the camera,"
        f" plus {RESERVED_MB} MB for the system, of {measured.memory_mb:.0f} MB"
    )
    if not measured.has_room(best.picture_px):
        return f"{needed}: not enough, stop other programs"
    if not measured.has_room(fits.WIDTHS_PX[0]):
        return f"{needed}: not enough for larger pictures"
    return needed


def _print_table(measured: Measured) -> None:
    numbers = _thread_counts(measured)
    heads = (f"{n} thread{'s' * (n > 1)}" for n in numbers)
    click.echo(f"\n{'picture':<10}" + "".join(f"{head:>12}" for head in heads) + f"{'memory':>12}")
    for width_px in fits.WIDTHS_PX:
        cells = "".join(f"{measured.reads_s[width_px, n]:>10.2f} s" for n in numbers)
        click.echo(f"{width_px:<10}{cells}{measured.needs_mb(width_px):>9.0f} MB")


def _thread_counts(measured: Measured) -> list[int]:
    return sorted({threads for _, threads in measured.reads_s})


def camera_rates() -> None:
    """Print, for each size, the milliseconds of processor time and the rates that this machine can follow."""
    cv2.setNumThreads(1)
    throw, rng = StagedThrow.of(), np.random.default_rng(1)
    head = ("size", "JPEG", "preview", "MJPEG up to", "H.264", "H.264 up to")
    click.echo("".join(f"{name:>13}" for name in head))
    for width_px in STREAM_WIDTHS_PX:
        still = throw.sized(width_px).image
        images = [np.asarray(cv2.add(still, _noise(still, rng)), np.uint8) for _ in range(DECODED)]
        jpeg = cv2.imencode(".jpg", images[0], (cv2.IMWRITE_JPEG_QUALITY, QUALITY))[1].tobytes()
        whole_ms, preview_ms = (
            median_ms(partial(decode_jpeg, jpeg, reduction), DECODED, process_time)
            for reduction in (1, REDUCTIONS[width_px])
        )
        video_ms = _video_ms(images)
        # Of MJPEG, only the pictures for previews are decoded, but of a video all of them.
        mjpeg_hz, video_hz = _highest(preview_ms, 1 / PREVIEW_PERIOD_S), _highest(video_ms)
        size = f"{still.shape[1]}x{still.shape[0]}"
        times = (f"{whole_ms:.1f} ms", f"{preview_ms:.1f} ms", mjpeg_hz)
        cells = (size, *times, f"{video_ms:.1f} ms", video_hz)
        click.echo("".join(f"{cell:>13}" for cell in cells))
    click.echo(
        "Times are processor time for one picture. A rate is one for which decoding takes at "
        f"most {MAX_LOAD:.0%} of one core."
    )


def _noise(image: Image, rng: np.random.Generator) -> Image:
    return rng.integers(0, NOISE, image.shape, np.uint8)


def _video_ms(images: list[Image]) -> float:
    """Return the milliseconds that decoding one picture of an H.264 video takes."""
    height, width = images[0].shape[:2]
    encoder: Any = av.CodecContext.create("libx264", "w")
    encoder.width, encoder.height, encoder.pix_fmt = width, height, "yuv420p"
    encoder.framerate = RATES_HZ[0]
    encoder.bit_rate = round(BITS_PER_PIXEL * width * height * RATES_HZ[0])
    encoder.options = {"preset": "veryfast", "tune": "zerolatency", "profile": "main"}
    packets: list[Any] = []
    for image in images:
        packets += encoder.encode(av.VideoFrame.from_ndarray(image, format="bgr24"))
    decoder: Any = av.CodecContext.create("h264", "r")
    decoder.thread_count = 1
    began_s = process_time()
    for packet in packets:
        decoder.decode(packet)
    return (process_time() - began_s) * 1000 / len(images)


def _highest(picture_ms: float, decoded_hz: float = float("inf")) -> str:
    """Return the highest usual rate that this machine can follow; "-" if there is none.

    Args:
        picture_ms: Milliseconds for one picture.
        decoded_hz: Number of pictures that are decoded in a second, at most.
    """
    most_ms = MAX_LOAD * 1000
    rate_hz = next((hz for hz in RATES_HZ if min(hz, decoded_hz) * picture_ms <= most_ms), None)
    return f"{rate_hz}/s" if rate_hz else "-"
