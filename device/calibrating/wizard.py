"""The calibration wizard, whose methods the page and the terminal call."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from enum import StrEnum
from threading import BoundedSemaphore
from time import monotonic, sleep

from calibration.outline import Outline, OutlineError
from device.calibrating import picture_advice
from device.calibrating.calibration_view import CalibrationContext, state_of
from device.calibrating.draft_editor import DraftEditor
from device.calibrating.drift_watch import DriftWatch
from device.calibrating.profile_store import ProfileStore
from device.calibrating.wizard_camera import WizardCamera
from device.cameras.simulated.tray import SimulatedTray
from device.watching.tray_watch import TrayWatch
from game.message import Message
from game.situation import TableError
from web.contracts import CalibrationState, CalibrationStep, Points

MAX_COMMANDS = 3
"""Largest number of commands that are running or waiting: each needs frames of several MB."""

PAGE_S = 10.0
"""How long the calibration keeps the button and the lamp after the last request from its page, in seconds.

The page asks about once a second. If it stops asking, the button and the lamp belong to the match again."""


class ButtonUse(StrEnum):
    """The effect of pressing the button at the tray while the calibration page is open."""

    MATCH = ""
    CHECK = "button"
    LEARN = "learn"
    TEST = "test"


class PageSession:
    """Keeps track of how the calibration page uses the button and the lamp while the page is open.

    Args:
        clock: Monotonic clock in seconds.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._alive_s = float("-inf")
        self._button_use, self._colour = ButtonUse.MATCH, ""

    def keep_alive(self) -> None:
        """Record that the page is still open."""
        self._alive_s = self._clock()

    def use_button(self, use: ButtonUse) -> None:
        """Set what pressing the button does."""
        self._button_use = use
        self.keep_alive()

    def show_colour(self, colour: str) -> None:
        """Set the colour that the lamp shows; "" returns the lamp to the match."""
        self._colour = colour
        self.keep_alive()

    @property
    def button_use(self) -> ButtonUse:
        """The current effect of pressing the button."""
        return self._button_use if self._is_open else ButtonUse.MATCH

    @property
    def colour(self) -> str:
        """The colour that the lamp shows while a person checks it; "" outside the check."""
        return self._colour if self._is_open else ""

    @property
    def _is_open(self) -> bool:
        return self._clock() - self._alive_s < PAGE_S


class Wizard:
    """The calibration of one table, which carries out commands from the page or the terminal.

    Commands run one after another on a separate thread; frames come from the camera's thread.

    Args:
        tray_watch: The tray watch, which owns the camera.
        profiles: The store that holds the calibration profile.
        n_dice: Number of dice in a throw of the self-test.
        simulated: The simulated tray; None if the tray is real.
        real_button: Whether there is a physical button at the tray.
        changed: Called when the lamp or the page may have to be updated.
        drift_watch: Knows what has changed since the profile was made; None if nothing watches for
            changes.
        clock: Monotonic clock in seconds.
        pause: Sleeps for a number of seconds.

    Attributes:
        page: Keeps track of how the calibration page uses the button and the lamp.
    """

    def __init__(
        self,
        tray_watch: TrayWatch,
        profiles: ProfileStore,
        *,
        n_dice: int,
        simulated: SimulatedTray | None = None,
        real_button: bool = False,
        changed: Callable[[], object] = lambda: None,
        drift_watch: DriftWatch | None = None,
        clock: Callable[[], float] = monotonic,
        pause: Callable[[float], object] = sleep,
    ) -> None:
        self.page = PageSession(clock)
        self._profiles, self._changed, self._drift_watch = profiles, changed, drift_watch
        self._is_simulated, self._has_real_button = simulated is not None, real_button
        self._camera = WizardCamera(tray_watch, clock, pause)
        self._editor = DraftEditor(
            self._camera,
            profiles,
            n_dice=n_dice,
            simulated=simulated,
            drift_watch=drift_watch,
            on_saved=changed,
        )
        self._worker = ThreadPoolExecutor(1, "calibration")
        self._queue = BoundedSemaphore(MAX_COMMANDS)

    def camera_found(self, camera: str) -> None:
        """Note that a camera of this name works, and start from the profile that was saved for it."""
        self._camera.name = camera
        self._worker.submit(self._editor.load_profile, camera)

    def camera_lost(self) -> None:
        """Record that there is no camera."""
        self._camera.name = None

    def close(self) -> None:
        """Let the running command finish, and drop the commands that are waiting."""
        self._worker.shutdown(wait=False, cancel_futures=True)

    @property
    def needs_calibration(self) -> bool:
        """Whether there is a real camera without a profile. The simulated tray needs no profile."""
        camera = self._camera.name
        if camera is None or self._is_simulated:
            return False
        return self._profiles.profile_for(camera) is None

    def handle_press(self, held_s: float) -> bool:
        """Handle a press of `held_s` seconds if the calibration page is using the button.

        Returns:
            Whether the press was handled; if not, the press is for the match.
        """
        match self.page.button_use:
            case ButtonUse.MATCH:
                return False
            case ButtonUse.CHECK:
                self._worker.submit(self._editor.edit, lambda draft: draft.with_press(held_s))
            case ButtonUse.LEARN:
                self._worker.submit(self._editor.press, CalibrationStep.LEARN)
            case ButtonUse.TEST:
                self._worker.submit(self._editor.press, CalibrationStep.TEST)
        return True

    def state(self) -> CalibrationState:
        """Implement `Calibration.state`: return the current state of the calibration."""
        camera = self._camera.name
        profile = self._profiles.profile_for(camera) if camera else None
        context = CalibrationContext(
            camera=camera,
            n_dice=self._editor.n_dice,
            simulated=self._is_simulated,
            size=self._camera.frame_px,
            real_button=self._has_real_button,
            showing=self.page.colour or None,
            made=profile.made if profile else None,
            drift=self._drift_watch.found.words if self._drift_watch else None,
        )
        return state_of(self._editor.draft, context)

    def keep_alive(self) -> None:
        """Implement `Calibration.keep_alive`: keep the button and the lamp for a few more seconds."""
        self.page.keep_alive()

    def picture(self) -> bytes | None:
        """Implement `Calibration.picture`: return the current image as JPEG, or None if there is no camera."""
        return self._camera.jpeg()

    def do(self, step: CalibrationStep) -> CalibrationState:
        """Implement `Calibration.do`: carry out a step, and return the resulting state."""
        return self._run(lambda: self._editor.take_step(step))

    def set_corners(self, tray: Points, aside: Points | None) -> CalibrationState:
        """Implement `Calibration.set_corners`: set the corners of the tray and of any set-aside area."""
        floor = _outline(tray, Message("The tray"))
        zone = _outline(aside, Message("The set-aside area")) if aside else None
        return self._run(lambda: self._editor.edit(lambda draft: draft.with_corners(floor, zone)))

    def set_button_use(self, to: str) -> CalibrationState:
        """Implement `Calibration.set_button_use`: set what pressing the button does."""
        self.page.use_button(ButtonUse(to))
        return self.state()

    def show_colour(self, colour: str) -> CalibrationState:
        """Implement `Calibration.show_colour`: show a colour on the lamp, or "" for its usual colour."""
        self.page.show_colour(colour)
        self._changed()
        return self.state()

    def confirm_colour(self, colour: str, *, seen: bool) -> CalibrationState:
        """Implement `Calibration.confirm_colour`: record whether a person saw a colour on the lamp."""
        self._run(lambda: self._editor.edit(lambda draft: draft.with_colour(colour, is_seen=seen)))
        return self.show_colour("")

    def _run(self, job: Callable[[], object]) -> CalibrationState:
        if not self._queue.acquire(blocking=False):
            raise TableError(Message("A calibration is in progress: wait until it is finished."))
        try:
            self._worker.submit(job).result()
        finally:
            self._queue.release()
        self.page.keep_alive()
        return self.state()


def _outline(points: Points, what: Message) -> Outline:
    try:
        a, b, c, d = points
        return Outline((a, b, c, d))
    except OutlineError as error:
        why = picture_advice.describe_fault(error.fault)
        raise TableError(Message("%(what)s: %(why)s.", what=what, why=why)) from None
