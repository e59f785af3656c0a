"""`traykeeper bench clips`: measure the cost of recording each roll, compared with only watching the tray."""

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from time import process_time, thread_time

import click
import cv2
import numpy as np

from device.cameras.base import Frame, Image
from device.cameras.roll_clip import RollClip
from device.cameras.simulated.tray import SimulatedTray
from device.commands.options import FiniteRange
from device.watching.reports import CapturedReading, Report
from device.watching.tray_watch import PREVIEW_PERIOD_S, TrayWatch, WatchOptions

ROLL_S = 2.0
"""Duration of a roll: as long as the longest clip."""

SLOWER = 10.0
"""Estimate of how many times slower a core of a Pi Zero 2 W is than a server core. It was not measured."""

MAX_STEPS = 2_000
"""Number of steps after which a throw counts as unread. A reading takes about a hundred steps."""


class TimedCamera:
    """The camera of a simulated tray, with a record of when each preview was taken.

    Args:
        source: The simulated tray.

    Attributes:
        previews_s: Times of the previews, in seconds.
        painting_s: Processor time spent painting the frames, in seconds. A real camera does not need this time.
    """

    def __init__(self, source: SimulatedTray) -> None:
        self.name, self.tray, self.aside = source.name, source.tray, source.aside
        self.previews_s: list[float] = []
        self.painting_s = 0.0
        self._source = source

    def preview(self) -> Frame:
        """Return a small frame, about 320 px wide, for detecting motion. It may be slightly old."""
        with self._painting():
            frame = self._source.preview()
        self.previews_s.append(frame.time_s)
        return frame

    def capture(self) -> Frame:
        """Return a full frame whose exposure began after this call."""
        with self._painting():
            return self._source.capture()

    def close(self) -> None:
        """Release the hardware. Closing a camera twice does no harm."""

    @contextmanager
    def _painting(self) -> Iterator[None]:
        began_s = thread_time()
        yield
        self.painting_s += thread_time() - began_s


@dataclass(frozen=True, slots=True)
class Roll:
    """The costs of one roll.

    Attributes:
        seconds: How long the dice rolled.
        cpu_s: Processor time that watching the tray took during the roll, in seconds.
        dropped: Number of previews that were due during the roll and were not taken.
        clip: The recorded clip, or None.
    """

    seconds: float
    cpu_s: float
    dropped: int
    clip: RollClip | None


class RollingTable:
    """A simulated tray in which dice are thrown repeatedly, observed by a `TrayWatch` with a simulated clock.

    The clock advances by the processor time that the tray watch uses, multiplied by `slower`. A
    preview is therefore dropped exactly when it would be dropped on the slower machine.

    Args:
        records_clips: Whether rolls are recorded.
        slower: How many times slower than this machine the simulated machine is.
    """

    def __init__(self, *, records_clips: bool, slower: float = SLOWER) -> None:
        self.now_s = 1000.0
        self._slower = slower
        self._tray = SimulatedTray(seed=1, roll_s=ROLL_S, clock=lambda: self.now_s)
        self._camera = TimedCamera(self._tray)
        self._reports: list[Report] = []
        self._watch = TrayWatch(
            lambda: self._camera,
            self._reports.append,
            WatchOptions(records_clips=records_clips, burst_frames=1),
            lambda: self.now_s,
        )
        self.roll()  # loads the networks
        gc.freeze()  # as `play` does after its start

    def roll(self) -> Roll:
        """Throw all dice, let the tray watch read them, and accept the reading.

        Raises:
            TimeoutError: If the throw is never read.
        """
        self._tray.throw_all()
        began_s, taken, cpu_s = self.now_s, len(self._camera.previews_s), 0.0
        while self._tray.is_rolling:
            cpu_s += self._step()
        seconds, previews_s = self.now_s - began_s, self._camera.previews_s[taken:]
        captured = self._read()
        self._watch.mark_accepted(captured.tray_reading.time_s)
        return Roll(seconds, cpu_s, _dropped(previews_s), captured.clip)

    def _read(self) -> CapturedReading:
        self._watch.request_reading()
        for _ in range(MAX_STEPS):
            self._step()
            while self._reports:
                if isinstance(report := self._reports.pop(0), CapturedReading):
                    return report
        raise TimeoutError("the throw was never read: the tray watch does not see a tray at rest")

    def _step(self) -> float:
        """Let the tray watch take its next step, and return the processor time of that step, in seconds."""
        before_s, painting_s = thread_time(), self._camera.painting_s
        wait_s = self._watch.run_once()
        cpu_s = thread_time() - before_s - (self._camera.painting_s - painting_s)
        self.now_s += max(wait_s, cpu_s * self._slower)
        return cpu_s


def _dropped(previews_s: list[float]) -> int:
    """Return how many previews are missing between those that were taken, given their times in seconds."""
    gaps = (after - before for before, after in pairwise(previews_s))
    return sum(max(0, round(gap / PREVIEW_PERIOD_S) - 1) for gap in gaps)


@click.command("clips")
@click.option(
    "--rolls",
    type=click.IntRange(1, 10_000),
    default=30,
    help="Number of rolls, of two seconds each, with and without clips.",
)
@click.option(
    "--slower",
    type=FiniteRange(1, 1_000),
    default=SLOWER,
    help="How many times slower a machine to imagine. It decides which previews are dropped.",
)
def command(rolls: int, slower: float) -> None:
    """Measure the processor time of watching dice roll, with and without recording clips.

    The command also prints how large the clips are, and how other formats compare.

    \b
    traykeeper bench clips
    """
    cv2.setNumThreads(1)
    tables = [RollingTable(records_clips=on, slower=slower) for on in (True, False)]
    recorded, plain = zip(
        *[(tables[0].roll(), tables[1].roll()) for _ in range(rolls)], strict=True
    )
    on, off = (
        sum(r.cpu_s for r in each) / sum(r.seconds for r in each) for each in (recorded, plain)
    )
    click.echo(
        f"while dice roll: watching with clips takes {100 * on:.2f} % of a core, without "
        f"{100 * off:.2f} %: {on / off:.2f} times as much, {100 * (on - off):.2f} % of a core more; "
        f"on a machine {slower:g} times slower {100 * slower * (on - off):.1f} % more"
    )
    dropped = [sum(each.dropped for each in rows) for rows in (recorded, plain)]
    previews = round(sum(each.seconds for each in recorded) / PREVIEW_PERIOD_S)
    click.echo(
        f"previews dropped on such a machine, of {previews}: {dropped[0]} with clips, "
        f"{dropped[1]} without"
    )
    clips = [each.clip.motion_jpeg for each in recorded if each.clip]
    click.echo(
        f"clips: {len(clips)} of {rolls} rolls, median {median(map(len, clips)) / 1000:.0f} kB, "
        f"largest {max(map(len, clips)) / 1000:.0f} kB"
    )
    _compare_formats(clips[-1])


def _compare_formats(motion_jpeg: bytes) -> None:
    """Print the size of a clip, and the time to compress it, as JPEGs and as an animated WebP."""
    start = b"\xff\xd8\xff"
    parts = [np.frombuffer(start + part, np.uint8) for part in motion_jpeg.split(start)[1:]]
    frames = [np.asarray(cv2.imdecode(part, cv2.IMREAD_COLOR), np.uint8) for part in parts]
    ways: dict[str, Callable[[list[Image]], int]] = {"Motion JPEG": _as_jpegs}
    if hasattr(cv2, "imencodeanimation"):  # OpenCV 4.11 and newer
        ways["animated WebP"] = _as_webp
    for name, encode in ways.items():
        before_s = process_time()
        size = encode(frames)
        ms = 1000 * (process_time() - before_s) / len(frames)
        click.echo(f"{len(frames)} frames as {name}: {size / 1000:.0f} kB, {ms:.2f} ms each")


def _as_jpegs(frames: list[Image]) -> int:
    quality = [cv2.IMWRITE_JPEG_QUALITY, 75]
    return sum(len(cv2.imencode(".jpg", frame, quality)[1]) for frame in frames)


def _as_webp(frames: list[Image]) -> int:
    animation = cv2.Animation()
    animation.frames = frames
    animation.durations = [round(1000 * PREVIEW_PERIOD_S)] * len(frames)
    _, data = cv2.imencodeanimation(".webp", animation, [cv2.IMWRITE_WEBP_QUALITY, 75])
    return len(data)
