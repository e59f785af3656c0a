"""A pocket card with the scores of a rule set, and a score pad, as SVG documents at their actual size.

The card is generated from the rules in use, so it always matches them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from textwrap import wrap

from game.message import Message, Translate
from game.rules import scoring
from game.rules.rule_options import END, OPTIONS, PENALTIES, TURN, sentences
from game.rules.ruleset import FACES, Alike, Dice, Ruleset
from game.wording import match_length

WIDTH_REGULAR, WIDTH_BOLD = 0.56, 0.66
"""Width of an average letter as a share of the font size, in the widest common fonts, regular and
bold."""

CARD_MM = (85, 55)
"""Width and height of a business card."""

LARGEST, SMALLEST = 2.8, 1.8
"""Largest and smallest size of the small print in mm: 8 and 5 points."""

_LINE_HEIGHT, _MAX_LINES_HEIGHT, _COLUMN_WIDTH = 5.2, 26.0, 37.0
"""Height of a line on the card, largest height of all lines together, and width of a column, in
mm."""

_SMALL_DIE = 2.4
"""Size of a die, in mm, below which the text of a line becomes smaller as well."""

_PIPS = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (1, -1), (-1, 1), (1, 1)),
    5: ((-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1)),
    6: ((-1, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (1, 1)),
}
NOTHING_AT_ALL = Message("nothing at all")
_NOTHING = Message("nothing")

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


def fitting(text: str, width: float, size: float) -> float:
    """Return the preferred text size, reduced as far as needed for bold text to fit the width.

    Args:
        text: The text.
        width: The width, in mm.
        size: The preferred size of the text, in mm.
    """
    return min(size, width / (WIDTH_BOLD * max(1, len(text))))


def svg_text(
    x: float,
    y: float,
    text: str,
    size: float,
    *,
    bold: bool = False,
    end: bool = False,
    upwards: bool = False,
) -> str:
    """Return a line of text as SVG.

    Args:
        x: Left edge, in mm; the right edge if `end` is true.
        y: Baseline, in mm.
        text: The text.
        size: Size of the text, in mm.
        bold: Whether the text is bold.
        end: Whether the text ends at `x`, instead of beginning there.
        upwards: Whether the text runs upwards, instead of to the right.
    """
    weight = ' font-weight="700"' if bold else ""
    anchor = ' text-anchor="end"' if end else ""
    turned = f' transform="rotate(-90 {x:.2f} {y:.2f})"' if upwards else ""
    place = f'x="{x:.2f}" y="{y:.2f}" font-size="{size:.2f}"'
    return f"<text {place}{weight}{anchor}{turned}>{escape(text)}</text>"


def svg_document(width: float, height: float, parts: Sequence[str], size: tuple[str, str]) -> str:
    """Return an SVG document with a white background.

    Args:
        width: Width of the drawing area, in mm.
        height: Height of the drawing area, in mm.
        parts: SVG elements.
        size: Width and height of the document as SVG attributes, such as `85mm`.
    """
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{size[0]}" height="{size[1]}" '
        f'viewBox="0 0 {width} {height}" font-family="Helvetica, Arial, sans-serif">'
    )
    return "\n".join([head, '<rect width="100%" height="100%" fill="#fff"/>', *parts, "</svg>\n"])


@dataclass(frozen=True, slots=True)
class CardLine:
    """One line of the card.

    Attributes:
        dice: Example dice.
        name: Name of the combination.
        points: The score, in words.
    """

    dice: Dice
    name: str
    points: Message


def card_lines(rules: Ruleset) -> tuple[CardLine, ...]:
    """Return a line for everything that scores, in the order of the card."""
    found = [*_single_and_triple_lines(rules), *_of_a_kind_lines(rules), *_shape_lines(rules)]
    return tuple(CardLine(dice, name, points) for dice, name, points in found if points)


Found = Iterator[tuple[Dice, str, Message | None]]
"""Dice, the name of their combination, and its score. None means that the combination does not
score."""


def _single_and_triple_lines(rules: Ruleset) -> Found:
    for face in FACES:
        yield (face,), f"single {face}", _figure(rules.singles[face - 1])
    threes = _threes(rules)
    usual = [face for face in FACES if threes[face] == 100 * face]
    span = range(min(usual, default=0), max(usual, default=0))
    for face in FACES:
        if face not in usual:
            points = _NOTHING if face in span and not threes[face] else _figure(threes[face])
            yield (face,) * 3, f"three {face}s", points
    if usual:
        yield (min(usual),) * 3, f"three {min(usual)}s to {max(usual)}s", Message("100 x number")


def _threes(rules: Ruleset) -> dict[int, int]:
    """Return, for each face, the score of three dice: that of the combination that is worth the most."""
    points: dict[Dice, int] = {}
    for combo in scoring.combos(rules):
        points[combo.dice] = max(combo.points, points.get(combo.dice, 0))
    return {face: points.get((face,) * 3, 0) for face in FACES}


def _of_a_kind_lines(rules: Ruleset) -> Found:
    words = dict(zip(range(4, rules.n_dice + 1), ("four", "five", "six"), strict=False))
    for n, word in words.items():
        points = {
            Alike.NONE: None,
            Alike.DOUBLING: Message("triple x %(n)s", n=2 ** (n - 3)),
            Alike.ADDING: Message("triple x %(n)s", n=n - 2),
            Alike.FIXED: _figure(rules.alike_fixed[n - 4]),
        }
        usual = points[rules.alike]
        yield (6,) * n, f"{word} of a kind", usual
        for face in FACES:
            exception = rules.exception_points(face, n)
            figure = _NOTHING if exception == 0 and usual else _figure(exception or 0)
            yield (face,) * n, f"{word} {face}s", figure


def _shape_lines(rules: Ruleset) -> Found:
    for row in OPTIONS:
        if row.shape:
            points = _figure(getattr(rules, row.name))
            if points and row.shape.adds_to_triple:
                points = Message("three + %(points)s", points=points)
            yield row.shape.shown, row.shape.name, points
    yield (), str(NOTHING_AT_ALL), _figure(rules.nothing)


def _figure(points: int) -> Message | None:
    return Message("%(points)s", points=points) if points else None


def card(rules: Ruleset, say: Translate = str) -> str:
    """Return the score card as an SVG document of 85 by 55 mm.

    Args:
        rules: The rules.
        say: Function that translates each message.
    """
    width, height = CARD_MM
    rows = card_lines(rules)
    half = max((len(rows) + 1) // 2, 1)
    step = min(_LINE_HEIGHT, _MAX_LINES_HEIGHT / half)
    die, letter = _line_sizes([(len(row.dice), len(say(row.points))) for row in rows], step)
    parts = [svg_text(4, 7, rules.title, fitting(rules.title, width - 8, 4), bold=True)]
    for i, line in enumerate(rows):
        column, row = divmod(i, half)
        parts += _card_line(line, (4 + 40 * column, 11 + step * row), die, letter, say)
    rules_text = " ".join(map(say, sentences(rules, (TURN, END, PENALTIES))))
    parts += _small_print(rules_text, 14 + step * half, width - 8, height)
    return svg_document(width, height, parts, size=(f"{width}mm", f"{height}mm"))


def _line_sizes(lines: Sequence[tuple[int, int]], step: float) -> tuple[float, float]:
    """Return the size of dice and of text, in mm, at which every line fits its column.

    All lines have the same size. Dice become smaller first, because they stay readable.

    Args:
        lines: Number of dice and number of letters in each line.
        step: Height of a line, in mm.
    """
    die, letter = min(0.78 * step, 3.5), min(2.5, 0.86 * step)
    least_die, least_letter = min(die, SMALLEST), min(letter, SMALLEST)
    while (die, letter) != (least_die, least_letter) and any(
        n_dice * 1.1 * die + WIDTH_BOLD * letter * n_letters > _COLUMN_WIDTH - 0.5
        for n_dice, n_letters in lines
    ):
        die = max(die - 0.1, least_die)
        letter = letter if die > _SMALL_DIE else max(letter - 0.1, least_letter)
    return die, letter


def _card_line(
    line: CardLine, corner: tuple[float, float], die: float, letter: float, say: Translate
) -> Iterator[str]:
    """Yield the SVG elements of a line of the card.

    Args:
        line: The content of the line.
        corner: Left and upper edge of the line, in mm.
        die: Size of a die, in mm.
        letter: Size of the text, in mm.
        say: Function that translates each message.
    """
    x, y = corner
    for i, face in enumerate(line.dice):
        yield _die(face, x + i * die * 1.1, y, die)
    base = y + 0.5 * die + 0.36 * letter
    if not line.dice:
        yield svg_text(x, base, say(NOTHING_AT_ALL), letter)
    yield svg_text(x + _COLUMN_WIDTH, base, say(line.points), letter, bold=True, end=True)


def _small_print(text: str, y: float, width: float, height: float) -> Iterator[str]:
    """Yield SVG elements that show the rules of play in the largest text size that fits.

    Args:
        text: The rules of play.
        y: Baseline of the first line, in mm.
        width: Width of the text, in mm.
        height: Height of the card, in mm.
    """
    size = LARGEST
    while size > SMALLEST and len(_rows(text, width, size)) * 1.3 * size > height - y - 1:
        size -= 0.1
    for i, row in enumerate(_rows(text, width, size)):
        yield svg_text(4, y + 1.3 * size * i, row, size)


def _rows(text: str, width: float, size: float) -> list[str]:
    return wrap(text, int(width / (WIDTH_REGULAR * size)))


def _die(face: int, x: float, y: float, size: float) -> str:
    half, pip = size / 2, 0.26 * size
    dots = "".join(
        f'<circle cx="{x + half + dx * pip:.2f}" cy="{y + half + dy * pip:.2f}" r="{0.1 * size:.2f}"/>'
        for dx, dy in _PIPS[face]
    )
    corner = f'rx="{0.18 * size:.2f}" fill="#fff" stroke="#000" stroke-width="0.2"'
    return f'<rect x="{x:.2f}" y="{y:.2f}" width="{size:.2f}" height="{size:.2f}" {corner}/>{dots}'


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
    length = say(
        match_length(rules.rounds, rules.target, target_ends_rounds=rules.target_ends_rounds)
    )
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
