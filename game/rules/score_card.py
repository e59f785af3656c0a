"""A pocket card with the scores of a rule set, as an SVG document at its actual size.

The card is generated from the rules in use, so it always matches them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from textwrap import wrap

from game.message import Message, Translate
from game.rules import scoring
from game.rules.rule_options import END, OPTIONS, PENALTIES, TURN
from game.rules.ruleset import FACES, Alike, Dice, Ruleset
from game.rules.sentences import sentences
from game.rules.svg_print import WIDTH_BOLD, WIDTH_REGULAR, fitting, svg_document, svg_text

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
