"""What the coach says, as JSON."""

from game.message import Translate
from game.odds.advice import TurnOption, is_as_good
from game.odds.review import KeepChoice, ReviewedMoment
from game.rules.ruleset import Dice
from web.contracts.coach import Coaching
from web.state.json_schema import ChoiceMadeJson, CoachJson, MomentJson, OddsJson


def coach_json(coaching: Coaching, say: Translate = str) -> CoachJson:
    """All but what belongs to single keeps."""
    figures = coaching.figures
    return {
        "mode": coaching.mode.value,
        "solved": figures is not None and figures.solved,
        "solving": coaching.solving,
        "trouble": say(coaching.trouble) if coaching.trouble else "",
        "win": figures.win if figures else None,
        "caveats": [caveat.value for caveat in figures.caveats] if figures else [],
        "before": _odds(figures.before, None, say) if figures and figures.before else None,
        "turn": _turn(coaching),
    }


def odds_by_keep(coaching: Coaching, say: Translate = str) -> dict[Dice, OddsJson]:
    """What each keep of the last throw is worth; the best comes first."""
    options = coaching.figures.keeps if coaching.figures else ()
    return {
        option.keep.dice: _odds(option, _rank(option, options), say)
        for option in options
        if option.keep is not None
    }


def _rank(option: TurnOption, options: tuple[TurnOption, ...]) -> str | None:
    if option is options[0]:
        return "best"
    return "tie" if is_as_good(option, options[0]) else None


def _odds(option: TurnOption, rank: str | None, say: Translate) -> OddsJson:
    return {
        "at_risk": option.at_risk,
        "dice": option.n_dice,
        "bank": option.win_banked,
        "throw": option.win_thrown,
        "farkle": float(option.farkle),
        "points": option.points,
        "refused": say(option.refused) if option.refused else None,
        "best": "tie" if option.near else "bank" if option.banks else "throw",
        "rank": rank,
    }


def _turn(coaching: Coaching) -> list[MomentJson]:
    moments = coaching.figures.turn if coaching.figures else ()
    return [moment_json(moment) for moment in moments]


def moment_json(moment: ReviewedMoment) -> MomentJson:
    """A throw, or a decision."""
    return {
        "event": moment.event,
        "kind": moment.kind.value,
        "points": moment.points,
        "win": moment.win,
        "done": _choice(moment.done),
        "best": _choice(moment.best),
    }


def _choice(choice: KeepChoice | None) -> ChoiceMadeJson | None:
    return {"dice": list(choice.dice), "bank": choice.bank} if choice else None
