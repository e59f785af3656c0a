"""What the table says about a match, in one line."""

from collections.abc import Iterable

from game.match.effects import best_of_others
from game.match.events import Event, Joined, Left, Renamed, Reordered, ScoreSet, TookOver, TurnSet
from game.match.match import Match
from game.match.rolloff import RollOff
from game.match.state import Throw, Turn, TurnEnding
from game.rules import scoring
from game.rules.ruleset import Ruleset
from vision.reading import Die, Problem, Reading


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
    return f"{turn.brought:,} at risk, {count(n)} to throw"


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
    return f"{state.player.name}, {points:,} at risk, {count(n)} to throw."


def _at_risk(match: Match) -> str:
    state = match.state
    last = state.turn.throws[-1]
    if last.keep:
        points = state.locked_points + last.keep.score
        n = last.keep.dice_left or state.rules.n_dice
        return f"{state.player.name} has {points:,} at risk and throws {count(n)}."
    best = state.bank_keep
    if best is None:
        return f"{faces(last.dice)}: {state.player.name} may throw the last die once more."
    points = state.locked_points + best.score
    hot = " Hot dice!" if best.hot else ""
    threw = f"{state.player.name} threw {faces(last.dice)}: {points:,} at risk."
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
            return f"{faces(turn.throws[-1].dice)}: {name}'s score goes back to zero!"
        case TurnEnding.SKIP:
            return f"{name} is passed over."
    if turn.at_risk > turn.points:
        return f"{name} overshoots and scores zero."
    return f"{name} banks {turn.points:,}."


def _farkled(name: str, turn: Turn, rules: Ruleset) -> str:
    if turn.last and not turn.last.keep and scoring.table(rules)[turn.last.dice]:
        return f"{faces(turn.last.dice)} is too little to bank: {name} scores zero."
    thrown = f"{faces(turn.last.dice)}: farkle" if turn.last else "Farkle"
    lost = f"! {name} loses {turn.at_risk:,}." if turn.at_risk else f", {name}!"
    return f"{thrown}{lost}{_cost(turn.last) if turn.last else ''}"


def _next(match: Match) -> str:
    name = match.state.player.name
    if match.state.closer is not None:
        leader = match.state.players[best_of_others(match.state)]
        return f"Last round: {name} must top {leader.name}'s {leader.score:,}."
    return f"{name} throws."


_DIE_ADVICE = {
    Problem.COCKED: "lies on an edge: throw that die again",
    Problem.HIDDEN: "is partly hidden: slide it free without turning it",
    Problem.STACKED: "lies on another die: throw that die again",
    Problem.UNREADABLE: "cannot be read: slide it without turning, or tap its face",
    Problem.TOO_SMALL: "is too small in the picture: bring the camera closer",
}

_PICTURE_ADVICE = {
    Problem.HAND: "A hand is in the picture: take it away and press again.",
    Problem.UNREADABLE: "Two looks at the tray do not agree: press again.",
    Problem.DARK: "It is too dark to read: give the tray more light.",
}

COUNT_WORDS = ("no", "one", "two", "three", "four", "five", "six")


def faces(dice: Iterable[int]) -> str:
    """`1 1 5`."""
    return " ".join(map(str, dice))


def count(n: int) -> str:
    """`one die`, `four dice`."""
    word = COUNT_WORDS[n] if n < len(COUNT_WORDS) else str(n)
    return f"{word} {'die' if n == 1 else 'dice'}"


def advice(reading: Reading) -> tuple[str, ...]:
    """What to do about each problem of the reading, one sentence each."""
    doubtful = [die for die in reading.in_tray if die.problem]
    problems = [p for p in reading.problems if not (doubtful and p is Problem.UNREADABLE)]
    whole = [_PICTURE_ADVICE.get(p, f"The picture is {p}: press again.") for p in problems]
    return (*whole, *(_die_advice(die, i, len(doubtful)) for i, die in enumerate(doubtful, 1)))


def _die_advice(die: Die, i: int, n: int) -> str:
    which = "The ringed die" if n == 1 else f"Ringed die {i}"
    how = _DIE_ADVICE.get(die.problem, "is doubtful: press again") if die.problem else ""
    return f"{which} {how}."


def expected(n: int, seen: int, why: str) -> str:
    """How many dice should lie there, how many do, and what to do about it."""
    remedy = "is one hidden, or on the floor?" if seen < n else "take the others out."
    return f"Expected {count(n)}, saw {seen}: {why}; {remedy}"
