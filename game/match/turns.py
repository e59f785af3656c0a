"""How a turn ends and the next one begins: points, penalties, last rounds, the winner."""

from collections import Counter
from dataclasses import replace

from game.match.state import State, Turn, TurnEnding, reaches_target
from game.rules.ruleset import PENALTY_STREAK, LastRound, Win
from game.rules.scoring import keep_table


def end_turn(state: State, ending: TurnEnding, *, points: int = 0) -> State:
    """The turn is over and brought these points; the next one begins, or somebody has won."""
    seat = state.turn.seat
    state, penalty = _count_rows(state, ending)
    turn = replace(state.turn, ending=ending, points=points, penalty=penalty)
    state = add_points(state, seat, points + penalty)
    if ending is TurnEnding.BANK and points:
        state = _set(state, state.team_seats(seat), opened=True)
    left_over = state.can_take_over(turn) if ending is TurnEnding.BANK and points else None
    state = replace(state, turns=(*state.turns, turn))
    return _close(replace(begin_turn(state, seat), left_over=left_over), seat)


def end_overshot_turn(state: State, points: int) -> State:
    """The turn went over a target that is to be hit; its points may go to another."""
    to = welfare_recipient(state, points)
    if to is None:
        return end_turn(state, TurnEnding.BANK)
    state = replace(state, turn=replace(state.turn, given=points, given_to=to))
    state = _set(state, state.team_seats(to), opened=True)
    return _close(end_turn(add_points(state, to, points), TurnEnding.BANK), to)


def welfare_recipient(state: State, points: int) -> int | None:
    """Who has the points of a turn that overshot, where the rules and that player's score let them."""
    if not state.rules.welfare:
        return None
    to = _poorest_of_others(state)
    return to if state.players[to].score + points <= state.rules.target else None


def _poorest_of_others(state: State) -> int:
    """Who has fewest points beside this player and the team; of several who throws next."""
    seat = state.turn.seat
    i = state.order.index(seat) if seat in state.order else 0
    others = (s for s in (*state.order[i:], *state.order[:i]) if s not in state.team_seats(seat))
    return min(others, key=lambda other: state.players[other].score)


def abandon_turn(state: State) -> State:
    """A turn in which dice were thrown stays on record, as passed over, when it is broken off."""
    if not state.turn.throws:
        return state
    broken_off = replace(state.turn, ending=TurnEnding.SKIP, broken_off=True)
    return replace(state, turns=(*state.turns, broken_off))


def add_points(state: State, seat: int, points: int) -> State:
    """Add to the score of this player and the team."""
    if not points:
        return state
    score = state.players[seat].score + points
    if not state.rules.below_zero:
        score = max(score, 0)
    return _set(state, state.team_seats(seat), score=score)


def set_score(state: State, seat: int, score: int) -> State:
    """By hand: whoever has points is on the board, and nobody has less than the rules allow."""
    if not state.rules.below_zero:
        score = max(score, 0)
    return _look_again(_set(state, state.team_seats(seat), score=score, opened=score > 0), seat)


def _look_again(state: State, seat: int) -> State:
    """Begin the last round, end or reopen the match as these scores would have it."""
    if state.turns and state.turns[-1].ending is TurnEnding.WIN:
        return state
    if state.rules.rounds:
        return settle(replace(state, winner=None))
    if state.closer is None:
        return _close(state, seat)
    scores = {s: player.score for s, player in enumerate(state.players)}
    there = [s for s in scores if reaches_target(state.rules, scores[s])]
    if not there:
        return replace(state, closer=None, to_follow=(), winner=None)
    closer = state.closer if state.closer in there else max(there, key=scores.__getitem__)
    return settle(replace(state, closer=closer, winner=None))


def begin_turn(state: State, after: int) -> State:
    """The turn of the player who throws after this seat, with nothing thrown yet."""
    return replace(state, turn=Turn(state.after(after), start=state.n_events + 1))


def _count_rows(state: State, ending: TurnEnding) -> tuple[State, int]:
    """Farkles and scoreless starts in a row, and what the third in a row costs."""
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
    if scoreless == PENALTY_STREAK:
        penalty, scoreless = penalty - rules.three_scoreless_starts, 0
    return _set(state, (state.turn.seat,), farkles=farkles, scoreless_starts=scoreless), penalty


def _scoreless_starts(state: State, ending: TurnEnding) -> int:
    throws = state.turn.throws
    scored = bool(throws) and bool(keep_table(state.rules)[throws[0].dice])
    began_scoreless = ending is TurnEnding.FARKLE and not scored
    return state.player.scoreless_starts + 1 if began_scoreless else 0


def _close(state: State, seat: int) -> State:
    """Open the last round, go on with it, or end the match."""
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
    """Let the next of those who follow throw; without any, whoever has most has won."""
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
    """Let the next throw who has turns left; when nobody has, whoever has most has won."""
    if state.winner is not None or state.turn.throws or state.turn.starting_points:
        return state
    played = Counter(turn.seat for turn in state.turns if not turn.broken_off)
    i = state.order.index(state.turn.seat)
    seats = (*state.order[i:], *state.order[:i])
    waiting = [seat for seat in seats if played[seat] < state.rules.rounds]
    if waiting:
        return replace(state, turn=replace(state.turn, seat=waiting[0]))
    return replace(state, winner=_leader(state, state.order[0]), left_over=None)


def last_round_seats(state: State, closer: int) -> tuple[int, ...]:
    """Who throws once more after the closer reached the target, in order."""
    if state.rules.win is Win.EXACTLY or closer not in state.order:
        return ()
    i = state.order.index(closer)
    later, earlier = state.order[i + 1 :], state.order[:i]
    mates = state.team_seats(closer)
    match state.rules.last_round:
        case LastRound.NONE:
            seats: tuple[int, ...] = ()
        case LastRound.LATER_IN_ROUND:
            seats = later
        case _:
            seats = (*later, *earlier)
    return tuple(seat for seat in seats if seat not in mates)


def _leader(state: State, closer: int) -> int:
    """Who has most; a tie stays with the one who was there first: the closer, then in order."""
    first = state.order.index(closer) if closer in state.order else 0
    seats = (closer, *state.order[first:], *state.order[:first])
    return max(seats, key=lambda seat: state.players[seat].score)


def _set(state: State, seats: tuple[int, ...], **changes: int | bool) -> State:
    players = tuple(
        replace(player, **changes) if seat in seats else player  # type: ignore[arg-type]
        for seat, player in enumerate(state.players)
    )
    return replace(state, players=players)
