"""Looks at one rest: the first ones are taken before anybody asks, and a press is answered at once."""

from dataclasses import dataclass

from device.cameras.base import Image
from vision import Reading
from vision.known_tray import KnownTray
from vision.reading import combine_readings


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """A picture, what was read of it, and what was known of the table then."""

    image: Image
    reading: Reading
    table: KnownTray


class RestLooks:
    """Readings of the rest that lasts, of which `enough` must agree."""

    def __init__(self, enough: int) -> None:
        self._enough = enough
        self._taken: list[Look] = []

    def forget(self) -> None:
        """The rest is over."""
        self._taken.clear()

    def take(self, look: Look) -> None:
        self._taken.append(look)

    def suffice(self, table: KnownTray) -> bool:
        """Whether there are enough; those taken while something else was known of the table do not count."""
        self._taken = [look for look in self._taken if look.table is table]
        return len(self._taken) >= self._enough

    def agreed(self) -> tuple[Reading, Image]:
        """What they agree on, and the first of their pictures; told once."""
        taken, self._taken = self._taken, []
        return combine_readings([look.reading for look in taken]), taken[0].image
