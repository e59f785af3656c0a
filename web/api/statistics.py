"""The pages and the API of the statistics over all matches: players, and fairness of the dice."""

from typing import Any

from flask import Blueprint, Response

from game.names import clean_name
from game.stats.counts import DiceSetTotals
from game.stats.tally import Tally
from web.contracts.coach import Coach
from web.fields import text
from web.pages.matches import RenderPage, require_coach, require_ready
from web.response import json_response
from web.route import Routes


def create_statistics_pages(show: RenderPage, coach: Coach | None) -> Blueprint:
    """Create the pages of the statistics.

    Args:
        show: Renders a page from a template.
        coach: Counts the matches; if it is None, the pages say that nothing is counted.
    """
    pages = Blueprint("statistics", __name__)

    def page(template: str) -> Response:
        counts = coach.counts() if coach else None
        return show(template, counts=counts, waits=coach and counts is None)

    @pages.get("/players")
    def players() -> Response:
        return page("players.html")

    @pages.get("/dice")
    def dice() -> Response:
        return page("dice.html")

    return pages


def create_statistics(coach: Coach | None) -> Routes:
    """Create the routes for players and dice sets. If `coach` is None, every request is refused."""
    routes = Routes("counted")

    @routes.read("/players", "What each player did in all matches", errors=(404, 503))
    def players() -> Response:
        counts = require_ready(require_coach(coach).counts())
        return json_response([{"name": name} | tally_json(tally) for name, tally in counts.players])

    @routes.read("/dice-sets", "How often each face of each dice set came up", errors=(404, 503))
    def dice_sets() -> Response:
        counts = require_ready(require_coach(coach).counts())
        return json_response([dice_set_json(each) for each in counts.sets])

    @routes.command("/dice-sets/new", "Use another dice set from the next match", {"name": text()})
    def new_set(name: str) -> Response:
        cleaned = clean_name(name)
        require_coach(coach).start_dice_set(cleaned)
        return json_response({"name": cleaned})

    return routes


def tally_json(tally: Tally) -> dict[str, Any]:
    """Return one player's totals as JSON."""
    return {
        "matches": tally.matches,
        "won": tally.won,
        "turns": tally.turns,
        "banks": tally.banks,
        "average_bank": tally.average_bank,
        "average_turn": tally.average_turn,
        "throws": tally.throws,
        "farkles": tally.farkles,
        "farkle_rate": tally.farkle_rate,
        "expected_rate": tally.expected_rate,
        "hot_dice": tally.hot,
        "best_turn": tally.best_turn,
        "comeback": tally.comeback,
    }


def dice_set_json(totals: DiceSetTotals) -> dict[str, Any]:
    """Return the totals of one dice set as JSON."""
    return {
        "name": totals.dice.name,
        "matches": totals.matches,
        "faces": list(totals.fairness.counts),
        "chi_square": totals.fairness.chi_square,
        "p": totals.fairness.p,
        "verdict": str(totals.fairness),
        "read": totals.read,
        "corrected": totals.corrected,
    }
