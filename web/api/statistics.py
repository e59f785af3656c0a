"""What all matches come to: each player's statistics, and whether the dice are fair."""

from typing import Any

from flask import Blueprint, Response

from game.names import clean_name
from game.stats.counts import DiceSetTotals
from game.stats.tally import Tally
from web.contracts.coach import Coach
from web.fields import Text
from web.pages.matches import RenderPage, require_coach, require_ready
from web.response import json_response
from web.route import Routes


def create_statistics_pages(show: RenderPage, coach: Coach | None) -> Blueprint:
    """The pages; without a coach they say that nothing is counted."""
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
    """The routes of players and dice."""
    routes = Routes("counted")

    @routes.reads("/players", "What each player did in all matches", refused=(404, 503))
    def players() -> Response:
        counts = require_ready(require_coach(coach).counts())
        return json_response([{"name": name} | tally_json(tally) for name, tally in counts.players])

    @routes.reads("/dice-sets", "How the dice of each set fell", refused=(404, 503))
    def dice_sets() -> Response:
        return json_response(
            [fallen_json(each) for each in require_ready(require_coach(coach).counts()).sets]
        )

    @routes.does("/dice-sets/new", "From the next match on other dice are thrown", {"name": Text()})
    def new_set(name: str) -> Response:
        cleaned = clean_name(name)
        require_coach(coach).start_dice_set(cleaned)
        return json_response({"name": cleaned})

    return routes


def tally_json(tally: Tally) -> dict[str, Any]:
    """One player's sums."""
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


def fallen_json(fallen: DiceSetTotals) -> dict[str, Any]:
    """One set of dice."""
    return {
        "name": fallen.dice.name,
        "matches": fallen.matches,
        "faces": list(fallen.fairness.counts),
        "chi_square": fallen.fairness.chi_square,
        "p": fallen.fairness.p,
        "verdict": str(fallen.fairness),
        "read": fallen.read,
        "corrected": fallen.corrected,
    }
