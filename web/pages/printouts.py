"""The rules in sentences; the scoring card and the score pad of those in force, to print."""

from collections.abc import Iterator, Sequence

from flask import Blueprint, Response, abort, render_template

from game.message import Message
from game.rules import scoring
from game.rules.rule_options import OPTIONS
from game.rules.ruleset import FACES, Dice, Ruleset
from game.rules.score_card import card, pad
from game.rules.sentences import sentences
from web.contracts.table import Table
from web.i18n.translate import player_name, translate


def create_printouts(table: Table, offered: tuple[Ruleset, ...]) -> Blueprint:
    """The blueprint of what is printed or read; the first rules hold while there is no match."""
    paper = Blueprint("paper", __name__)

    def rules() -> Ruleset:
        match = table.snapshot().match
        return match.rules if match else offered[0]

    def on_offer(name: str) -> Ruleset | None:
        return next((each for each in offered if each.name == name), None)

    @paper.get("/rules")
    def in_force() -> str:
        """Those of the match, and what is published otherwise."""
        shown = rules()
        return _explained(shown, sentences(on_offer(shown.name) or shown))

    @paper.get("/rules/<name>")
    def explained(name: str) -> str:
        return _explained(on_offer(name) or abort(404))

    @paper.get("/card.svg")
    def scoring_card() -> Response:
        return _svg(card(rules(), translate))

    @paper.get("/pad.svg")
    def score_pad() -> Response:
        match = table.snapshot().match
        players = match.state.players if match else ()
        return _svg(pad(rules(), [player_name(player.name) for player in players], translate))

    return paper


def _explained(shown: Ruleset, published: Sequence[Message] = ()) -> str:
    """`published` are the sentences that rules in force are compared with."""
    return render_template(
        "rules.html",
        shown=shown,
        lines=sentences(shown),
        combos=list(_pictured(shown)),
        published=published,
    )


def _pictured(rules: Ruleset) -> Iterator[tuple[Dice, int]]:
    """Dice that score, and what they bring: a picture instead of a sentence."""
    shapes = (row.shape.shown for row in OPTIONS if row.shape and getattr(rules, row.name))
    alike = ((face,) * n for n in (1, 3) for face in FACES)
    many = ((max(FACES),) * n for n in range(4, rules.n_dice + 1))
    table = scoring.keep_table(rules)
    for dice in (*alike, *many, *shapes):
        whole = (keep.score for keep in table[tuple(sorted(dice))] if len(keep.dice) == len(dice))
        if points := next(whole, 0):
            yield dice, points


def _svg(text: str) -> Response:
    return Response(text, headers={"Cache-Control": "no-store"}, mimetype="image/svg+xml")
