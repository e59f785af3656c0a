"""The scoring card and the score pad of the rules in force, to print."""

from flask import Blueprint, Response

from game.ruleset import Ruleset
from game.sheet import card, pad
from web.table import Table


def create_paper(table: Table, usual: Ruleset) -> Blueprint:
    """The blueprint of what is printed; `usual` are the rules while there is no match."""
    paper = Blueprint("paper", __name__)

    def rules() -> Ruleset:
        match = table.snapshot().match
        return match.rules if match else usual

    @paper.get("/card.svg")
    def scoring_card() -> Response:
        return _svg(card(rules()))

    @paper.get("/pad.svg")
    def score_pad() -> Response:
        match = table.snapshot().match
        players = match.state.players if match else ()
        return _svg(pad(rules(), [player.name for player in players]))

    return paper


def _svg(text: str) -> Response:
    return Response(text, headers={"Cache-Control": "no-store"}, mimetype="image/svg+xml")
