"""The coach's advice, as JSON."""

from game.message import Translate
from game.odds.advice import TurnOption, is_as_good
from game.odds.review import ReviewedMoment
from game.rules.ruleset import Dice
from web.contracts.coach import Coaching
from web.state.json_schema import CoachJson, MomentJson, OddsJson
from web.state.plain_json import plain, shaped


def coach_json(coaching: Coaching, translate: Translate = str) -> CoachJson:
    """Return what the coach says about the match, without the odds of individual keeps.

    Args:
        coaching: The coach's advice.
        translate: Translates messages.
    """
    figures = coaching.figures
    return shaped(
        CoachJson,
        coaching,
        translate,
        solved=figures is not None and figures.solved,
        trouble=plain(coaching.trouble, translate) or "",
        win=figures.win if figures else None,
        caveats=plain(figures.caveats) if figures else [],
        before=_odds(figures.before, None, translate) if figures and figures.before else None,
        turn=[moment_json(moment) for moment in figures.turn] if figures else [],
        decision=moment_json(figures.decision) if figures and figures.decision else None,
    )


def odds_by_keep(coaching: Coaching, translate: Translate = str) -> dict[Dice, OddsJson]:
    """Return the odds after each possible keep of the last throw, the best keep first.

    Args:
        coaching: The coach's advice.
        translate: Translates messages.
    """
    options = coaching.figures.keeps if coaching.figures else ()
    return {
        option.keep.dice: _odds(option, _rank(option, options), translate)
        for option in options
        if option.keep is not None
    }


def _rank(option: TurnOption, options: tuple[TurnOption, ...]) -> str | None:
    if option is options[0]:
        return "best"
    return "tie" if is_as_good(option, options[0]) else None


def _odds(option: TurnOption, rank: str | None, translate: Translate) -> OddsJson:
    return shaped(
        OddsJson,
        option,
        translate,
        dice=option.n_dice,
        bank=option.win_banked,
        throw=option.win_thrown,
        farkle=float(option.farkle),
        best="tie" if option.is_tie else "bank" if option.should_bank else "throw",
        rank=rank,
    )


def moment_json(moment: ReviewedMoment) -> MomentJson:
    """Return a throw or a decision of a reviewed match as JSON."""
    return shaped(MomentJson, moment)
