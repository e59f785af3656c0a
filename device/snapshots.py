"""What the running companion knows to be wrong."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Troubles:
    """A line for each part; empty where it is as it should be.

    Attributes:
        camera: why there is none.
        journal: why the last step could not be written.
        record: what happened to the journal when it was opened.
        output: which of button, lamp, buzzer and voice fail.
    """

    camera: str = ""
    journal: str = ""
    record: str = ""
    output: str = ""

    @property
    def at_the_table(self) -> tuple[str, ...]:
        """What everybody at the table has to know; a camera that is away is told there anyway."""
        return tuple(filter(None, (self.record, self.journal, self.output)))
