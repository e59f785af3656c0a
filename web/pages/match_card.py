"""The result of a match as a picture to share: a self-contained SVG."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from flask_babel import gettext, ngettext

from game.journal.entry import Result
from game.match.match import Match
from game.match.timeline import scores_by_turn
from web.i18n.languages import points
from web.i18n.translate import match_length, player_name
from web.pages.charts import N_COLOURS, max_score, side_seats
from web.pages.sides import Side, standings

WIDE, HIGH = 1200, 630
"""Size of the picture in pixels. Messengers do not crop a preview of this size."""

COLOURS = (
    "#b0361b", "#1d5aa6", "#6d40a8", "#0d6a73", "#a52c68",
    "#855500", "#4b5867", "#566410", "#3b47a8", "#774732",
)  # fmt: skip
"""The seat colours of board.css on a light background."""

PAPER, CARD, INK, SOFT, LINE, FELT = (
    "#f4efe6",
    "#fffdf8",
    "#221d17",
    "#665b4d",
    "#e2d9c9",
    "#0e6b4f",
)
FONT = "ui-rounded, 'SF Pro Rounded', 'Segoe UI', Roboto, 'Noto Sans', system-ui, sans-serif"
MAX_ROWS = 8
"""How many players fit on the card, the best first. If there are more, the last row says how many are left out."""

LEFT, TOP, BOTTOM, MAX_ROW_HEIGHT = 72, 220, 528, 58
NAME_WIDTH = 376
"""Width of a row between the side's coloured disc and its points."""

WIDTH_PER_SIZE = 0.6
"""Width of an average bold letter as a share of the font size, in the widest common fonts."""

CURVE_LEFT, CURVE_RIGHT, CURVE_TOP, CURVE_BOTTOM = 700, 1128, 236, 516


def card(match: Match, when: str) -> str:
    """Return the card that shows the result of a match, as SVG.

    Args:
        match: The match.
        when: The date in words, or "".
    """
    frame = (
        f'<rect width="{WIDE}" height="{HIGH}" fill="{PAPER}"/>'
        f'<rect x="36" y="36" width="{WIDE - 72}" height="{HIGH - 72}" rx="36" fill="{CARD}" '
        f'stroke="{LINE}" stroke-width="2"/>'
    )
    title, below = _title(match), _below(match, when)
    parts = [
        frame,
        _text(LEFT, 132, title, size=_fitting(title, 64, WIDE - 2 * LEFT), weight=800),
        _text(LEFT, 182, below, size=_fitting(below, 26, WIDE - 2 * LEFT), colour=SOFT),
        *_draw_rows(_card_rows(standings(Result.of(match)))),
        _curve(match),
        _text(LEFT, HIGH - 68, "Traykeeper", size=26, weight=750, colour=FELT),
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE} {HIGH}" width="{WIDE}" '
        f'height="{HIGH}" font-family="{FONT}" role="img">{"".join(parts)}</svg>'
    )


def _title(match: Match) -> str:
    state = match.state
    if state.winner is None:
        return str(gettext("The match so far"))
    return str(gettext("%(name)s wins", name=player_name(state.players[state.winner].name)))


def _below(match: Match, when: str) -> str:
    rules = match.rules
    length = match_length(rules.title, rules.target, rules.rounds)
    turns = ngettext("one turn", "%(num)s turns", len(match.state.turns))
    return " · ".join(filter(None, (length, str(turns), when)))


@dataclass(frozen=True, slots=True)
class CardRow:
    """A row of the picture, with the name of one player.

    Attributes:
        side: The player, or the player's team; it decides the colour and weight of the row.
        name: Name of the player.
        is_first: Whether this is the first row of its side, which also shows the side's coloured disc and score.
        leads: Whether the side has won or leads.
    """

    side: Side
    name: str
    is_first: bool
    leads: bool


def _card_rows(ranked: Sequence[Side]) -> list[CardRow]:
    return [
        CardRow(side, player_name(name), is_first=not i, leads=side.has_won or side is ranked[0])
        for side in ranked
        for i, name in enumerate(side.names)
    ]


def _draw_rows(rows: Sequence[CardRow]) -> list[str]:
    """Return the rows as SVG elements of one size. If there are too many, the last row says how many are left out."""
    shown = rows if len(rows) <= MAX_ROWS else rows[: MAX_ROWS - 1]
    height = min(MAX_ROW_HEIGHT, (BOTTOM - TOP) / min(len(rows), MAX_ROWS))
    longest = max((row.name for row in shown), key=len)
    size = _fitting(longest, round(0.6 * height), NAME_WIDTH)
    drawn = [_draw_row(row, TOP + (i + 0.5) * height, height, size) for i, row in enumerate(shown)]
    if rest := len(rows) - len(shown):
        more = str(gettext("and %(n)s more", n=rest))
        y = TOP + (len(shown) + 0.5) * height
        drawn.append(_text(LEFT, y + 0.36 * size, more, size=size, colour=SOFT))
    return drawn


def _draw_row(row: CardRow, y: float, height: float, size: int) -> str:
    """Return the SVG elements of a row whose middle is at `y`."""
    radius, weight = 0.36 * height, 800 if row.leads else 600
    base = y + 0.36 * size
    name = _text(LEFT + 2 * radius + 16, base, row.name, size=size, weight=weight)
    if not row.is_first:
        return name
    score = points(row.side.score)
    colour, initial = COLOURS[row.side.seat % N_COLOURS], round(1.1 * radius)
    return (
        f'<circle cx="{LEFT + radius:.1f}" cy="{y:.1f}" r="{radius:.1f}" fill="{colour}"/>'
        + _text(
            LEFT + radius,
            y + 0.36 * initial,
            row.name[:1].upper(),
            size=initial,
            colour="#fff",
            anchor="middle",
        )
        + name
        + _text(CURVE_LEFT - 60, base, score, size=size, weight=weight, anchor="end")
    )


def _curve(match: Match) -> str:
    """Return SVG elements that draw every player's score over the turns as a curve."""
    rows = scores_by_turn(match)
    top = max_score(match, rows)
    step = (CURVE_RIGHT - CURVE_LEFT) / max(len(rows) - 1, 1)

    def y(score: int) -> float:
        return CURVE_BOTTOM - (CURVE_BOTTOM - CURVE_TOP) * max(score, 0) / top

    lines = [f'<path d="M{CURVE_LEFT} {y(0):.1f}H{CURVE_RIGHT}" stroke="{LINE}" stroke-width="2"/>']
    for seat in side_seats(match):
        path = "L".join(
            f"{CURVE_LEFT + i * step:.1f} {y(row[seat]):.1f}" for i, row in enumerate(rows)
        )
        lines.append(
            f'<path d="M{path}" fill="none" stroke="{COLOURS[seat % N_COLOURS]}" '
            'stroke-width="6" stroke-linejoin="round" stroke-linecap="round"/>'
        )
    return "".join(lines)


def _fitting(text: str, size: int, width: int) -> int:
    """Return the font size, or a smaller one at which the text fits the width."""
    return min(size, int(width / (WIDTH_PER_SIZE * max(len(text), 1))))


def _text(
    x: float,
    y: float,
    text: str,
    *,
    size: int,
    weight: int = 500,
    colour: str = INK,
    anchor: str = "start",
) -> str:
    return (
        f'<text x="{x:.0f}" y="{y:.0f}" font-size="{size}" font-weight="{weight}" fill="{colour}" '
        f'text-anchor="{anchor}">{escape(text)}</text>'
    )
