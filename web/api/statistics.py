"""What all matches come to: each player's statistics, and whether the dice are fair."""

from typing import Any

from flask import Blueprint, Response, request

from game.names import clean_name
from game.stats.counts import Fallen
from game.stats.tally import Tally
from web.contracts.coach import Coach
from web.pages.matches import Show, known, working
from web.request import RequestBody
from web.response import json_answer


def create_counted(show: Show, coach: Coach | None) -> Blueprint:
    """The blueprint; without a coach the pages say that nothing is counted."""
    counted = Blueprint("counted", __name__)
    _add_pages(counted, show, coach)
    _add_api(counted, coach)
    return counted


def _add_pages(counted: Blueprint, show: Show, coach: Coach | None) -> None:
    def page(template: str) -> Response:
        counts = coach.counts() if coach else None
        return show(template, counts=counts, waits=coach and counts is None)

    @counted.get("/players")
    def players() -> Response:
        return page("players.html")

    @counted.get("/dice")
    def dice() -> Response:
        return page("dice.html")


def _add_api(counted: Blueprint, coach: Coach | None) -> None:
    @counted.get("/api/v1/players")
    def players_json() -> Response:
        counts = known(working(coach).counts())
        return json_answer([{"name": name} | tally_json(tally) for name, tally in counts.players])

    @counted.get("/api/v1/dice-sets")
    def sets_json() -> Response:
        return json_answer([fallen_json(each) for each in known(working(coach).counts()).sets])

    @counted.post("/api/v1/dice-sets/new")
    def new_set() -> Response:
        name = clean_name(RequestBody.of(request, "name").text("name"))
        working(coach).new_dice(name)
        return json_answer({"name": name})


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


def fallen_json(fallen: Fallen) -> dict[str, Any]:
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
