"""Small charts of lines as SVG, two in a row; nothing but text, so that anybody may draw with it."""

from collections.abc import Sequence
from dataclasses import dataclass

WIDE, HIGH = 360, 260
IN_A_ROW = 2
COLOURS = ("#0b7285", "#e8590c")
LEFT, FLOOR, ACROSS, UP = 50, 210, 295, 190
"""Where both axes begin in a chart, and how long they are."""
ABOVE, UNDER = -8, 16
"""A line's end, where its name stands: under it where both ends are close, and it is the lower."""
CLOSE = 24

Points = Sequence[tuple[float, float]]


@dataclass(frozen=True, slots=True)
class LineChart:
    """One or two lines over a number.

    Attributes:
        label: what the number is.
        unit: of what goes upwards.
        lines: points of each, by its name.
        most: how far upwards; None: a little more than the highest point.
    """

    label: str
    unit: str
    lines: dict[str, Points]
    most: float | None = None

    def svg(self) -> str:
        """Its axes, with its lines."""
        most_x = max(x for points in self.lines.values() for x, _ in points) or 1.0
        most_y = self.most or max(y for points in self.lines.values() for _, y in points) * 1.1
        ends = {name: UP * points[-1][1] / most_y for name, points in self.lines.items()}
        low = min(ends, key=ends.__getitem__)
        are_close = len(ends) > 1 and max(ends.values()) - ends[low] < CLOSE
        drawn = self._axes(most_x, most_y)
        for colour, (name, points) in zip(COLOURS, self.lines.items(), strict=False):
            spots = [(LEFT + ACROSS * x / most_x, FLOOR - UP * y / most_y) for x, y in points]
            drawn += _line(name, spots, colour, UNDER if are_close and name == low else ABOVE)
        return drawn

    def _axes(self, most_x: float, most_y: float) -> str:
        right = LEFT + ACROSS
        end = f"{most_x:.0f}" if float(most_x).is_integer() else f"{most_x:.3g}"
        return (
            f'<rect width="{WIDE}" height="{HIGH}" fill="white"/>'
            f'<path d="M{LEFT} {FLOOR - UP}V{FLOOR}H{right}" fill="none" stroke="#495057"/>'
            f'<text x="197" y="248" text-anchor="middle">{self.label}</text>'
            f'<text x="{right}" y="226" text-anchor="end">{end}</text>'
            f'<text x="{LEFT}" y="14">{most_y:.0f} {self.unit}</text>'
        )


def _line(name: str, spots: Points, colour: str, label_off: int) -> str:
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in spots)
    x, y = spots[-1]
    return (
        f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>'
        f'<text x="{x:.0f}" y="{y + label_off:.0f}" text-anchor="end" fill="{colour}">{name}</text>'
    )


def drawing(charts: Sequence[LineChart]) -> str:
    """All of them, as a file."""
    rows = -(-len(charts) // IN_A_ROW)
    placed = [
        f'<g transform="translate({WIDE * (k % IN_A_ROW)} {HIGH * (k // IN_A_ROW)})">{one.svg()}</g>'
        for k, one in enumerate(charts)
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE * IN_A_ROW} {HIGH * rows}"'
        f' font-family="sans-serif" font-size="12">{"".join(placed)}</svg>\n'
    )
