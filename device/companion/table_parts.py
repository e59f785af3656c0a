"""The parts of one table, and their current problems."""

from collections.abc import Callable
from dataclasses import dataclass

from device.cameras.simulated.tray import SimulatedTray
from device.coach.coach import TableCoach
from device.companion.bot_turns import BotTurns
from device.companion.picture_keeper import PictureKeeper
from device.companion.table_button import TableButton
from device.companion.tray_camera import TrayCamera
from device.hardware.outputs import Signals
from device.session.session import Session
from game.message import Message, join_with_semicolons
from web.access.scorekeeper import Scorekeeper
from web.contracts.shared_match import OtherTrayView


@dataclass(frozen=True, slots=True)
class Troubles:
    """The current problems of the companion; an attribute is None if there is no such problem.

    Attributes:
        camera: Why there is no camera.
        journal: Why the last step could not be written.
        record: What happened to the journal when it was opened, or when it was repaired.
        output: What is wrong with the button, the lamp, the buzzer or the voice.
        safe_mode: Why Traykeeper runs in safe mode.
    """

    camera: Message | None = None
    journal: Message | None = None
    record: Message | None = None
    output: Message | None = None
    safe_mode: Message | None = None

    @property
    def at_the_table(self) -> tuple[Message, ...]:
        """The problems to show to everybody, except a missing camera, which the table's message reports."""
        known = (self.safe_mode, self.record, self.journal, self.output)
        return tuple(each for each in known if each)


@dataclass(slots=True)
class JournalNotice:
    """The notice about damage to the journal.

    Attributes:
        message: The notice; None if there is none, or if somebody has read it.
        on_read: Called when somebody has read the notice.
    """

    message: Message | None = None
    on_read: Callable[[], object] = lambda: None

    def acknowledge(self) -> None:
        """Drop the notice, because somebody has read it."""
        self.message = None
        self.on_read()


@dataclass(frozen=True, slots=True)
class SafeModeNotice:
    """The notice about safe mode, and the way to leave safe mode.

    Attributes:
        message: Why Traykeeper runs in safe mode.
        leave: Restarts the companion normally.
    """

    message: Message
    leave: Callable[[], object]


@dataclass(frozen=True, slots=True)
class TableParts:
    """The parts of one table.

    Attributes:
        session: Decides what presses, readings and commands mean.
        bots: Plays the turns of bots.
        camera: The camera over the tray.
        button: The button.
        output: Lamp, buzzer and voice.
        pictures: Keeps the pictures that were read.
        scorekeeper: Decides which phone may change the match.
        coach: Calculates chances and the best decisions; None if there is no coach.
        notice: What people have to know about damage to the journal.
        simulated_tray: The simulated tray; None if the tray is real.
        hands_off: Whether thrown dice are read without a press of the button.
        is_alive: Called repeatedly during a long task, to tell the watchdog that the program is working.
        safe_mode: The notice that Traykeeper runs in safe mode; None if it does not.
        other_tray: Returns what is known about the other tray of a shared match, or None if there is none.
    """

    session: Session
    bots: BotTurns
    camera: TrayCamera
    button: TableButton
    output: Signals
    pictures: PictureKeeper
    scorekeeper: Scorekeeper
    coach: TableCoach | None
    notice: JournalNotice
    simulated_tray: SimulatedTray | None
    hands_off: bool
    is_alive: Callable[[], object]
    safe_mode: SafeModeNotice | None = None
    other_tray: Callable[[], OtherTrayView | None] = lambda: None

    @property
    def troubles(self) -> Troubles:
        """The current problems with the parts of the table."""
        no_button = (self.button.trouble,) if self.button.trouble else ()
        failing = (*no_button, *self.output.troubles)
        output = join_with_semicolons(failing) if failing else None
        journal = self.session.table.live_match.trouble
        safe = self.safe_mode.message if self.safe_mode else None
        return Troubles(self.camera.trouble, journal, self.notice.message, output, safe)
