"""The result of a match as a picture to share: a self-contained SVG."""

from html import escape

from flask_babel import gettext, ngettext

from game.journal.entry import Result
from game.match.match import Match
from game.match.state import Player
from game.match.timeline import scores_by_turn
from web.i18n.languages import points
from web.i18n.translate import match_length, player_name
from web.pages.charts import N_COLOURS, max_score

WIDE, HIGH = 1200, 630
"""The size of a preview that messengers do not crop."""

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
MAX_ROWS = 6
"""Players who fit on the card, the best first."""

MAX_NAME = 14
LEFT, TOP, ROW = 72, 236, 58
CURVE_LEFT, CURVE_RIGHT, CURVE_TOP, CURVE_BOTTOM = 700, 1128, 236, 516


def card(match: Match, when: str) -> str:
    """Draw the card.

    Args:
        match: The match.
        when: The date in words, or "".
    """
    rows = [_row(i, *each) for i, each in enumerate(_ranked(match)[:MAX_ROWS])]
    frame = (
        f'<rect width="{WIDE}" height="{HIGH}" fill="{PAPER}"/>'
        f'<rect x="36" y="36" width="{WIDE - 72}" height="{HIGH - 72}" rx="36" fill="{CARD}" '
        f'stroke="{LINE}" stroke-width="2"/>'
    )
    parts = [
        frame,
        _text(LEFT, 132, _title(match), size=64, weight=800),
        _text(LEFT, 182, _below(match, when), size=26, colour=SOFT),
        *rows,
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
    return str(gettext("%(name)s wins", name=_short(player_name(state.players[state.winner].name))))


def _below(match: Match, when: str) -> str:
    rules = match.rules
    length = match_length(rules.title, rules.target, rules.rounds)
    turns = ngettext("one turn", "%(num)s turns", len(match.state.turns))
    return " · ".join(filter(None, (length, str(turns), when)))


def _ranked(match: Match) -> list[tuple[int, Player, bool]]:
    """Return seat, player, and whether the player won or leads: winners first, then by points."""
    result = Result.of(match)
    first = [(not result.has_won(seat), -score) for seat, score in enumerate(result.scores)]
    seats = sorted(range(len(first)), key=lambda seat: first[seat])
    leads = {seats[0], *filter(result.has_won, seats)}
    return [(seat, match.state.players[seat], seat in leads) for seat in seats]


def _row(i: int, seat: int, player: Player, leads: bool) -> str:  # noqa: FBT001
    y = TOP + i * ROW
    colour = COLOURS[seat % N_COLOURS]
    weight = 800 if leads else 600
    return (
        f'<circle cx="{LEFT + 20}" cy="{y + 20}" r="20" fill="{colour}"/>'
        + _text(
            LEFT + 20,
            y + 29,
            player_name(player.name)[:1].upper(),
            size=24,
            colour="#fff",
            anchor="middle",
        )
        + _text(LEFT + 60, y + 32, _short(player_name(player.name)), size=34, weight=weight)
        + _text(CURVE_LEFT - 60, y + 32, points(player.score), size=34, weight=weight, anchor="end")
    )


def _curve(match: Match) -> str:
    """Draw every player's score over the turns."""
    rows = scores_by_turn(match)
    top = max_score(match, rows)
    step = (CURVE_RIGHT - CURVE_LEFT) / max(len(rows) - 1, 1)

    def y(score: int) -> float:
        return CURVE_BOTTOM - (CURVE_BOTTOM - CURVE_TOP) * max(score, 0) / top

    lines = [f'<path d="M{CURVE_LEFT} {y(0):.1f}H{CURVE_RIGHT}" stroke="{LINE}" stroke-width="2"/>']
    for seat in range(len(match.state.players)):
        path = "L".join(
            f"{CURVE_LEFT + i * step:.1f} {y(row[seat]):.1f}" for i, row in enumerate(rows)
        )
        lines.append(
            f'<path d="M{path}" fill="none" stroke="{COLOURS[seat % N_COLOURS]}" '
            'stroke-width="6" stroke-linejoin="round" stroke-linecap="round"/>'
        )
    return "".join(lines)


def _short(name: str) -> str:
    return name if len(name) <= MAX_NAME else f"{name[: MAX_NAME - 1]}…"


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
