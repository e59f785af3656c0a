"""The pages with the rules in words, and the printable scoring card and score pad."""

from collections.abc import Iterator, Sequence

from flask import Blueprint, Response, abort, render_template

from game.journal.entry import Result
from game.message import Message
from game.rules import scoring
from game.rules.rule_options import OPTIONS, sentences
from game.rules.ruleset import FACES, Dice, Ruleset
from game.rules.score_card import card, pad
from web.contracts import Table
from web.i18n import translate
from web.pages.templates import side_name, standings
from web.response import SVG, fresh


def create_printouts(table: Table, offered: tuple[Ruleset, ...]) -> Blueprint:
    """Create the blueprint for the rules and printouts.

    Args:
        table: The table whose match decides which rules are shown.
        offered: All rule sets; the first one is shown if there is no match.
    """
    pages = Blueprint("paper", __name__)

    def rules() -> Ruleset:
        match = table.snapshot().match
        return match.rules if match else offered[0]

    def offered_rules(name: str) -> Ruleset | None:
        return next((each for each in offered if each.name == name), None)

    @pages.get("/rules")
    def current() -> str:
        """Show the rules of the match and where they differ from the published ones."""
        shown = rules()
        return _rules_page(shown, sentences(offered_rules(shown.name) or shown))

    @pages.get("/rules/<name>")
    def one(name: str) -> str:
        return _rules_page(offered_rules(name) or abort(404))

    @pages.get("/card.svg")
    def scoring_card() -> Response:
        return fresh(card(rules(), translate), SVG)

    @pages.get("/pad.svg")
    def score_pad() -> Response:
        match = table.snapshot().match
        sides = standings(Result.of(match)) if match else []
        names = [side_name(side) for side in sorted(sides, key=lambda side: side.seat)]
        return fresh(pad(rules(), names, translate), SVG)

    return pages


def _rules_page(shown: Ruleset, published: Sequence[Message] = ()) -> str:
    """Render the rules; sentences that are not in `published` are marked as house rules."""
    return render_template(
        "rules.html",
        shown=shown,
        lines=sentences(shown),
        combos=list(_scoring_dice(shown)),
        published=published,
    )


def _scoring_dice(rules: Ruleset) -> Iterator[tuple[Dice, int]]:
    """Yield the scoring combinations that are shown as dice, with their points."""
    shapes = (row.shape.shown for row in OPTIONS if row.shape and getattr(rules, row.name))
    alike = ((face,) * n for n in (1, 3) for face in FACES)
    many = ((max(FACES),) * n for n in range(4, rules.n_dice + 1))
    table = scoring.keep_table(rules)
    for dice in (*alike, *many, *shapes):
        whole = (keep.score for keep in table[tuple(sorted(dice))] if len(keep.dice) == len(dice))
        if points := next(whole, 0):
            yield dice, points
