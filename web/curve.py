"""The score curve and the turn bars of a match, as SVG that takes its colours from the page."""

from collections.abc import Callable

from flask_babel import gettext

from game.match import Match
from web.languages import points
from web.seats import seat_colour, seat_shape
from web.story import scores_by_turn

WIDE, HIGH = 640, 260
LEFT, RIGHT, TOP, BOTTOM = 80, 16, 16, 28
BARS_HIGH = 160
GRID_LINES = 4
MARK = 20


def score_curve(match: Match) -> str:
    """Every player's score over the turns, up to the target or the best score."""
    rows = scores_by_turn(match)
    top = max(match.rules.target, *(score for row in rows for score in row))
    low = min(0, *(score for row in rows for score in row))
    step = (WIDE - LEFT - RIGHT) / max(len(rows) - 1, 1)

    def y(score: int) -> float:
        return TOP + (HIGH - TOP - BOTTOM) * (top - score) / (top - low)

    lines = [_grid(round(low + (top - low) * i / GRID_LINES), y) for i in range(GRID_LINES + 1)]
    for seat in range(len(match.state.players)):
        path = "L".join(f"{LEFT + i * step:.1f} {y(row[seat]):.1f}" for i, row in enumerate(rows))
        end = mark(seat, LEFT + (len(rows) - 1) * step, y(rows[-1][seat]), MARK)
        lines.append(
            f'<g class="seat-{seat_colour(seat)}"><path class="line" d="M{path}"/>{end}</g>'
        )
    return svg(HIGH, gettext("Scores over the turns"), lines)


def turn_bars(match: Match) -> str:
    """What every turn brought, in the colour of who played it; a farkle is a stub."""
    turns = match.state.turns
    top = max((turn.points for turn in turns), default=0) or 1
    step = (WIDE - LEFT - RIGHT) / max(len(turns), 12)
    floor = BARS_HIGH - BOTTOM

    def y(score: int) -> float:
        return TOP + (floor - TOP) * (1 - score / top)

    lines = [_grid(0, y), _grid(top, y)]
    for i, turn in enumerate(turns):
        high = max(floor - y(max(turn.points, 0)), 3.0)
        kind = "bar-turn" if turn.points > 0 else "bar-turn none"
        lines.append(
            f'<rect class="{kind} seat-{seat_colour(turn.seat)}" x="{LEFT + i * step + 1:.1f}" '
            f'y="{floor - high:.1f}" width="{max(step - 2, 1):.1f}" height="{high:.1f}" rx="2"/>'
        )
        if step >= MARK:
            shape = mark(turn.seat, LEFT + (i + 0.5) * step, floor + MARK * 0.65, MARK)
            lines.append(f'<g class="seat-{seat_colour(turn.seat)}">{shape}</g>')
    return svg(BARS_HIGH, gettext("Points of every turn"), lines)


def mark(seat: int, x: float, y: float, size: float) -> str:
    """The player's shape on the player's colour."""
    inner = size * 0.8
    return (
        f'<circle class="end" cx="{x:.1f}" cy="{y:.1f}" r="{size / 2:.1f}"/>'
        f'<use href="#s{seat_shape(seat)}" x="{x - inner / 2:.1f}" y="{y - inner / 2:.1f}" '
        f'width="{inner:.1f}" height="{inner:.1f}"/>'
    )


def _grid(score: int, y: Callable[[int], float]) -> str:
    at = y(score)
    return (
        f'<path class="grid" d="M{LEFT} {at:.1f}H{WIDE - RIGHT}"/>'
        f'<text class="tick" x="{LEFT - 8}" y="{at + 4:.1f}">{points(score)}</text>'
    )


def svg(high: int, title: str, lines: list[str]) -> str:
    """A drawing as wide as the page."""
    return (
        f'<svg class="chart" viewBox="0 0 {WIDE} {high}" role="img" aria-label="{title}">'
        f"{''.join(lines)}</svg>"
    )
