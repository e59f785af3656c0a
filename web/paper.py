"""The rules in sentences; the scoring card and the score pad of those in force, to print."""

from flask import Blueprint, Response, abort, render_template

from game.ruleset import Ruleset
from game.sentences import sentences
from game.sheet import card, pad
from web.table import Table


def create_paper(table: Table, offered: tuple[Ruleset, ...]) -> Blueprint:
    """The blueprint of what is printed or read; the first rules hold while there is no match."""
    paper = Blueprint("paper", __name__)

    def rules() -> Ruleset:
        match = table.snapshot().match
        return match.rules if match else offered[0]

    @paper.get("/rules/<name>")
    def explained(name: str) -> str:
        shown = next((each for each in offered if each.name == name), None) or abort(404)
        return render_template("rules.html", shown=shown, lines=sentences(shown))

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
