"""The chance to win over a match as SVG: between two players one line, with more one for each."""

from flask_babel import gettext

from game.match import Match
from game.odds.review import Review, ReviewedMoment
from web.curve import BOTTOM, HIGH, LEFT, MARK, RIGHT, TOP, WIDE, mark, svg
from web.languages import percent
from web.seats import seat_colour

HALF = 0.5


def win_curve(match: Match, review: Review) -> str:
    """The chances at the beginning of each turn, and at the end where somebody has won."""
    if not review.curve:
        return ""
    lines = [_grid(chance) for chance in (0.0, HALF, 1.0)]
    if review.of_two:
        lines.append(_between_two(match, review))
    else:
        lines += [_line(match, review, seat) for seat in range(len(match.state.players))]
    if point := review.turning_point:
        lines.append(_turning_point(review, point))
    return svg(HIGH, gettext("Chance to win, turn by turn"), lines)


def _points(match: Match, review: Review, seat: int) -> list[tuple[float, float]]:
    """Where the line of this player goes: x and the chance."""
    found = []
    for i, standing in enumerate(review.curve):
        if standing.seat == seat:
            found.append((_x(i, review), standing.win))
        elif review.of_two:
            found.append((_x(i, review), 1 - standing.win))
    if match.state.winner is not None:
        won = seat in match.state.mates(match.state.winner)
        found.append((_x(len(review.curve), review), float(won)))
    return found


def _between_two(match: Match, review: Review) -> str:
    """The first player's chance; what is above the middle is in that player's colour."""
    points = _points(match, review, 0)
    path = _path(points)
    first, second = (f"seat-{seat_colour(seat)}" for seat in (0, 1))
    area = f"{path}V{_y(HALF):.1f}H{points[0][0]:.1f}Z"
    middle = _y(HALF)
    return (
        f'<clipPath id="above"><rect width="{WIDE}" height="{middle:.1f}"/></clipPath>'
        f'<clipPath id="below"><rect y="{middle:.1f}" width="{WIDE}" height="{HIGH}"/></clipPath>'
        f'<g class="{first}"><path class="area" clip-path="url(#above)" d="{area}"/>'
        f"{mark(0, LEFT + MARK * 0.9, _y(1.0) + MARK * 0.9, MARK)}</g>"
        f'<g class="{second}"><path class="area" clip-path="url(#below)" d="{area}"/>'
        f"{mark(1, LEFT + MARK * 0.9, _y(0.0) - MARK * 0.9, MARK)}</g>"
        f'<path class="chance" d="{path}"/>'
    )


def _line(match: Match, review: Review, seat: int) -> str:
    points = _points(match, review, seat)
    if not points:
        return ""
    end = mark(seat, points[-1][0], _y(points[-1][1]), MARK)
    return f'<g class="seat-{seat_colour(seat)}"><path class="line" d="{_path(points)}"/>{end}</g>'


def _turning_point(review: Review, point: ReviewedMoment) -> str:
    """A line at the turn in which it happened."""
    before = sum(standing.event <= point.event for standing in review.curve)
    x = _x(before - HALF, review)
    return f'<path class="turning" d="M{x:.1f} {TOP}V{HIGH - BOTTOM}"/>'


def _path(points: list[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{x:.1f} {_y(chance):.1f}" for x, chance in points)


def _x(i: float, review: Review) -> float:
    return LEFT + (WIDE - LEFT - RIGHT) * i / len(review.curve)


def _y(chance: float) -> float:
    return TOP + (HIGH - TOP - BOTTOM) * (1 - chance)


def _grid(chance: float) -> str:
    y = _y(chance)
    return (
        f'<path class="grid" d="M{LEFT} {y:.1f}H{WIDE - RIGHT}"/>'
        f'<text class="tick" x="{LEFT - 8}" y="{y + 4:.1f}">{percent(chance)}</text>'
    )
