"""The end of a turn and the beginning of the next one: points, penalties, last rounds and the winner."""

from collections import Counter
from dataclasses import replace

from game.match.state import LeftOver, State, Turn, TurnEnding, reaches_target
from game.rules.ruleset import PENALTY_STREAK, LastRound, Win
from game.rules.scoring import keep_table


def end_turn(state: State, ending: TurnEnding, *, points: int = 0) -> State:
    """End the turn and begin the next one, or end the match.

    Args:
        state: State of the match before the turn ends.
        ending: How the turn ends.
        points: Points that the turn adds to the score.
    """
    seat = state.turn.seat
    state, penalty = _count_streaks(state, ending)
    turn = replace(state.turn, ending=ending, points=points, penalty=penalty)
    state = add_points(state, seat, points + penalty)
    if ending is TurnEnding.BANK and points:
        state = state.with_players(state.team_seats(seat), opened=True)
        knocked = _with_score_of(state, seat)
        state = state.with_players(knocked, score=0, opened=False)
        turn = replace(turn, knocked_back=knocked)
    left_over = state.can_take_over(turn) if ending is TurnEnding.BANK and points else None
    state = replace(state, turns=(*state.turns, turn))
    return _offer_left_over(_close(begin_turn(state, seat), seat), left_over)


def _with_score_of(state: State, seat: int) -> tuple[int, ...]:
    """Return the other seats that this player's new score knocks back to zero."""
    score, mates = state.players[seat].score, state.team_seats(seat)
    if not state.rules.knock_back or not score:
        return ()
    return tuple(s for s, p in enumerate(state.players) if p.score == score and s not in mates)


def _offer_left_over(state: State, left_over: LeftOver | None) -> State:
    """Offer the points just banked and the unkept dice to the current player, if that player may take over."""
    may = state.winner is None and (state.player.opened or not state.rules.take_over_on_board)
    return replace(state, left_over=left_over if may else None)


def end_overshot_turn(state: State, points: int) -> State:
    """End a turn that exceeded an exact target. Its points may go to another player.

    Args:
        state: State of the match before the turn ends.
        points: Points of the turn.
    """
    to = welfare_recipient(state, points)
    if to is None:
        return end_turn(state, TurnEnding.BANK)
    state = replace(state, turn=replace(state.turn, given=points, given_to=to))
    state = state.with_players(state.team_seats(to), opened=True)
    return _close(end_turn(add_points(state, to, points), TurnEnding.BANK), to)


def welfare_recipient(state: State, points: int) -> int | None:
    """Return the seat that gets the points of a turn that overshot the target, or None.

    Args:
        state: State of the match at the end of the turn.
        points: Points of the turn.
    """
    if not state.rules.welfare:
        return None
    to = _poorest_of_others(state)
    return to if state.players[to].score + points <= state.rules.target else None


def _poorest_of_others(state: State) -> int:
    """Return the seat with the fewest points, outside the team of the current player."""
    seat = state.turn.seat
    others = (s for s in state.order_from(seat) if s not in state.team_seats(seat))
    return min(others, key=lambda other: state.players[other].score)


def abandon_turn(state: State) -> State:
    """Record the current turn, which is being replaced by hand, as skipped if it has any throws."""
    if not state.turn.throws:
        return state
    broken_off = replace(state.turn, ending=TurnEnding.SKIP, broken_off=True)
    return replace(state, turns=(*state.turns, broken_off))


def add_points(state: State, seat: int, points: int) -> State:
    """Add points to the score of a player's team.

    Args:
        state: State of the match.
        seat: Seat of the player.
        points: Points to add. They may be negative.
    """
    if not points:
        return state
    score = state.players[seat].score + points
    if not state.rules.below_zero:
        score = max(score, 0)
    return state.with_players(state.team_seats(seat), score=score)


def set_score(state: State, seat: int, score: int) -> State:
    """Set the score of a player's team by hand. A positive score puts the player on the board.

    A player who is on the board stays there, unless the new score is 0. Then the player has to get
    on the board again.

    Args:
        state: State of the match.
        seat: Seat of the player.
        score: The new score. It is raised to 0 if the rules do not allow negative scores.
    """
    if not state.rules.below_zero:
        score = max(score, 0)
    opened = score > 0 or (state.players[seat].opened and score < 0)
    return _apply_changed_score(
        state.with_players(state.team_seats(seat), score=score, opened=opened), seat
    )


def _apply_changed_score(state: State, seat: int) -> State:
    """Start the last round, end the match or reopen it, as the changed scores require."""
    if state.turns and state.turns[-1].ending is TurnEnding.WIN:
        return state
    if state.rules.rounds:
        return settle(replace(state, winner=None))
    if state.closer is None:
        return _close(state, seat)
    scores = {s: player.score for s, player in enumerate(state.players)}
    reached = [s for s in scores if reaches_target(state.rules, scores[s])]
    if not reached:
        return replace(state, closer=None, to_follow=(), winner=None)
    closer = state.closer if state.closer in reached else max(reached, key=scores.__getitem__)
    return settle(replace(state, closer=closer, winner=None))


def begin_turn(state: State, after: int) -> State:
    """Begin the turn of the player who follows a seat in the order of turns.

    Args:
        state: State of the match.
        after: Seat of the player whose turn has ended.
    """
    return replace(state, turn=Turn(state.after(after), start=state.n_events + 1))


def _count_streaks(state: State, ending: TurnEnding) -> tuple[State, int]:
    """Update the counts of farkles and scoreless starts in a row; return the state and the penalty."""
    if ending is TurnEnding.SKIP:
        return state, 0
    player, rules = state.player, state.rules
    farkles = player.farkles + 1 if ending is TurnEnding.FARKLE else 0
    scoreless = _scoreless_starts(state, ending)
    penalty = 0
    if farkles == PENALTY_STREAK:
        penalty, farkles = penalty - rules.three_farkles, 0
    if ending is TurnEnding.FARKLE and state.turn.took_over:
        penalty -= rules.take_over_farkle
    if scoreless > player.scoreless_starts:
        penalty -= rules.scoreless_start
    if scoreless == PENALTY_STREAK:
        penalty, scoreless = penalty - rules.three_scoreless_starts, 0
    counts = {"farkles": farkles, "scoreless_starts": scoreless}
    return state.with_players((state.turn.seat,), **counts), penalty


def _scoreless_starts(state: State, ending: TurnEnding) -> int:
    throws = state.turn.throws
    scored = bool(throws) and bool(keep_table(state.rules)[throws[0].dice])
    began_scoreless = ending is TurnEnding.FARKLE and not scored
    return state.player.scoreless_starts + 1 if began_scoreless else 0


def _close(state: State, seat: int) -> State:
    """Start the last round, continue it, or end the match, after the score of a seat has changed."""
    if state.rules.rounds:
        return settle(state)
    if state.closer is None:
        if not reaches_target(state.rules, state.players[seat].score):
            return state
        state = replace(state, closer=seat, to_follow=last_round_seats(state, seat))
    else:
        state = replace(state, to_follow=tuple(s for s in state.to_follow if s != seat))
    return settle(state)


def settle(state: State) -> State:
    """Give the turn to the next player who still has one, or declare the winner if nobody has.

    Nothing changes before the last round, unless the match has a fixed number of rounds.
    """
    if state.rules.rounds:
        return _decide_rounds(state)
    if state.closer is None or state.winner is not None:
        return state
    if state.to_follow:
        turn = state.turn
        if turn.throws or turn.starting_points or turn.seat in state.to_follow:
            return state
        return replace(state, turn=replace(turn, seat=state.to_follow[0]))
    return replace(state, winner=_leader(state, state.closer), left_over=None)


def _decide_rounds(state: State) -> State:
    """Give the turn to the next player with turns left.

    If there is none, the highest score wins.
    """
    if state.winner is not None or state.turn.throws or state.turn.starting_points:
        return state
    played = Counter(turn.seat for turn in state.turns if not turn.broken_off)
    seats = state.order_from(state.turn.seat)
    waiting = [seat for seat in seats if played[seat] < state.rules.rounds]
    if waiting:
        return replace(state, turn=replace(state.turn, seat=waiting[0]))
    return replace(state, winner=_leader(state, state.order[0]), left_over=None)


def last_round_seats(state: State, closer: int) -> tuple[int, ...]:
    """Return the seats that have one more turn after the target is reached, in order.

    Args:
        state: State of the match.
        closer: The seat that reached the target.
    """
    if state.rules.win is Win.EXACTLY or closer not in state.order:
        return ()
    match state.rules.last_round:
        case LastRound.NONE:
            seats: tuple[int, ...] = ()
        case LastRound.LATER_IN_ROUND:
            seats = state.order[state.order.index(closer) :]
        case _:
            seats = state.order_from(closer)
    return tuple(seat for seat in seats if seat not in state.team_seats(closer))


def _leader(state: State, closer: int) -> int:
    """Return the seat with the highest score.

    In a tie, the seat `closer` takes precedence, then the next seat in the order of turns.
    """
    seats = (closer, *state.order_from(closer))
    return max(seats, key=lambda seat: state.players[seat].score)
