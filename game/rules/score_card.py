"""A pocket card with the scores of a rule set, and a score pad, as SVG in true size.

Both are generated from the rules in use, so they always match them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from textwrap import wrap

from game.message import Message, Translate
from game.rules import scoring
from game.rules.rule_options import OPTIONS
from game.rules.ruleset import FACES, Alike, Dice, Ruleset
from game.rules.sentences import playing_sentences
from game.wording import match_length

CARD_MM = (85, 55)
"""Width and height of a business card."""

PAD_MM = (105, 148)
"""Width and height of A6. The pad scales to the page, because A4, A5 and A6 have the same
proportions."""

WIDTH_REGULAR, WIDTH_BOLD = 0.56, 0.66
"""Width of an average letter as a share of the font size, in the widest common fonts, regular and
bold."""

LARGEST, SMALLEST = 2.8, 1.8
"""Largest and smallest size of the small print in mm: 8 and 5 points."""

_LINE_HEIGHT, _MAX_LINES_HEIGHT = 5.2, 26.0
"""Height of a line of the card and largest height of all lines, in mm."""

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
"""Dice, their name, and their score. A score of None means that the combination is not played."""


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
        yield (min(usual),) * 3, f"three {min(usual)}s to {max(usual)}s", Message("100 x face")


def _threes(rules: Ruleset) -> dict[int, int]:
    """Return the score of three dice of each face, by whatever combination is worth most."""
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
        say: Translates the texts.
    """
    width, height = CARD_MM
    rows = card_lines(rules)
    half = max((len(rows) + 1) // 2, 1)
    step = min(_LINE_HEIGHT, _MAX_LINES_HEIGHT / half)
    parts = [_text(4, 7, rules.title, _fitting(rules.title, width - 8, 4), bold=True)]
    for i, line in enumerate(rows):
        column, row = divmod(i, half)
        parts += _card_line(line, 4 + 40 * column, 11 + step * row, step, say)
    rules_text = " ".join(map(say, playing_sentences(rules)))
    parts += _small_print(rules_text, 14 + step * half, width - 8, height)
    return _svg(width, height, parts, size=(f"{width}mm", f"{height}mm"))


def _card_line(line: CardLine, x: float, y: float, step: float, say: Translate) -> Iterator[str]:
    size = min(0.78 * step, 3.5)
    for i, face in enumerate(line.dice):
        yield _die(face, x + i * size * 1.1, y, size)
    name, points = "" if line.dice else say(NOTHING_AT_ALL), say(line.points)
    if name:
        yield _text(x, y + 0.7 * size, name, min(2.6, size))
    room = (
        37 - (len(line.dice) * 1.1 * size if line.dice else WIDTH_REGULAR * size * len(name)) - 0.5
    )
    figure = _fitting(points, room, min(2.8, 1.1 * size))
    yield _text(x + 37, y + 0.74 * size, points, figure, bold=True, end=True)


def _small_print(text: str, y: float, width: float, height: float) -> Iterator[str]:
    """Draw the rules of play in the largest size that fits."""
    size = LARGEST
    while size > SMALLEST and len(_rows(text, width, size)) * 1.3 * size > height - y - 1:
        size -= 0.1
    for i, row in enumerate(_rows(text, width, size)):
        yield _text(4, y + 1.3 * size * i, row, size)


def _rows(text: str, width: float, size: float) -> list[str]:
    return wrap(text, int(width / (WIDTH_REGULAR * size)))


def _fitting(text: str, width: float, size: float) -> float:
    """Return the size, or a smaller one at which bold text fits the width."""
    return min(size, width / (WIDTH_BOLD * max(1, len(text))))


def pad(rules: Ruleset, names: Sequence[str] = (), say: Translate = str) -> str:
    """Return a score pad as an SVG document: a column for each player, a line for each turn.

    Args:
        rules: The rules. Their title and target are printed at the top.
        names: Names of the players. There are at least four columns.
        say: Translates the texts.
    """
    width, height = PAD_MM
    n = max(4, len(names))
    column = (width - 10) / n
    length = say(match_length(rules.rounds, rules.target))
    room = width - 13 - WIDTH_REGULAR * 4 * len(length)
    parts = [_text(5, 9, rules.title, _fitting(rules.title, room, 4.5), bold=True)]
    parts.append(_text(width - 5, 9, length, 4, end=True))
    top, bottom, n_lines = 13.0, height - 5, 26
    step = (bottom - top) / n_lines
    parts += [
        _rule(5 + i * column, top, 5 + i * column, top + n_lines * step) for i in range(n + 1)
    ]
    parts += [_rule(5, top + i * step, width - 5, top + i * step) for i in range(n_lines + 1)]
    for i, name in enumerate(names):
        size = min(3.2, (column - 2) / (WIDTH_REGULAR * len(name)))
        parts += [_text(6 + i * column, top + 3.7, name, size)]
    return _svg(width, height, parts, size=("100%", "100%"))


def _die(face: int, x: float, y: float, size: float) -> str:
    half, pip = size / 2, 0.26 * size
    dots = "".join(
        f'<circle cx="{x + half + dx * pip:.2f}" cy="{y + half + dy * pip:.2f}" r="{0.1 * size:.2f}"/>'
        for dx, dy in _PIPS[face]
    )
    corner = f'rx="{0.18 * size:.2f}" fill="#fff" stroke="#000" stroke-width="0.2"'
    return f'<rect x="{x:.2f}" y="{y:.2f}" width="{size:.2f}" height="{size:.2f}" {corner}/>{dots}'


def _rule(x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<path d="M{x1:.2f} {y1:.2f}L{x2:.2f} {y2:.2f}" stroke="#888" stroke-width="0.2"/>'


def _text(
    x: float, y: float, text: str, size: float, *, bold: bool = False, end: bool = False
) -> str:
    weight = ' font-weight="700"' if bold else ""
    anchor = ' text-anchor="end"' if end else ""
    return f'<text x="{x:.2f}" y="{y:.2f}" font-size="{size:.2f}"{weight}{anchor}>{escape(text)}</text>'


def _svg(width: float, height: float, parts: Sequence[str], size: tuple[str, str]) -> str:
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{size[0]}" height="{size[1]}" '
        f'viewBox="0 0 {width} {height}" font-family="Helvetica, Arial, sans-serif">'
    )
    return "\n".join([head, '<rect width="100%" height="100%" fill="#fff"/>', *parts, "</svg>\n"])
