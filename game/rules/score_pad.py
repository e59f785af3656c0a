"""A score pad, as SVG for a page of A6 or larger: a column for each player, a line for each turn."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from textwrap import wrap

from game.message import Translate
from game.rules.ruleset import Ruleset
from game.rules.svg_print import WIDTH_REGULAR, fitting, svg_document, svg_text
from game.wording import match_length

PAD_MM = (105, 148)
"""Width and height of A6. The pad scales to the page, because A4, A5 and A6 have the same
proportions."""

LINE_MM = 5.0
"""Height of a line for a turn."""

NAME_SIZES = tuple(tenths / 10 for tenths in range(32, 21, -1))
"""Font sizes, in mm, for names that are written across a column. If no size fits, names run
upwards."""

NAME_WIDTH = 0.62
"""Width of a letter as a share of the font size. A short name may consist of wide letters only."""

NO_BREAK_SPACE = "\N{NO-BREAK SPACE}"

MAX_HEAD_MM = 48.0
"""Largest height of the names: 24 characters that run upwards in the largest font size."""


def pad(rules: Ruleset, names: Sequence[str] = (), say: Translate = str) -> str:
    """Return a score pad as an SVG document: a column for each player, a line for each turn.

    Args:
        rules: The rules. Their title and target are printed at the top.
        names: Names of the players. There are at least four columns.
        say: Function that translates each message.
    """
    width, height = PAD_MM
    n = max(4, len(names))
    column = (width - 10) / n
    length = say(match_length(rules.rounds, rules.target))
    room = width - 13 - WIDTH_REGULAR * 4 * len(length)
    parts = [svg_text(5, 9, rules.title, fitting(rules.title, room, 4.5), bold=True)]
    parts.append(svg_text(width - 5, 9, length, 4, end=True))
    head = _pad_head(names, column)
    top, bottom = 13.0, height - 5
    first = top + head.height
    n_lines = int((bottom - first) / LINE_MM)
    step = (bottom - first) / n_lines
    parts += [_rule(5 + i * column, top, 5 + i * column, bottom) for i in range(n + 1)]
    parts += [
        _rule(5, y, width - 5, y) for y in (top, *(first + i * step for i in range(n_lines + 1)))
    ]
    for i in range(len(names)):
        parts += head.draw(i, 5 + i * column, top)
    return svg_document(width, height, parts, size=("100%", "100%"))


@dataclass(frozen=True, slots=True)
class PadHead:
    """The names above the columns of the pad, all in one size.

    Attributes:
        names: The lines of each name.
        size: Size of the text, in mm.
        column: Width of a column, in mm.
        is_upright: Whether names run upwards because the columns are too narrow for them otherwise.
    """

    names: tuple[tuple[str, ...], ...]
    size: float
    column: float
    is_upright: bool = False

    @property
    def height(self) -> float:
        """Height of the names, in mm."""
        if self.is_upright:
            longest = max(len(line) for lines in self.names for line in lines)
            return NAME_WIDTH * self.size * longest + 2
        return max((1.2 * self.size * len(lines) for lines in self.names), default=self.size) + 1.4

    def draw(self, i: int, x: float, y: float) -> Iterator[str]:
        """Yield the SVG elements that show the name of one player above that player's column.

        Args:
            i: Number of the column, from 0.
            x: Left edge of the column, in mm.
            y: Upper edge of the names, in mm.
        """
        for row, line in enumerate(self.names[i]):
            if self.is_upright:
                across = x + self.column / 2 + 0.36 * self.size
                yield svg_text(across, y + self.height - 1, line, self.size, upwards=True)
            else:
                yield svg_text(x + 1, y + 1.2 * self.size * (row + 0.9), line, self.size)


def _pad_head(names: Sequence[str], column: float) -> PadHead:
    """Return the names in the largest text size at which every name fits its column.

    Args:
        names: The names.
        column: Width of a column, in mm.
    """
    for size in NAME_SIZES:
        letters = max(int((column - 2) / (NAME_WIDTH * size)), 1)
        lines = tuple(_lines(name, letters) for name in names)
        head = PadHead(lines, size, column)
        is_wrapped = all(len(line) <= letters for rows in lines for line in rows)
        if is_wrapped and head.height <= MAX_HEAD_MM:
            return head
    longest = max(map(len, names))
    upright = min(NAME_SIZES[0], 0.7 * column, MAX_HEAD_MM / (NAME_WIDTH * longest))
    return PadHead(tuple((name,) for name in names), upright, column, is_upright=True)


def _lines(name: str, letters: int) -> tuple[str, ...]:
    """Return a name broken into lines of at most `letters` letters, unless a single word is longer.

    Between the players of a team, a line ends before the plus sign.
    """
    bound = name.replace(" + ", f" +{NO_BREAK_SPACE}")
    wrapped = wrap(bound, letters, break_long_words=False)
    return tuple(line.replace(NO_BREAK_SPACE, " ") for line in wrapped)


def _rule(x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<path d="M{x1:.2f} {y1:.2f}L{x2:.2f} {y2:.2f}" stroke="#888" stroke-width="0.2"/>'
