"""What the table says about a match, in one line."""

from device import words
from game import scoring
from game.effects import best_of_others
from game.events import Event, Joined, Left, Renamed, Reordered, ScoreSet, TookOver, TurnSet
from game.match import Match
from game.rolloff import RollOff
from game.ruleset import Ruleset
from game.state import Throw, Turn, TurnEnding


def default_name(seat: int) -> str:
    """Until somebody gives a better one."""
    return f"Player {seat + 1}"


def tie(rolloff: RollOff) -> str:
    """Who throws again for the beginning."""
    tied = " and ".join(map(default_name, rolloff.highest))
    return f"{tied} tie: {default_name(rolloff.seat or 0)} throws one die again."


def outcome(match: Match) -> str:
    """What the last step led to."""
    state = match.state
    if state.winner is None and not state.turn.last and state.turns:
        return f"{_finished(match, state.turns[-1])} {standing(match)}"
    return standing(match)


def standing(match: Match) -> str:
    """Who has won, or what is at risk, or who throws."""
    state = match.state
    if state.winner is not None:
        winner = state.players[state.winner]
        return f"{winner.name} wins with {winner.score:,}!"
    return _at_risk(match) if state.turn.last else _next(match)


def news(before: Match, after: Match) -> str:
    """What a change by hand led to; a turn that had ended before is not told once more."""
    old, new = before.state.turns, after.state.turns
    ended = len(new) >= len(old) and new[-1:] != old[-1:]
    return outcome(after) if ended else standing(after)


def by_hand(event: Event, before: Match, after: Match) -> str:
    """What a person said has happened, in a sentence of its own."""
    was, now = before.state.players, after.state.players
    match event:
        case Joined():
            said = f"{now[-1].name} joins and throws last."
        case Left():
            said = f"{now[event.seat].name} leaves. {standing(after)}"
        case Renamed():
            said = f"{was[event.seat].name} is now {now[event.seat].name}."
        case Reordered():
            said = f"The order is now {', '.join(now[seat].name for seat in after.state.order)}."
        case ScoreSet():
            said = f"{now[event.seat].name} has {now[event.seat].score:,} now."
        case TookOver():
            said = f"{after.state.player.name} takes over {_brought(after)}."
        case TurnSet():
            said = f"It is {after.state.player.name}'s turn: {_brought(after)}."
        case _:
            said = news(before, after)
    return said


def _brought(match: Match) -> str:
    turn, n = match.state.turn, match.state.dice_in_hand
    return f"{turn.brought:,} at risk, {words.count(n)} to throw"


def resumed(match: Match) -> str:
    """Where a match stands after a restart: in mid-turn what is at risk, and what to throw."""
    return f"Going on where we were: {_in_mid_turn(match) or outcome(match)}"


def _in_mid_turn(match: Match) -> str:
    state = match.state
    last = state.turn.last
    keep = (last.keep or state.bank_keep) if last and state.winner is None else None
    if keep is None:
        return ""
    points, n = state.locked_points + keep.score, keep.dice_left or state.rules.n_dice
    return f"{state.player.name}, {points:,} at risk, {words.count(n)} to throw."


def _at_risk(match: Match) -> str:
    state = match.state
    last = state.turn.throws[-1]
    if last.keep:
        points = state.locked_points + last.keep.score
        n = last.keep.dice_left or state.rules.n_dice
        return f"{state.player.name} has {points:,} at risk and throws {words.count(n)}."
    best = state.bank_keep
    if best is None:
        return f"{words.faces(last.dice)}: {state.player.name} may throw the last die once more."
    points = state.locked_points + best.score
    hot = " Hot dice!" if best.hot else ""
    threw = f"{state.player.name} threw {words.faces(last.dice)}: {points:,} at risk."
    return f"{threw}{_cost(last)}{hot}"


def _cost(throw: Throw) -> str:
    return f" It costs {-throw.penalty:,}." if throw.penalty else ""


def _finished(match: Match, turn: Turn) -> str:
    name = match.state.players[turn.seat].name
    penalty = f" Three in a row cost {-turn.penalty:,}." if turn.penalty else ""
    match turn.ending:
        case TurnEnding.FARKLE:
            return _farkled(name, turn, match.rules) + penalty
        case TurnEnding.RESET:
            return f"{words.faces(turn.throws[-1].dice)}: {name}'s score goes back to zero!"
        case TurnEnding.SKIP:
            return f"{name} is passed over."
    if turn.at_risk > turn.points:
        return f"{name} overshoots and scores zero."
    return f"{name} banks {turn.points:,}."


def _farkled(name: str, turn: Turn, rules: Ruleset) -> str:
    if turn.last and not turn.last.keep and scoring.table(rules)[turn.last.dice]:
        return f"{words.faces(turn.last.dice)} is too little to bank: {name} scores zero."
    thrown = f"{words.faces(turn.last.dice)}: farkle" if turn.last else "Farkle"
    lost = f"! {name} loses {turn.at_risk:,}." if turn.at_risk else f", {name}!"
    return f"{thrown}{lost}{_cost(turn.last) if turn.last else ''}"


def _next(match: Match) -> str:
    name = match.state.player.name
    if match.state.closer is not None:
        leader = match.state.players[best_of_others(match.state)]
        return f"Last round: {name} must top {leader.name}'s {leader.score:,}."
    return f"{name} throws."
