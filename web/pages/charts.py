"""Charts of a match as inline SVG, with colours from the style sheet of the page."""

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from math import ceil, floor, log10

from flask_babel import gettext

from game.match.match import Match, scores_by_turn
from game.odds.review import Review, ReviewedMoment
from web.i18n import percent, player_name, points

N_COLOURS = 10
"""Number of colours and of shapes. Together they distinguish twenty seats."""


def seat_colour(seat: int) -> int:
    """Return the number of a seat's colour."""
    return seat % N_COLOURS


def side_seats(match: Match) -> list[int]:
    """Return the seats whose colours and shapes mark the sides of a match."""
    state = match.state
    return [seat for seat in range(len(state.players)) if seat == state.team_seats(seat)[0]]


def seat_shape(seat: int) -> int:
    """Return the number of a seat's shape, shifted so that no other seat has the same colour and shape."""
    return (seat + seat // N_COLOURS) % N_COLOURS


WIDE, HIGH = 640, 260
LEFT, RIGHT, TOP, BOTTOM = 80, 16, 16, 28
BARS_HIGH = 160
GRID_LINES = 4
MARK = 20
NAME_WIDE, NAME_HIGH = 170, 24
"""Room for a name at the end of a line, in SVG units. On a phone the letters are larger."""

MAX_NAMES, MAX_NAME = 8, 10
"""Largest number of lines with a name, and of letters in a name."""


def score_curve(match: Match) -> str:
    """Return an SVG curve of every player's score over the turns, up to the target or the best score."""
    rows = scores_by_turn(match)
    top = max_score(match, rows)
    low = min(0, *(score for row in rows for score in row))
    sides = side_seats(match)
    has_names = len(rows) > 1 and len(sides) <= MAX_NAMES
    right = NAME_WIDE if has_names else RIGHT
    step = (WIDE - LEFT - right) / max(len(rows) - 1, 1)

    def y(score: int) -> float:
        return TOP + (HIGH - TOP - BOTTOM) * (top - score) / (top - low)

    lines = [_grid(y(score), points(score)) for score in _ticks(low, top)]
    for seat in sides:
        path = "L".join(f"{LEFT + i * step:.1f} {y(row[seat]):.1f}" for i, row in enumerate(rows))
        end = mark(seat, LEFT + (len(rows) - 1) * step, y(rows[-1][seat]), MARK)
        lines.append(
            f'<g class="seat-{seat_colour(seat)}"><path class="line" d="M{path}"/>{end}</g>'
        )
    if has_names:
        ends = {seat: y(rows[-1][seat]) for seat in sides}
        x = LEFT + (len(rows) - 1) * step + MARK
        lines += [
            f'<text class="named seat-{seat_colour(seat)}" x="{x:.1f}" y="{at + 5:.1f}">'
            f"{escape(_short_name(match, seat))}</text>"
            for seat, at in _spread(ends).items()
        ]
    return svg(HIGH, gettext("Scores turn by turn"), lines)


def _short_name(match: Match, seat: int) -> str:
    """Return the name at the end of a line: that of the player, or those of a team."""
    players = match.state.players
    name = " + ".join(player_name(players[each].name) for each in match.state.team_seats(seat))
    return name if len(name) <= MAX_NAME else f"{name[: MAX_NAME - 1].rstrip()}…"


def _spread(ends: Mapping[int, float]) -> dict[int, float]:
    """Return the y of each name, moved as far as needed so that no two names overlap."""
    seats = sorted(ends, key=lambda seat: ends[seat])
    found: dict[int, float] = {}
    least = float(TOP)
    for seat in seats:
        found[seat] = max(ends[seat], least)
        least = found[seat] + NAME_HIGH
    most = float(HIGH - MARK / 2)
    for seat in reversed(seats):
        found[seat] = min(found[seat], most)
        most = found[seat] - NAME_HIGH
    return found


def max_score(match: Match, rows: Sequence[Sequence[int]]) -> int:
    """Return the score at the top of a chart: the target or the best score, whichever is higher.

    Args:
        match: The match.
        rows: The scores of all seats after each turn.
    """
    target = 1 if match.rules.rounds else match.rules.target
    return max(target, *(score for row in rows for score in row))


def turn_bars(match: Match) -> str:
    """Return an SVG chart with a bar for each turn in the player's colour; a farkle is a short stub."""
    turns = match.state.turns
    top = max((turn.points for turn in turns), default=0) or 1
    step = (WIDE - LEFT - RIGHT) / max(len(turns), 12)
    floor = BARS_HIGH - BOTTOM

    def y(score: int) -> float:
        return TOP + (floor - TOP) * (1 - score / top)

    lines = [_grid(y(score), points(score)) for score in _ticks(0, top)]
    for i, turn in enumerate(turns):
        high = max(floor - y(max(turn.points, 0)), 3.0)
        kind = "bar-turn" if turn.points > 0 else "bar-turn none"
        seat = match.state.team_seats(turn.seat)[0]
        lines.append(
            f'<rect class="{kind} seat-{seat_colour(seat)}" x="{LEFT + i * step + 1:.1f}" '
            f'y="{floor - high:.1f}" width="{max(step - 2, 1):.1f}" height="{high:.1f}" rx="2"/>'
        )
        if step >= MARK:
            shape = mark(seat, LEFT + (i + 0.5) * step, floor + MARK * 0.65, MARK)
            lines.append(f'<g class="seat-{seat_colour(seat)}">{shape}</g>')
    return svg(BARS_HIGH, gettext("Points in each turn"), lines)


def mark(seat: int, x: float, y: float, size: float) -> str:
    """Return SVG elements that draw a player's shape on a disc of the player's colour.

    Args:
        seat: Seat of the player.
        x: x of the centre, in SVG units.
        y: y of the centre, in SVG units.
        size: Diameter, in SVG units.
    """
    inner = size * 0.8
    return (
        f'<circle class="end" cx="{x:.1f}" cy="{y:.1f}" r="{size / 2:.1f}"/>'
        f'<use href="#s{seat_shape(seat)}" x="{x - inner / 2:.1f}" y="{y - inner / 2:.1f}" '
        f'width="{inner:.1f}" height="{inner:.1f}"/>'
    )


def _ticks(low: int, top: int) -> range:
    """Return a few round numbers between two scores."""
    least = max((top - low) / GRID_LINES, 1)
    unit = 10 ** floor(log10(least))
    step = next(unit * n for n in (1, 2, 5, 10) if unit * n >= least)
    return range(ceil(low / step) * step, top + 1, step)


def _grid(y: float, label: str) -> str:
    """Return a horizontal SVG line and its label."""
    return (
        f'<path class="grid" d="M{LEFT} {y:.1f}H{WIDE - RIGHT}"/>'
        f'<text class="tick" x="{LEFT - 8}" y="{y + 4:.1f}">{label}</text>'
    )


def svg(high: int, title: str, lines: list[str]) -> str:
    """Return an SVG drawing, as wide as the page, that contains the given elements.

    Args:
        high: Height, in SVG units.
        title: Label for screen readers.
        lines: SVG elements.
    """
    return (
        f'<svg class="chart" viewBox="0 0 {WIDE} {high}" role="img" aria-label="{title}">'
        f"{''.join(lines)}</svg>"
    )


def rating_curve(ratings: Sequence[tuple[float, float]], bots: Mapping[str, float]) -> str:
    """Return an SVG curve of a player's rating after each match, in a band as wide as its uncertainty.

    Args:
        ratings: The rating after each match, and its uncertainty, in points of Elo.
        bots: The ratings of the bots by their names, which are drawn as horizontal lines.
    """
    low = min(*bots.values(), *(rating - error for rating, error in ratings))
    high = max(*bots.values(), *(rating + error for rating, error in ratings))
    step = (WIDE - RIGHT - NAME_WIDE) / max(len(ratings) - 1, 1)

    def y(rating: float) -> float:
        return TOP + NAME_HIGH + (HIGH - 2 * TOP - NAME_HIGH) * (high - rating) / (high - low)

    def path(values: Iterable[float]) -> list[str]:
        return [f"{RIGHT + i * step:.1f} {y(value):.1f}" for i, value in enumerate(values)]

    above, below = (path(rating + sign * error for rating, error in ratings) for sign in (1, -1))
    x, end = RIGHT + (len(ratings) - 1) * step, y(ratings[-1][0])
    lines = [
        f'<path class="area" d="M{"L".join([*above, *reversed(below)])}Z"/>',
        *(
            f'<path class="grid" d="M{RIGHT} {y(rating):.1f}H{WIDE - RIGHT}"/>'
            f'<text class="tick" x="{WIDE - RIGHT}" y="{y(rating) - 6:.1f}">{escape(name)}</text>'
            for name, rating in bots.items()
        ),
        f'<path class="line" d="M{"L".join(path(rating for rating, _ in ratings))}"/>',
        f'<circle class="end" cx="{x:.1f}" cy="{end:.1f}" r="{MARK / 2}"/>',
    ]
    return svg(HIGH, gettext("Rating after each match against a bot"), lines)


HALF = 0.5


def win_curve(match: Match, review: Review) -> str:
    """Return an SVG chart of the chances of winning, at the start of each turn and at the end of a match.

    Args:
        match: The match.
        review: The coach's review of the match; the result is "" if it contains no chances.
    """
    if not review.curve:
        return ""
    lines = [_grid(_y(chance), percent(chance)) for chance in (0.0, HALF, 1.0)]
    if review.of_two:
        lines.append(_between_two(match, review))
    else:
        lines += [_line(match, review, seat) for seat in side_seats(match)]
    if point := review.turning_point:
        lines.append(_turning_point(review, point))
    return svg(HIGH, gettext("Chances of winning, turn by turn"), lines)


def _points(match: Match, review: Review, seat: int) -> list[tuple[float, float]]:
    """Return, for each point on a player's line, its x in SVG units and the chance of winning."""
    found = []
    seats = match.state.team_seats(seat)
    for i, standing in enumerate(review.curve):
        if standing.seat in seats:
            found.append((_x(i, review), standing.win))
        elif review.of_two:
            found.append((_x(i, review), 1 - standing.win))
    if match.state.winner is not None:
        won = match.state.winner in seats
        found.append((_x(len(review.curve), review), float(won)))
    return found


def _between_two(match: Match, review: Review) -> str:
    """Return SVG elements that draw the first player's chance of winning as a curve.

    The area between the curve and one half has the colour of the player who is more likely to win.
    """
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
    """Return a vertical SVG line at the turn that contains the turning point."""
    before = sum(standing.event <= point.event for standing in review.curve)
    x = _x(before - HALF, review)
    return f'<path class="turning" d="M{x:.1f} {TOP}V{HIGH - BOTTOM}"/>'


def _path(points: list[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{x:.1f} {_y(chance):.1f}" for x, chance in points)


def _x(i: float, review: Review) -> float:
    return LEFT + (WIDE - LEFT - RIGHT) * i / len(review.curve)


def _y(chance: float) -> float:
    return TOP + (HIGH - TOP - BOTTOM) * (1 - chance)
