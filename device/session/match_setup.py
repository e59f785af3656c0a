"""How a match begins: from a form, from a roll-off, or from the match before."""

from game.commands import StartMatch
from game.match.match import Match
from game.match.rolloff import RollOff
from game.names import check_distinct, default_name
from game.rules import rule_files
from game.rules.ruleset import Ruleset


def wanted(usual: Ruleset, form: StartMatch) -> Match:
    """The match of a form; rules without a name, or by that of the usual ones, are the usual ones.

    Raises:
        RulesetError: there is no such rule set, or an option does not hold.
        IllegalMove: these cannot play, or nobody could tell them apart afterwards.
    """
    name = form.rules
    chosen = usual if name in (None, usual.name) else rule_files.published(str(name))
    target = {} if form.target is None else {"target": form.target}
    chosen = rule_files.with_options(chosen, target | dict(form.options or {}))
    match = Match.start(chosen, form.names, teams=form.teams)
    check_distinct(player.name for player in match.state.players)
    return match


def from_rolloff(rules: Ruleset, rolloff: RollOff) -> Match | None:
    """None while the highest tie."""
    if rolloff.first is None:
        return None
    names = [default_name(seat) for seat in range(len(rolloff.rolls))]
    return Match.start(rules, names, first=rolloff.first)


def rematch(old: Match) -> Match:
    """Seats stay in the order in which they throw; whoever threw second then begins now."""
    here = old.state.order
    lowest = here.index(min(here))
    seats = (*here[lowest:], *here[:lowest])
    begins = next(seat for seat in (*old.start_state.order[1:], *here) if seat in here)
    return Match.start(
        old.rules,
        [old.state.players[seat].name for seat in seats],
        first=seats.index(begins),
        teams=[old.state.players[seat].team for seat in seats],
    )
