"""The button of the table, as pages can use it."""

from collections.abc import Callable

from device.companion.inbox import ButtonReleased, Inbox
from device.hardware.button import TrayButton
from device.hardware.simulated_button import SimulatedButton
from device.session.indicator import SHUTDOWN_S
from game.commands import Hold, MoveSimulatedButton, Press
from game.message import Message
from game.situation import TableError


class TableButton:
    """The button of the table.

    A page presses a simulated button at its pin, so that the lamp shows what releasing it would do.
    For a real button it posts the same note that a finger would cause.

    Args:
        button: The button at the tray; None if there is none.
        trouble: Why there is none.
        inbox: Takes what a page does with the button.
        clock: Seconds that never run backwards.
        pause: Waits for a number of seconds.

    Attributes:
        trouble: Why there is no button.
    """

    def __init__(
        self,
        button: TrayButton | None,
        trouble: Message | None,
        inbox: Inbox,
        clock: Callable[[], float],
        pause: Callable[[float], object],
    ) -> None:
        self._button, self.trouble, self._inbox = button, trouble, inbox
        self._simulated = (
            SimulatedButton(button, clock, pause) if button and button.is_simulated else None
        )

    @property
    def is_real(self) -> bool:
        """Whether there is a button that only a finger at the tray can press."""
        return self._button is not None and self._simulated is None

    def use(self, command: Press | Hold | MoveSimulatedButton, request: str) -> None:
        """Do with the button what a page asks for.

        Args:
            command: What the page asks for.
            request: Id of the page's request.

        Raises:
            TableError: If the button is in use, is not simulated, or would shut the machine down.
        """
        match command:
            case Press():
                self._hold(0.0, request)
            case Hold() if command.seconds >= SHUTDOWN_S:
                raise TableError(
                    Message("Only the button at the tray shuts the machine down: hold that one.")
                )
            case Hold():
                self._hold(command.seconds, request)
            case MoveSimulatedButton() if self._simulated is None:
                raise TableError(Message("The button is real: press it at the tray."))
            case MoveSimulatedButton():
                self._simulated.move(down=command.down, held_s=command.seconds, request=request)

    def close(self) -> None:
        """Give the pin back."""
        if self._button:
            self._button.close()

    def _hold(self, seconds: float, request: str) -> None:
        if self._simulated:
            self._simulated.hold(seconds, request)
        else:
            self._inbox.post(ButtonReleased(seconds, request, is_finger=False))
