"""A whole table: simulated tray, mock pins, real gpiozero, real journal, no page.

Nothing waits. The clock advances when the rig says so, one frame of the camera after the other.
"""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from gpiozero.pins.mock import MockFactory, MockPWMPin

from device.cameras.base import CameraError, Frame
from device.companion.companion import Companion, Inbox
from device.hardware.button import TrayButton
from device.hardware.choices import BUTTON_PIN
from device.hardware.outputs import RgbLamp, Signals
from device.session.live_match import LiveMatch
from device.watching.tray_watch import WatchOptions
from game.commands import AnswerQuestion
from game.journal.journal import Journal
from game.message import Message
from game.rules import rule_files
from game.situation import Situation
from tests.clock import Clock
from tests.handled_tray import HandledTray
from web.contracts import Snapshot

SIMULATED_LIMIT_S = 60.0
STILL_S = 0.2
ROLL_S = 0.4
LET_ROLL_S = 0.5
N_DICE = 6
TRIES = 8
NUDGE_S = 1.5
ASKS_IF_THROWN = ("Were the dice thrown or just moved?", "thrown? If not")


class Finger:
    """A finger that presses the mock pin of the button; only holding it takes time."""

    def __init__(self, button: TrayButton, clock: Clock) -> None:
        self.button, self._clock = button, clock

    def press(self, seconds: float = 0.1) -> None:
        self.button.drive(down=True)
        self._clock.now_s += seconds
        self.button.drive(down=False)


class Rig:
    """A table, and what a person does at it."""

    def __init__(
        self,
        companion: Companion,
        *,
        inbox: Inbox,
        tray: HandledTray,
        finger: Finger,
        lamp: RgbLamp,
        clock: Clock,
    ):
        self.companion, self.inbox, self.tray, self.finger = companion, inbox, tray, finger
        self.lamp, self.watch = lamp, companion.tray_camera.watch
        self.clock = clock
        self._next_s = clock()

    @property
    def state(self):
        return self.companion.snapshot().match.state

    @property
    def scores(self) -> list[int]:
        return [player.score for player in self.state.players]

    def look(self) -> None:
        """Take the next step of the camera; its reports wait in the inbox."""
        self.clock.now_s = max(self.clock.now_s, self._next_s)
        self._next_s = self.clock() + self.watch.run_once()

    def step(self) -> None:
        """Take the next step of the camera, and let the companion handle its reports."""
        self.look()
        self.companion.process_all()
        self.companion.process_next(0)  # a turn of the loop without a note

    def wait_s(self, seconds: float) -> None:
        """Let time pass, so that dice roll and hands come and go."""
        end_s = self.clock() + seconds
        while self._next_s < end_s:
            self.step()
        self.clock.now_s = end_s

    def press(self) -> Snapshot:
        self.finger.press()
        return self.settled()

    def press_until_read(self) -> None:
        """Press, and follow the advice of the table until the throw is read.

        If a die cannot be read, slide the dice and press again. If the table asks whether the dice were
        thrown, hold for yes. If it says that they only moved, answer that they were thrown.
        """
        for _ in range(TRIES):
            snapshot = self.press()
            if any(words in str(snapshot.question) for words in ASKS_IF_THROWN):
                snapshot = self.hold()
            if snapshot.choices and "only moved" in str(snapshot.message):
                snapshot = self.companion.do(AnswerQuestion(snapshot.choices[0].id))
            if snapshot.situation is not Situation.ATTENTION:
                return
            self.tray.nudge(hand=True)
            self.wait_s(NUDGE_S)
        raise AssertionError(self.companion.snapshot())

    def hold(self, seconds: float = 1.2) -> Snapshot:
        self.finger.press(seconds)
        return self.settled()

    def button_down(self, seconds: float) -> None:
        """Hold the button down for this much longer, and let the companion's loop run once."""
        self.finger.button.drive(down=True)
        self.clock.now_s += seconds
        self.inbox.holding(self.finger.button.held_s)
        self.companion.process_all()
        self.companion.process_next(0)

    def roll(self, *values: int) -> None:
        """Throw dice that will show these faces."""
        if len(values) == N_DICE:
            self.tray.throw_all(values)
        else:
            self.tray.throw(values=values)
        self.wait_s(LET_ROLL_S)

    @contextmanager
    def camera_unplugged(self) -> Iterator[None]:
        """Unplug the camera, and plug it in again at the end."""

        def fail() -> Frame:
            raise CameraError(Message("unplugged"))

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(self.tray, "preview", fail)
            patch.setattr(self.tray, "capture", fail)
            self.until(lambda s: s.camera is None)
            yield
        self.until(lambda s: s.camera is not None)

    def throw(self, *values: int) -> Snapshot:
        """Throw dice that will show these faces, and press."""
        self.roll(*values)
        return self.press()

    def settled(self) -> Snapshot:
        """Return the snapshot once no reading is awaited, or a throw is awaited without a time limit."""
        self.companion.process_all()
        return self.until(
            lambda s: (
                s.situation is not Situation.WAITING or str(s.message) == "Waiting for a throw."
            )
        )

    def until(self, holds) -> Snapshot:
        end_s = self.clock() + SIMULATED_LIMIT_S
        while not holds(self.companion.snapshot()):
            assert self.clock() < end_s, f"nothing changed any more: {self.companion.snapshot()}"
            self.step()
        return self.companion.snapshot()


@contextmanager
def open_rig(folder: Path, **options) -> Iterator[Rig]:
    """Open a table in a folder. It reads each throw once, while a real one reads it twice."""
    clock = options.pop("clock", None) or Clock(1000.0)
    seed, opened = options.pop("seed", 7), options.pop("opened", True)
    tray = options.pop("tray", None) or HandledTray(seed=seed, roll_s=ROLL_S, clock=clock)
    pins, inbox = MockFactory(pin_class=MockPWMPin), Inbox()
    with closing(Journal.open(folder / "journal.db")) as journal:
        live_match = LiveMatch(journal)
        live_match.reload()
        lamp = options.pop("lamp", RgbLamp)(pins)
        rules = options.pop("rules", None) or rule_files.load("walnut-studiolo")
        if options.pop("pressed", False):
            pins.pin(BUTTON_PIN).pull = "up"
            pins.pin(BUTTON_PIN).drive_low()
        button = TrayButton(
            pins,
            on_release=inbox.released,
            on_holding=inbox.holding,
            clock=clock,
        )
        watch = WatchOptions(
            still_s=STILL_S,
            reports_settled_dice=options.pop("hands_off", False),
            burst_frames=options.pop("burst_frames", 1),
            records_clips=options.pop("clips", True),
        )
        companion = Companion(
            inbox,
            live_match,
            rules,
            options.pop("open_camera", lambda: tray),
            Signals(lamp),
            button=button,
            simulated_tray=tray if options.pop("simulated", True) else None,
            watch=watch,
            clock=clock,
            pause=lambda seconds: rig.wait_s(seconds),  # noqa: PLW0108 - created below
            **options,
        )
        rig = Rig(
            companion,
            inbox=inbox,
            tray=tray,
            finger=Finger(button, clock),
            lamp=lamp,
            clock=clock,
        )
        try:
            if opened:
                rig.until(lambda s: s.camera is not None or "No camera" in str(s.message))
            yield rig
        finally:
            companion.close()
            pins.close()
