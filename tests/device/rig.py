"""A whole table to play at: simulated tray, mock pins, real gpiozero, real journal, no page."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from time import sleep

from gpiozero.pins.mock import MockFactory, MockPWMPin

from device.cameras.simulated.tray import SimulatedTray
from device.companion import Companion
from device.hardware.button import TrayButton
from device.hardware.lamp import RgbLamp
from device.session.live_match import LiveMatch
from game.journal.journal import Journal
from game.rules import rule_files
from game.situation import Situation
from web.contracts.table import Snapshot

PATIENCE_S = 15.0
STILL_S = 0.15
ROLL_S = 0.4
N_DICE = 6
TRIES = 8
NUDGE_S = 1.5
ASKS_IF_THROWN = ("Thrown or moved?", "thrown? If not")


class Finger:
    """Presses the button's mock pin; time passes for it only when it holds."""

    def __init__(self) -> None:
        self.now_s = 0.0
        self.button: TrayButton | None = None

    def clock(self) -> float:
        return self.now_s

    def press(self, seconds: float = 0.1) -> None:
        self.button.drive(down=True)
        self.now_s += seconds
        self.button.drive(down=False)


class Rig:
    """The parts of a table, and what a person does at it."""

    def __init__(self, companion: Companion, tray: SimulatedTray, finger: Finger, lamp: RgbLamp):
        self.companion, self.tray, self.finger, self.lamp = companion, tray, finger, lamp

    @property
    def state(self):
        return self.companion.snapshot().match.state

    @property
    def scores(self) -> list[int]:
        return [player.score for player in self.state.players]

    def press(self) -> Snapshot:
        self.finger.press()
        return self.settled()

    def press_until_read(self) -> None:
        """Press, and do as the table says until the throw is read.

        Where a die cannot be read, slide the dice and press again; asked whether they were
        thrown, hold for yes; told that they were only moved (a busy machine misses a short
        throw), say that they were thrown.
        """
        for _ in range(TRIES):
            snapshot = self.press()
            if any(words in (snapshot.question or "") for words in ASKS_IF_THROWN):
                snapshot = self.hold()
            if snapshot.choices and "only moved" in snapshot.message:
                snapshot = self.companion.answer(snapshot.choices[0].id)
            if snapshot.situation is not Situation.ATTENTION:
                return
            self.tray.nudge(hand=True)
            sleep(NUDGE_S)
        raise AssertionError(self.companion.snapshot())

    def hold(self, seconds: float = 1.2) -> Snapshot:
        self.finger.press(seconds)
        return self.settled()

    def roll(self, *values: int) -> None:
        """Throw dice that come to show these faces."""
        if len(values) == N_DICE:
            self.tray.throw_all(values)
        else:
            self.tray.throw(values=values)
        sleep(ROLL_S)

    def throw(self, *values: int) -> Snapshot:
        """Throw dice that come to show these faces, and press."""
        self.roll(*values)
        return self.press()

    def settled(self) -> Snapshot:
        """The snapshot once nothing is being waited for, or a wait has no end."""
        self.companion._ask(lambda: None)
        return self.until(
            lambda s: s.situation is not Situation.WAITING or s.message == "Waiting for a throw."
        )

    def wait_s(self, seconds: float) -> None:
        """Let hands come and go."""
        sleep(seconds)

    def until(self, holds) -> Snapshot:
        snapshot = self.companion.snapshot()
        while not holds(snapshot):
            newer = self.companion.wait(snapshot.version, PATIENCE_S)
            assert newer is not None, f"nothing changed any more: {snapshot}"
            snapshot = newer
        return snapshot


@contextmanager
def open_rig(folder: Path, **options) -> Iterator[Rig]:
    tray = options.pop("tray", None) or SimulatedTray(seed=options.pop("seed", 7), roll_s=ROLL_S)
    finger = Finger()
    with closing(Journal.open(folder / "journal.db")) as journal:
        live_match = LiveMatch(journal)
        if newest := journal.newest():
            live_match.resume(*newest)
        pins = MockFactory(pin_class=MockPWMPin)
        lamp = options.pop("lamp", RgbLamp)(pins)
        rules = options.pop("rules", None) or rule_files.load("walnut-studiolo")
        open_camera = options.pop("open_camera", lambda: tray)
        companion = Companion(
            live_match,
            rules,
            open_camera,
            lamp,
            tray=tray,
            still_s=STILL_S,
            period_s=1 / 30,
            **options,
        )
        companion.attach(
            lambda c: TrayButton(
                pins, on_press=c.pressed, on_hold=c.held, on_holding=c.holding, clock=finger.clock
            )
        )
        finger.button = companion._button
        companion.start()
        rig = Rig(companion, tray, finger, lamp)
        try:
            rig.until(lambda s: s.camera is not None or "No camera" in s.message)
            yield rig
        finally:
            companion.close()
            pins.close()
