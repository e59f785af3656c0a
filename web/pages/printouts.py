"""The pages with the rules in words, and the printable scoring card and score pad."""

from collections.abc import Iterator, Sequence

from flask import Blueprint, Response, abort, render_template, request
from flask_babel import gettext

from game.journal.entry import Result
from game.message import Message
from game.rules import scoring
from game.rules.rule_options import OPTIONS, SECTIONS, sentences
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
        published = sentences(offered_rules(shown.name) or shown)
        return _rules_page(shown, published, has_index=True)

    @pages.get("/rules/compare")
    def compare() -> str:
        """Show where two rule sets differ, side by side."""
        names = (request.args.get("a", rules().name), request.args.get("b", offered[-1].name))
        first, second = (offered_rules(name) or abort(404) for name in names)
        return render_template(
            "compare.html",
            sets=(first, second),
            combos=_points_of_both(first, second),
            differing=_differing(first, second),
            same=[line for line in sentences(first) if line in sentences(second)],
        )

    @pages.get("/rules/<name>")
    def one(name: str) -> str:
        return _rules_page(offered_rules(name) or abort(404))

    @pages.get("/card")
    def card_page() -> str:
        """Show the scoring card with a button to print it."""
        hint = gettext("Print it at full size, and cut it out. It is the size of a business card.")
        return render_template(
            "printout.html",
            title=gettext("Scoring card"), hint=hint, shown=rules(), drawing="/card.svg",
        )  # fmt: skip

    @pages.get("/pad")
    def pad_page() -> str:
        """Show the score pad with a button to print it."""
        hint = gettext("Print it to keep score on paper, with a column for each player.")
        return render_template(
            "printout.html",
            title=gettext("Score pad"), hint=hint, shown=rules(), drawing="/pad.svg",
        )  # fmt: skip

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


def _points_of_both(first: Ruleset, second: Ruleset) -> list[tuple[Dice, tuple[int, int]]]:
    """Return the combinations that score in either rule set, and their points in both."""
    of_first, of_second = dict(_scoring_dice(first)), dict(_scoring_dice(second))
    return [
        (dice, (of_first.get(dice, 0), of_second.get(dice, 0))) for dice in of_first | of_second
    ]


def _differing(
    first: Ruleset, second: Ruleset
) -> list[tuple[Message, tuple[list[Message], list[Message]]]]:
    """Return the groups of options in which two rule sets differ, with the sentences that only one of them has."""
    found = []
    for section in SECTIONS:
        both = sentences(first, [section]), sentences(second, [section])
        alone = (
            [line for line in both[0] if line not in both[1]],
            [line for line in both[1] if line not in both[0]],
        )
        if any(alone):
            found.append((section.title, alone))
    return found


def _rules_page(
    shown: Ruleset, published: Sequence[Message] = (), *, has_index: bool = False
) -> str:
    """Render the rules; sentences that are not in `published` are marked as house rules."""
    return render_template(
        "rules.html",
        shown=shown,
        lines=sentences(shown),
        combos=list(_scoring_dice(shown)),
        published=published,
        has_index=has_index,
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
