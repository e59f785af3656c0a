"""The messages of one or two sentences that the table shows about a match."""

from collections.abc import Callable

from game.dice_log import DiceThrow
from game.match.apply_event import best_opponent
from game.match.events import (
    Action,
    Banked,
    BotDice,
    Corrected,
    Event,
    Joined,
    Kept,
    Left,
    Redone,
    Renamed,
    Reordered,
    ScoreSet,
    Spliced,
    Thrown,
    TookOver,
    TurnSet,
    Undone,
)
from game.match.match import Match
from game.match.rolloff import RollOff
from game.match.state import State, Throw, Turn, TurnEnding, keeps_after
from game.message import (
    Headline,
    Message,
    Paragraph,
    Value,
    join_with_and,
    join_with_commas,
)
from game.names import default_name, display_name
from game.rules.ruleset import Ruleset
from game.wording import dice_count
from vision.reading import Problem, Reading


def rolloff_name(seat: int) -> Value:
    """Return the name of the player at a seat during the roll-off."""
    return display_name(default_name(seat))


def rolloff_tie(rolloff: RollOff) -> Message:
    """Return a message saying which players tie in the roll-off, and who throws again."""
    return Message(
        "%(names)s tie: %(name)s throws one die again.",
        names=join_with_and([rolloff_name(seat) for seat in rolloff.highest]),
        name=rolloff_name(rolloff.seat or 0),
    )


def outcome(match: Match) -> Message:
    """Return a message about the result of the last step: how a turn ended, if one did, and what comes next."""
    state = match.state
    if state.winner is None and not state.turn.last and state.turns:
        return Paragraph(_finished(match, state.turns[-1]), standing(match))
    return standing(match)


def standing(match: Match) -> Message:
    """Return a message saying who has won, how many points are at risk, or who throws next."""
    state = match.state
    if state.winner is not None:
        winner = state.players[state.winner]
        wins = Message(
            "%(name)s wins with %(points)s!", name=winner.display_name, points=winner.score
        )
        return Paragraph(wins, _series(state, state.winner))
    return _at_risk(match) if state.turn.last else Paragraph(_next(match), _left_over(state))


def _series(state: State, winner: int) -> Message | None:
    """Return a message about the series after a match of it was won; None for a single match."""
    if state.series is None:
        return None
    if state.series_winner is not None:
        return Message("That wins the series!")
    wins, needed = state.series_wins(winner), state.series.needed
    return Message("Series: %(n)s of %(needed)s wins.", n=wins, needed=needed)


def moved_on(match: Match | None) -> Message:
    """Return a message that refuses a command meant for an earlier state of the match, and gives the current state.

    Args:
        match: The match in play; None if there is none.
    """
    return Paragraph(
        Message("The match has moved on: check the scoreboard, then try again."),
        standing(match) if match else None,
    )


def revision_outcome(before: Match, after: Match) -> Message:
    """Return a message about the state of the match after a change to its earlier steps.

    The message mentions the end of a turn only if the change ended it.

    Args:
        before: The match before the change.
        after: The match after the change.
    """
    old, new = before.state.turns, after.state.turns
    ended = len(new) >= len(old) and new[-1:] != old[-1:]
    return outcome(after) if ended else standing(after)


def followed(actions: tuple[Action, ...], before: Match, after: Match) -> Message:
    """Return a message about the result of a step that was taken at the other tray.

    Args:
        actions: The actions that make up the step.
        before: The match before the step.
        after: The match after the step.
    """
    match actions[0]:
        case Corrected() | Spliced() | Undone() | Redone():
            changed = Message("Changed at the other tray.")
            return Paragraph(changed, revision_outcome(before, after))
        case Thrown() | Kept() | Banked():
            return outcome(after)
        case event:
            return recorded_event(event, before, after)


def recorded_event(event: Event, before: Match, after: Match) -> Message:
    """Return a message about an event that a person entered.

    Args:
        event: What happened.
        before: The match before the event.
        after: The match after the event.
    """
    match event:
        case TookOver() | TurnSet():
            return _turn_set(event, after)
        case Joined() | Left() | Renamed() | Reordered() | ScoreSet():
            return _roster_set(event, before, after)
        case _:
            return revision_outcome(before, after)


def bot_step(event: Event, before: Match, after: Match) -> Message:
    """Return a message about a step that a bot has taken.

    Args:
        event: What the bot did.
        before: The match before the step.
        after: The match after the step.
    """
    match event:
        case Kept():
            return _bot_keeps(event, after)
        case TookOver():
            return recorded_event(event, before, after)
        case _:
            return outcome(after)


def _bot_keeps(event: Kept, after: Match) -> Message:
    state = after.state
    name, bot = state.player.display_name, state.player.bot
    points, dice = state.turn.at_risk, dice_count(state.dice_in_hand)
    if bot and bot.dice is BotDice.TRAY:
        return Message(
            "%(name)s keeps %(kept)s and has %(points)s at risk: throw %(dice)s for %(name)s.",
            name=name,
            kept=event.dice,
            points=points,
            dice=dice,
        )
    return Message(
        "%(name)s keeps %(kept)s, has %(points)s at risk and throws %(dice)s.",
        name=name,
        kept=event.dice,
        points=points,
        dice=dice,
    )


def _turn_set(event: TookOver | TurnSet, after: Match) -> Message:
    state = after.state
    name, points, dice = (
        state.player.display_name,
        state.turn.starting_points,
        dice_count(state.dice_in_hand),
    )
    if isinstance(event, TookOver):
        return Message(
            "%(name)s takes over %(points)s, with %(dice)s to throw.",
            name=name,
            points=points,
            dice=dice,
        )
    return Message(
        "It is %(name)s's turn: %(points)s at risk, %(dice)s to throw.",
        name=name,
        points=points,
        dice=dice,
    )


def _roster_set(
    event: Joined | Left | Renamed | Reordered | ScoreSet, before: Match, after: Match
) -> Message:
    was, now = before.state.players, after.state.players
    match event:
        case Joined():
            return _joined(before, after)
        case Left():
            left = Message("%(name)s leaves.", name=now[event.seat].display_name)
            return Paragraph(left, standing(after))
        case Renamed():
            old, new = was[event.seat].display_name, now[event.seat].display_name
            return Message("%(old)s is now %(name)s.", old=old, name=new)
        case Reordered():
            names = join_with_commas([now[seat].display_name for seat in after.state.order])
            return Message("The order is now %(names)s.", names=names)
        case ScoreSet():
            player = now[event.seat]
            return Message(
                "%(name)s has %(points)s now.", name=player.display_name, points=player.score
            )


def _joined(before: Match, after: Match) -> Message:
    """Return a message saying when a player who has just joined will throw and, if they returned, with what score."""
    player = after.state.players[after.state.order[-1]]
    if len(after.state.players) == len(before.state.players):
        return Message(
            "%(name)s returns with %(points)s points and throws last.",
            name=player.display_name,
            points=player.score,
        )
    if after.state.closer is not None:
        return Message(
            "The last round has begun: %(name)s will play in the next match.",
            name=player.display_name,
        )
    return Message("%(name)s joins and throws last.", name=player.display_name)


def just_thrown(throw: DiceThrow | None) -> Message:
    """Return a message about a throw without a match, or a request to throw if there has been none."""
    if throw is None:
        return Message("Throw, then press the button.")
    if len(throw.dice) == 1:
        return Message("A %(face)s.", face=throw.sum)
    return Message("%(dice)s add up to %(sum)s.", dice=throw.dice, sum=throw.sum)


def resumed(match: Match) -> Message:
    """Return a message about a match that is being continued.

    It gives the state of the match or, during a turn, the points at risk and the number of dice to throw.
    """
    what = _in_mid_turn(match) or outcome(match)
    return Paragraph(Message("Picking up where we left off."), what)


def returned(match: Match) -> Message:
    """Return a message saying that undo has returned to an earlier match, and how that match stands."""
    back = Message("Back in the match before. Undo again to take back its last step.")
    return Paragraph(_in_mid_turn(match) or outcome(match), back)


def _in_mid_turn(match: Match) -> Message | None:
    state = match.state
    last = state.turn.last
    keep = (last.keep or state.best_bank_keep) if last and state.winner is None else None
    if keep is None:
        return None
    return Message(
        "%(name)s, %(points)s at risk, %(dice)s to throw.",
        name=state.player.display_name,
        points=state.bank_points(keep),
        dice=dice_count(keep.dice_left or state.rules.n_dice),
    )


def _at_risk(match: Match) -> Message:
    state = match.state
    last, name = state.turn.throws[-1], state.player.display_name
    if last.keep:
        return Message(
            "%(name)s has %(points)s at risk and throws %(dice)s.",
            name=name,
            points=state.turn.at_risk,
            dice=dice_count(last.keep.dice_left or state.rules.n_dice),
        )
    best = state.best_bank_keep
    if best is None:
        return Message(
            "%(dice)s: %(name)s may throw the last die once more.", dice=last.dice, name=name
        )
    threw = Message(
        "%(name)s threw %(dice)s: %(points)s at risk.",
        name=name,
        dice=last.dice,
        points=state.bank_points(best),
    )
    return Paragraph(threw, _cost(last), Message("Hot dice!") if best.hot else None)


def _cost(throw: Throw) -> Message | None:
    return Message("That costs %(points)s.", points=-throw.penalty) if throw.penalty else None


def _finished(match: Match, turn: Turn) -> Message:
    name = match.state.players[turn.seat].display_name
    match turn.ending:
        case TurnEnding.FARKLE:
            return Paragraph(_farkled(name, turn, match.rules), _price(turn, match.rules))
        case TurnEnding.RESET:
            return Message(
                "%(dice)s: %(name)s's score is reset to zero!",
                dice=turn.throws[-1].dice,
                name=name,
            )
        case TurnEnding.SKIP:
            return Message("%(name)s is skipped.", name=name)
    if turn.given_to is not None:
        other = match.state.players[turn.given_to].display_name
        return Message(
            "%(name)s exceeds the target: the %(points)s go to %(other)s.",
            name=name,
            points=turn.given,
            other=other,
        )
    if turn.at_risk > turn.points:
        return Message("%(name)s exceeds the target and scores zero.", name=name)
    banks = Message("%(name)s banks %(points)s.", name=name, points=turn.points)
    return Paragraph(banks, *(_knocked_back(match, seat) for seat in turn.knocked_back))


def _knocked_back(match: Match, seat: int) -> Message:
    return Message("%(name)s is back to zero!", name=match.state.players[seat].display_name)


def _price(turn: Turn, rules: Ruleset) -> Message | None:
    """Return a message saying how many points the end of a turn cost, or None if it cost nothing."""
    if not turn.penalty:
        return None
    if turn.took_over or rules.scoreless_start:
        return Message("That costs %(points)s.", points=-turn.penalty)
    return Message("Three in a row cost %(points)s.", points=-turn.penalty)


def _farkled(name: Value, turn: Turn, rules: Ruleset) -> Message:
    last, lost = turn.last, turn.at_risk
    if last is None:
        return (
            Headline("Farkle! %(name)s loses %(points)s.", name=name, points=lost)
            if lost
            else Headline("Farkle, %(name)s!", name=name)
        )
    if not last.keep and keeps_after(turn.before_last, last.dice, rules):
        return Message(
            "%(dice)s is not enough to bank: %(name)s scores zero.", dice=last.dice, name=name
        )
    farkle = (
        Headline(
            "%(dice)s: farkle! %(name)s loses %(points)s.", dice=last.dice, name=name, points=lost
        )
        if lost
        else Headline("%(dice)s: farkle, %(name)s!", dice=last.dice, name=name)
    )
    return Paragraph(farkle, _cost(last))


def _next(match: Match) -> Message:
    name = match.state.player.display_name
    if match.state.closer is None:
        return Message("%(name)s throws.", name=name)
    leader = match.state.players[best_opponent(match.state)]
    return Message(
        "Last round: %(name)s must beat %(leader)s's %(points)s.",
        name=name,
        leader=leader.display_name,
        points=leader.score,
    )


def _left_over(state: State) -> Message | None:
    """Return a message about the points that the current player may take over; None if there are none."""
    if state.offer is None:
        return None
    return Headline(
        "%(name)s may take over %(points)s with %(dice)s.",
        name=state.player.display_name,
        points=state.offer.points,
        dice=dice_count(state.offer.dice),
    )


_PICTURE_ADVICE = {
    Problem.HAND: Message("There is a hand in the picture: take it away and press again."),
    Problem.UNREADABLE: Message(
        "My two readings of the dice differ. Press the button to read them again."
    ),
    Problem.DARK: Message("It is too dark to read: the tray needs more light."),
    Problem.GLARE: Message(
        "It is too bright to read: dim the light, or turn the lamp away from the tray."
    ),
    Problem.SIDE_VIEW: Message("The dice are seen from the side: hold the camera above them."),
    Problem.MOVED: Message(
        "The tray or the camera has moved since the calibration, and the whole picture shows other dice: check "
        "them, and calibrate again."
    ),
    Problem.FOREIGN_OBJECT: Message(
        "Most of the tray looks different from when it was empty: take away what covers it, and press "
        "again. If nothing covers it, take the dice out for a moment."
    ),
}


def advice(reading: Reading) -> tuple[Message, ...]:
    """Return one message for each problem with a reading, saying what to do about it."""
    doubtful = [die.problem for die in reading.dice_in_tray if die.problem]
    problems = [p for p in reading.problems if not (doubtful and p is Problem.UNREADABLE)]
    unclear = Message("The picture is unclear: press again.")
    whole = [_PICTURE_ADVICE.get(problem, unclear) for problem in problems]
    if len(doubtful) == 1:
        return (*whole, _die_advice(doubtful[0], Message("The circled die")))
    numbered = enumerate(doubtful, 1)
    return (*whole, *(_die_advice(p, Message("Circled die %(n)s", n=i)) for i, p in numbered))


_DIE_ADVICE: dict[Problem, Callable[[Message], Message]] = {
    Problem.COCKED: lambda die: Message("%(die)s is not flat: throw that die again.", die=die),
    Problem.HIDDEN: lambda die: Message(
        "%(die)s is partly hidden: slide it free without turning it.", die=die
    ),
    Problem.STACKED: lambda die: Message(
        "%(die)s is on top of another die: throw that die again.", die=die
    ),
    Problem.CUT_OFF: lambda die: Message(
        "%(die)s is cut off by the edge of the picture: move the camera.", die=die
    ),
    Problem.AT_WALL: lambda die: Message(
        "%(die)s is at the wall of the tray: tap its value if it counts, and calibrate again if the tray has moved.",
        die=die,
    ),
    Problem.UNREADABLE: lambda die: Message(
        "%(die)s cannot be read: slide it without turning it, or tap its value.", die=die
    ),
    Problem.TOO_SMALL: lambda die: Message(
        "%(die)s is too small in the picture: move the camera closer.", die=die
    ),
    Problem.FOREIGN_OBJECT: lambda die: Message(
        '%(die)s looks like a foreign object: take it out, or tap it and choose "Not a die" '
        "or its value.",
        die=die,
    ),
}


def _die_advice(problem: Problem, die: Message) -> Message:
    if say := _DIE_ADVICE.get(problem):
        return say(die)
    return Message("%(die)s was not read reliably: press again.", die=die)


def wrong_dice_count(n: int, seen: int, why: Message) -> Message:
    """Return a message saying that there are too few or too many dice, and what to do.

    Args:
        n: Number of dice expected.
        seen: Number of dice seen in the tray.
        why: Why `n` dice are expected, as a clause without a full stop.
    """
    if seen < n:
        return Message(
            "Expected %(dice)s, but saw %(n)s: %(why)s. Is one hidden or on the floor?",
            dice=dice_count(n),
            n=seen,
            why=why,
        )
    return Message(
        "Expected %(dice)s, but saw %(n)s: %(why)s. Take the extra dice out.",
        dice=dice_count(n),
        n=seen,
        why=why,
    )
