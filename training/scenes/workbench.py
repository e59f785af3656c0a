"""Where the solids and covers of a picture are put together."""

from dataclasses import dataclass, field

import numpy as np

from training.scenes.world import Cover, Form, Part, Solid, Turn, Vector


def about_z(angle: float) -> Turn:
    """(3, 3) a turn to the left seen from above."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]])


LEVEL = np.array([[0.0, 0, 1], [1, 0, 0], [0, 1, 0]])
"""Lays a thing's own z along x."""
LEAST_SIDE = 32


@dataclass
class Workbench:
    """Solids so far; `at` and `turn` are where the next ones' own axes are."""

    side: int  # of the tiles of grounds and walls, pixels
    covers: list[Cover] = field(default_factory=list)
    solids: list[Solid] = field(default_factory=list)
    at: Vector = field(default_factory=lambda: np.zeros(3))
    turn: Turn = field(default_factory=lambda: np.eye(3))
    part: Part = Part.THING
    fixed: bool = False

    @property
    def small(self) -> int:
        """Of the tiles of things, pixels."""
        return max(LEAST_SIDE, self.side // 4)

    def cover(self, cover: Cover) -> int:
        """The number of a new cover."""
        self.covers.append(cover)
        return len(self.covers) - 1

    def move(self, at: Vector, yaw: float = 0.0) -> None:
        """Put what comes next there."""
        self.at, self.turn = np.asarray(at, float), about_z(yaw)

    def add(  # noqa: PLR0917 - what a solid is
        self, form: Form, half: tuple[float, float, float], place: tuple[float, float, float], cover: int,
        turn: Turn | None = None, round_mm: float = 0.0, planes: Vector | None = None,
    ) -> None:  # fmt: skip
        """A solid at a place in the present axes."""
        own = self.turn if turn is None else self.turn @ turn
        self.solids.append(
            Solid(form, self.at + self.turn @ np.array(place), own, np.array(half), cover, self.part,
                  round_mm, planes, self.fixed)
        )  # fmt: skip

    def box(self, half: tuple[float, float, float], place: tuple[float, float, float], cover: int,
            round_mm: float = 0.0, turn: Turn | None = None) -> None:  # fmt: skip
        self.add(Form.BOX, half, place, cover, turn, min(round_mm, *half))

    def disc(  # noqa: PLR0917 - what a disc is
        self, radius: float, half_height: float, place: tuple[float, float, float], cover: int,
        round_mm: float = 0.0, turn: Turn | None = None,
    ) -> None:  # fmt: skip
        """A cylinder around z."""
        self.add(Form.CYLINDER, (radius, radius, half_height), place, cover, turn,
                 min(round_mm, radius, half_height))  # fmt: skip

    def rod(self, start: Vector, end: Vector, radius: float, cover: int) -> None:
        """A capsule from one place to another."""
        way = np.asarray(end, float) - start
        length = float(np.linalg.norm(way))
        z = way / max(length, 1e-9)
        x = np.cross(z, [0.31, 0.2, 0.93])
        x /= np.linalg.norm(x)
        middle = (np.asarray(start) + end) / 2
        self.add(Form.CAPSULE, (radius, radius, length / 2), tuple(middle), cover,
                 np.column_stack([x, np.cross(z, x), z]))  # fmt: skip
