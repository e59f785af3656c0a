"""The function that applies one event to the state of a match."""

from dataclasses import replace

from game.errors import IllegalMove
from game.match.events import (
    Banked,
    Event,
    Farkled,
    Joined,
    Kept,
    Left,
    Renamed,
    Reordered,
    ScoreSet,
    Skipped,
    Thrown,
    TookOver,
    TurnSet,
)
from game.match.roster import check_seat, join, leave, rename, reorder
from game.match.state import State, Throw, Turn, TurnEnding, multiplier
from game.match.turns import abandon_turn, add_points, end_overshot_turn, end_turn, set_score
from game.message import Plural
from game.rules import scoring
from game.rules.scoring import Effect, Keep

MAX_SCORE = 1_000_000
"""Largest score that can be set by hand. The limit catches typing errors."""


def step(state: State, event: Event) -> State:
    """Return the state after an event.

    Args:
        state: State of the match before the event.
        event: The event.

    Raises:
        IllegalMove: If the rules forbid the event now.
        ThrowError: If a throw has impossible dice.
    """
    if state.winner is not None and not isinstance(event, Renamed | ScoreSet):
        winner = state.players[state.winner].display_name
        raise IllegalMove("%(name)s has won: start a rematch", name=winner)
    return replace(_apply(state, event), n_events=state.n_events + 1)


def _apply(state: State, event: Event) -> State:  # noqa: C901, PLR0911 - one case per event
    match event:
        case Thrown():
            return _thrown(state, event)
        case Kept():
            return _with_keep(state, _find_keep(state, event.dice), assumed=event.assumed)
        case Banked():
            return _banked(state, event)
        case Farkled():
            return _farkled(state)
        case TookOver():
            return _took_over(state)
        case Skipped():
            return end_turn(state, TurnEnding.SKIP)
        case Joined():
            return join(state, event)
        case Left():
            return leave(state, event)
        case Renamed():
            return rename(state, event)
        case Reordered():
            return reorder(state, event)
        case ScoreSet():
            return _score_set(state, event)
        case TurnSet():
            return _turn_set(state, event)


def _thrown(state: State, event: Thrown) -> State:
    dice = scoring.checked_dice(event.dice, state.rules)
    last = state.turn.last
    if last and not last.keep and not state.may_rethrow_last_die:
        raise IllegalMove("first keep some dice from the last throw")
    if len(dice) != state.dice_in_hand:
        raise IllegalMove(
            Plural(
                "expected one die, not %(given)s",
                "expected %(n)s dice, not %(given)s",
                n=state.dice_in_hand,
                given=len(dice),
            )
        )
    throw = Throw(dice, index=state.n_events, places=event.places)
    return _apply_throw(state, throw)


def _apply_throw(state: State, throw: Throw) -> State:
    """Add a throw, and apply its automatic effects, such as a penalty or a farkle."""
    events = {e.effect: e.points for e in scoring.throw_events(throw.dice, state.rules)}
    first_try = not state.may_rethrow_last_die
    penalty = events.get(Effect.PENALTY, 0)
    throw = replace(throw, penalty=penalty)
    state = add_points(state, state.turn.seat, penalty)
    state = replace(
        state, turn=replace(state.turn, throws=(*state.turn.throws, throw)), left_over=None
    )
    if Effect.WIN in events:
        return replace(end_turn(state, TurnEnding.WIN), winner=state.turn.seat)
    if Effect.RESET_SCORE in events:
        return end_turn(add_points(state, state.turn.seat, -state.player.score), TurnEnding.RESET)
    if not state.keeps:
        return _scoreless(state, first_try=first_try)
    return _scored(state, must_bank=Effect.MUST_BANK in events)


def _scored(state: State, *, must_bank: bool) -> State:
    turn = state.turn
    if state.rules.last_die_twice and len(turn.throws[-1].dice) == 1:
        state = replace(state, turn=replace(turn, bonus=turn.bonus + state.rules.last_die_twice))
    if state.is_charity_roll and state.bank_refusal():
        return end_turn(state, TurnEnding.FARKLE)
    if (must_bank or state.is_charity_roll) and not state.bank_refusal():
        return _banked(state, Banked())
    return state


def _scoreless(state: State, *, first_try: bool) -> State:
    """End the turn after a scoreless throw, unless the last die may be thrown once more.

    `first_try` is False if the last die has just been thrown for the second time.
    """
    alone = len(state.turn.throws[-1].dice) == 1
    if alone and first_try and state.rules.last_die_twice:
        return state
    return end_turn(state, TurnEnding.FARKLE)


def _banked(state: State, event: Banked) -> State:
    keep = state.best_bank_keep if event.dice is None else _find_keep(state, event.dice)
    if refusal := state.bank_refusal(keep):
        raise IllegalMove(refusal)
    assert keep is not None  # noqa: S101 - a bank without a keep was refused above
    points, over = state.locked_points + keep.score, state.overshoots(keep)
    state = _with_keep(state, keep, assumed=event.dice is None)
    return (
        end_overshot_turn(state, points)
        if over
        else end_turn(state, TurnEnding.BANK, points=points)
    )


def _find_keep(state: State, dice: tuple[int, ...]) -> Keep:
    last = state.turn.last
    if last is None:
        raise IllegalMove(
            "throw first: %(name)s has not thrown in this turn", name=state.player.display_name
        )
    rules = state.rules if len(state.turn.throws) == 1 else scoring.after_first_throw(state.rules)
    keep = scoring.find_keep(last.dice, dice, rules)
    return scoring.multiply(keep, multiplier(state.turn.throws[:-1], state.rules))


def _with_keep(state: State, keep: Keep, *, assumed: bool) -> State:
    *before, last = state.turn.throws
    throws = (*before, replace(last, keep=keep, assumed=assumed))
    return replace(state, turn=replace(state.turn, throws=throws))


def _farkled(state: State) -> State:
    if state.turn.last and state.keeps and state.turn.last.keep is None:
        raise IllegalMove(
            "%(name)s's last throw scores, so it is not a farkle",
            name=state.player.display_name,
        )
    return end_turn(state, TurnEnding.FARKLE)


def _took_over(state: State) -> State:
    if state.left_over is None or state.turn.throws:
        raise IllegalMove("there are no banked points to build on now")
    left = state.left_over
    turn = replace(state.turn, starting_points=left.points, dice=left.dice, took_over=True)
    return replace(state, turn=turn, left_over=None)


def _score_set(state: State, event: ScoreSet) -> State:
    check_seat(state, event.seat)
    if abs(event.score) > MAX_SCORE:
        raise IllegalMove(
            "a score can be at most %(most)s, not %(score)s", most=MAX_SCORE, score=event.score
        )
    return set_score(state, event.seat, event.score)


def _turn_set(state: State, event: TurnSet) -> State:
    if event.seat not in state.order:
        raise IllegalMove("that player is not in the match: choose another one")
    if not 0 <= event.points <= MAX_SCORE:
        raise IllegalMove(
            "points at risk must be 0 to %(most)s, not %(points)s",
            most=MAX_SCORE,
            points=event.points,
        )
    if not 1 <= event.dice <= state.rules.n_dice:
        raise IllegalMove(
            "a throw must have 1 to %(most)s dice, not %(n)s",
            most=state.rules.n_dice,
            n=event.dice,
        )
    turn = Turn(event.seat, starting_points=event.points, dice=event.dice, start=state.n_events)
    return replace(abandon_turn(state), turn=turn, left_over=None)
