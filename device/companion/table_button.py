"""The button of the table, and what web pages can do with it."""

from collections.abc import Callable

from device.companion.inbox import ButtonReleased, Inbox
from device.hardware.button import TrayButton
from device.hardware.simulated_button import SimulatedButton
from device.session.indicator import SHUTDOWN_S, STUCK_S
from game.commands import Hold, MoveSimulatedButton, Press
from game.message import Message
from game.situation import TableError

ONLY_AT_THE_TRAY = Message("Only the button at the tray can shut the machine down.")
STUCK = Message("the button is stuck: it has been down for more than ten seconds")


class TableButton:
    """The button of the table.

    A page presses a simulated button at its pin, so that the lamp shows what releasing the button
    would do. If the button is real, a page posts the same note as a press of that button would.

    Args:
        button: The button at the tray; None if there is none.
        missing: Why there is no button; None if there is one, or if none is expected.
        inbox: Receives what a page does with the button.
        clock: Monotonic clock in seconds.
        pause: Sleeps for a number of seconds.
    """

    def __init__(
        self,
        button: TrayButton | None,
        missing: Message | None,
        inbox: Inbox,
        clock: Callable[[], float],
        pause: Callable[[float], object],
    ) -> None:
        self._button, self._missing, self._inbox = button, missing, inbox
        self._simulated = (
            SimulatedButton(button, clock, pause) if button and button.is_simulated else None
        )

    @property
    def is_real(self) -> bool:
        """Whether there is a physical button, which can be pressed only at the tray."""
        return self._button is not None and self._simulated is None

    @property
    def is_stuck(self) -> bool:
        """Whether the button has been down for longer than anybody would hold it."""
        held_s = self._button.held_s if self._button else None
        return held_s is not None and held_s >= STUCK_S

    @property
    def trouble(self) -> Message | None:
        """Why there is no button, or a message that the button is stuck; None if neither is the case."""
        return STUCK if self.is_stuck else self._missing

    def use(self, command: Press | Hold | MoveSimulatedButton, request: str) -> None:
        """Press, hold or move the button as a page asks.

        Args:
            command: The command that the page sends.
            request: Id of the page's request; "" if it has none.

        Raises:
            TableError: If the button is already in use, or if the command would move a real button or
                shut the machine down.
        """
        match command:
            case Press():
                self._hold(0.0, request)
            case Hold() if command.seconds >= SHUTDOWN_S:
                raise TableError(ONLY_AT_THE_TRAY)
            case Hold():
                self._hold(command.seconds, request)
            case MoveSimulatedButton() if self._simulated is None:
                raise TableError(Message("There is a real button: press it at the tray."))
            case MoveSimulatedButton(down=False) if (command.seconds or 0.0) >= SHUTDOWN_S:
                self._simulated.move(
                    down=False, held_s=STUCK_S
                )  # the pin reads as released, but releasing a stuck button has no effect
                raise TableError(ONLY_AT_THE_TRAY)
            case MoveSimulatedButton():
                self._simulated.move(down=command.down, held_s=command.seconds, request=request)

    def close(self) -> None:
        """Release the pin of the button."""
        if self._button:
            self._button.close()

    def _hold(self, seconds: float, request: str) -> None:
        if self._simulated:
            self._simulated.hold(seconds, request)
        else:
            self._inbox.post(ButtonReleased(seconds, request, is_finger=False))
