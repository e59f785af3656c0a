"""Draws small line charts as SVG, two side by side, without a plotting library."""

from collections.abc import Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 360, 260
CHARTS_PER_ROW = 2
COLOURS = ("#0b7285", "#e8590c")
AXIS_X, AXIS_Y, X_LENGTH, Y_LENGTH = 50, 210, 295, 190
"""The position of the corner where the axes begin, and the lengths of the axes."""
ABOVE, BELOW = -8, 16
"""Vertical offset of a line's name from the end of the line."""
OVERLAP = 24
"""If two lines end closer together than this, the name of the lower one goes below it."""

Points = Sequence[tuple[float, float]]


@dataclass(frozen=True, slots=True)
class LineChart:
    """A chart with one or two lines.

    Attributes:
        label: Text below the horizontal axis.
        unit: Unit of the vertical axis.
        lines: Points of each line, by the name of the line.
        most: Upper end of the vertical axis. None leaves a little room above the highest point.
    """

    label: str
    unit: str
    lines: dict[str, Points]
    most: float | None = None

    def svg(self) -> str:
        """Return the axes and lines as SVG elements."""
        most_x = max(x for points in self.lines.values() for x, _ in points) or 1.0
        most_y = self.most or max(y for points in self.lines.values() for _, y in points) * 1.1
        ends = {name: Y_LENGTH * points[-1][1] / most_y for name, points in self.lines.items()}
        low = min(ends, key=ends.__getitem__)
        overlaps = len(ends) > 1 and max(ends.values()) - ends[low] < OVERLAP
        drawn = self._axes(most_x, most_y)
        for colour, (name, points) in zip(COLOURS, self.lines.items(), strict=False):
            spots = [
                (AXIS_X + X_LENGTH * x / most_x, AXIS_Y - Y_LENGTH * y / most_y) for x, y in points
            ]
            drawn += _line(name, spots, colour, BELOW if overlaps and name == low else ABOVE)
        return drawn

    def _axes(self, most_x: float, most_y: float) -> str:
        right = AXIS_X + X_LENGTH
        end = f"{most_x:.0f}" if float(most_x).is_integer() else f"{most_x:.3g}"
        return (
            f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>'
            f'<path d="M{AXIS_X} {AXIS_Y - Y_LENGTH}V{AXIS_Y}H{right}" fill="none" stroke="#495057"/>'
            f'<text x="197" y="248" text-anchor="middle">{self.label}</text>'
            f'<text x="{right}" y="226" text-anchor="end">{end}</text>'
            f'<text x="{AXIS_X}" y="14">{most_y:.0f} {self.unit}</text>'
        )


def _line(name: str, spots: Points, colour: str, name_offset: int) -> str:
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in spots)
    x, y = spots[-1]
    return (
        f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>'
        f'<text x="{x:.0f}" y="{y + name_offset:.0f}" text-anchor="end" fill="{colour}">{name}</text>'
    )


def drawing(charts: Sequence[LineChart]) -> str:
    """Return the text of an SVG file that shows the charts, two side by side."""
    rows = -(-len(charts) // CHARTS_PER_ROW)
    placed = [
        f'<g transform="translate({WIDTH * (k % CHARTS_PER_ROW)} {HEIGHT * (k // CHARTS_PER_ROW)})">'
        f"{chart.svg()}</g>"
        for k, chart in enumerate(charts)
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH * CHARTS_PER_ROW} {HEIGHT * rows}"'
        f' font-family="sans-serif" font-size="12">{"".join(placed)}</svg>\n'
    )
