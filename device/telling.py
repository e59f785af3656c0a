"""What the table says about a match, in one line."""

from device import words
from game.effects import best_of_others
from game.match import Match
from game.state import Ending, Turn


def default_name(seat: int) -> str:
    """Until somebody gives a better one."""
    return f"Player {seat + 1}"


def outcome(match: Match) -> str:
    """What the last step led to."""
    state = match.state
    if state.winner is not None:
        winner = state.players[state.winner]
        return f"{winner.name} wins with {winner.score:,}!"
    if state.turn.last:
        return _at_risk(match)
    if state.turns:
        return f"{_finished(match, state.turns[-1])} {_next(match)}"
    return _next(match)


def resumed(match: Match) -> str:
    """Where a match stands after a restart."""
    return f"Going on where we were: {outcome(match)}"


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
    cost = f" It costs {-last.penalty:,}." if last.penalty else ""
    return f"{state.player.name} threw {words.faces(last.dice)}: {points:,} at risk.{cost}{hot}"


def _finished(match: Match, turn: Turn) -> str:
    name = match.state.players[turn.seat].name
    penalty = f" Three in a row cost {-turn.penalty:,}." if turn.penalty else ""
    match turn.ending:
        case Ending.FARKLE:
            return _farkled(name, turn) + penalty
        case Ending.RESET:
            return f"{words.faces(turn.throws[-1].dice)}: {name}'s score goes back to zero!"
        case Ending.SKIP:
            return f"{name} is passed over."
    if turn.at_risk > turn.points:
        return f"{name} overshoots and scores zero."
    return f"{name} banks {turn.points:,}."


def _farkled(name: str, turn: Turn) -> str:
    thrown = f"{words.faces(turn.throws[-1].dice)}: farkle" if turn.throws else "Farkle"
    return f"{thrown}! {name} loses {turn.at_risk:,}." if turn.at_risk else f"{thrown}, {name}!"


def _next(match: Match) -> str:
    name = match.state.player.name
    if match.state.closer is not None:
        leader = match.state.players[best_of_others(match.state)]
        return f"Last round: {name} must top {leader.name}'s {leader.score:,}."
    return f"{name} throws."
