"""The function that applies one event to the state of a match: keeps, the end of a turn, and changes to the players."""

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
from game.match.state import (
    LeftOver,
    Player,
    State,
    Throw,
    Turn,
    TurnEnding,
    multiplier,
    reaches_target,
    rules_of_throw,
)
from game.message import Plural, join_with_commas
from game.names import clean_name
from game.rules import scoring
from game.rules.ruleset import PENALTY_STREAK, LastRound, Ties, Win
from game.rules.scoring import Effect, Keep, keep_table

MIN_PLAYERS, MAX_PLAYERS = 2, 20
MAX_TEAM = 100

MAX_SCORE = 1_000_000
"""Largest score that can be set by hand. The limit catches typing errors."""


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
    if state.rules.opening_at_zero and state.players[seat].score <= 0:
        state = state.with_players(state.team_seats(seat), opened=False)
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
    if state.closer is None:
        return _close(replace(state, winner=None), seat)
    scores = {s: state.players[s].score for s in state.order}
    reached = [s for s in scores if reaches_target(state.rules, scores[s])]
    if not reached:
        return settle(replace(state, closer=None, to_follow=(), play_off=(), winner=None))
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
    if farkles >= PENALTY_STREAK:
        penalty -= rules.three_farkles
        farkles = farkles if rules.farkles_keep_costing else 0
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
    is_first = not replace(state.turn, throws=()).has_begun
    began_scoreless = ending is TurnEnding.FARKLE and is_first and not scored
    return state.player.scoreless_starts + 1 if began_scoreless else 0


def _close(state: State, seat: int) -> State:
    """Start the last round, continue it, or end the match, after the score of a seat has changed.

    A player who has left cannot reach the target, but a team mate who is still there can.
    """
    here = [s for s in state.team_seats(seat) if s in state.order]
    closer = state.closer
    if closer is None:
        if not here or not reaches_target(state.rules, state.players[seat].score):
            return settle(state)
        seat = seat if seat in here else here[0]
        state = replace(state, closer=seat, to_follow=last_round_seats(state, seat))
    else:
        state = replace(state, to_follow=tuple(s for s in state.to_follow if s != seat))
        until_unbeaten = state.rules.last_round is LastRound.UNTIL_UNBEATEN
        if until_unbeaten and here and closer not in here and leader(state, closer) in here:
            others = last_round_seats(state, here[0])
            left = tuple(s for s in others if s in (state.play_off or others))
            state = replace(state, closer=here[0], to_follow=left)
    return settle(state)


def settle(state: State) -> State:
    """Give the turn to the next player who still has one, or declare the winner if nobody has.

    Nothing changes before the last round, unless the match has a fixed number of rounds.
    """
    if state.rules.rounds and state.closer is None:
        return _decide_rounds(state)
    closer = state.closer
    if closer is None or state.winner is not None:
        return state
    if not state.to_follow:
        tied = _play_off(state, closer)
        state = replace(state, to_follow=tied, play_off=tied)
    if state.to_follow:
        turn = state.turn
        if turn.throws or turn.starting_points or turn.seat in state.to_follow:
            return state
        return replace(state, turn=replace(turn, seat=state.to_follow[0]))
    return replace(state, winner=leader(state, closer), left_over=None)


def _decide_rounds(state: State) -> State:
    """Give the turn to the next player with turns left.

    If there is none, the highest score wins.
    """
    if state.winner is not None or state.turn.throws or state.turn.starting_points:
        return state
    waiting = [seat for seat in state.order_from(state.turn.seat) if state.turns_left(seat)]
    if not waiting and (waiting := list(_play_off(state, state.order[0]))):
        for seat in waiting:
            more = state.players[seat].extra_turns + 1
            state = state.with_players((seat,), extra_turns=more)
    if waiting:
        return replace(state, turn=replace(state.turn, seat=waiting[0]))
    return replace(state, winner=leader(state, state.order[0]), left_over=None)


def _play_off(state: State, first: int) -> tuple[int, ...]:
    """Return the seats that have one more turn because the match would end in a tie, in order.

    Args:
        state: State of the match after the last turn.
        first: The seat that wins a tie if nobody plays on.
    """
    best = state.players[leader(state, first)].score
    tied = tuple(s for s in state.order_from(first) if state.players[s].score == best)
    is_tie = not set(tied) <= set(state.team_seats(tied[0]))
    match state.rules.ties if is_tie else Ties.NOBODY:
        case Ties.TIED_PLAYERS:
            return tied
        case Ties.EVERYBODY:
            return state.order_from(first)
    return ()


def last_round_seats(state: State, closer: int) -> tuple[int, ...]:
    """Return the seats that have one more turn after the target is reached, in order.

    Args:
        state: State of the match.
        closer: The seat that reached the target.
    """
    if state.rules.win is Win.EXACTLY:
        return ()
    match state.rules.last_round:
        case LastRound.NONE:
            seats: tuple[int, ...] = ()
        case LastRound.LATER_IN_ROUND:
            seats = state.order[state.order.index(closer) :]
        case _:
            seats = state.order_from(closer)
    return tuple(seat for seat in seats if seat not in state.team_seats(closer))


def leader(state: State, closer: int) -> int:
    """Return the seat with the highest score among the players who take part.

    Args:
        state: State of the match.
        closer: The seat that wins a tie. After it, the next seat in the order of turns does.
    """
    return max(state.order_from(closer), key=lambda seat: state.players[seat].score)


def best_opponent(state: State) -> int:
    """Return the seat with the highest score among the opponents of the current player."""
    mates = state.team_seats(state.turn.seat)
    playing = {*state.order, state.closer if state.closer is not None else state.order[0]}
    others = (seat for seat in sorted(playing) if seat not in mates)
    return max(others, key=lambda seat: state.players[seat].score)


def join(state: State, event: Joined) -> State:
    """Return the state after a player joins. The new player throws after all others.

    A player who left and joins again under the same name gets the old seat and score back.

    Args:
        state: State of the match before the event.
        event: Name and team of the player.
    """
    if len(state.order) == MAX_PLAYERS:
        raise IllegalMove("at most %(most)s players can play", most=MAX_PLAYERS)
    if (seat := _seat_to_return_to(state, event)) is not None:
        state = state.with_players((seat,), here=True)
        if state.closer is None and state.winner is None:
            state = _begin_last_round_again(state, seat)
        return _apply_changed_score(_take_seat(state, seat), seat)
    name = _new_name(state, event.name)
    player = Player(name, team=clean_team(event.team))
    if mate := next(
        (p for p in state.players if p.team is not None and p.team == event.team), None
    ):
        player = replace(player, score=mate.score, opened=mate.opened)
    return _take_seat(replace(state, players=(*state.players, player)), len(state.players))


def _begin_last_round_again(state: State, seat: int) -> State:
    """Return the state with a last round if the score of a player who comes back reaches the target.

    The players who have not played in the current round yet are later in it than that player.
    """
    if not reaches_target(state.rules, state.players[seat].score):
        return state
    i = state.order.index(state.turn.seat)
    order = (*state.order[:i], seat, *state.order[i:])
    others = last_round_seats(replace(state, order=order), seat)
    return replace(state, closer=seat, to_follow=others)


def _take_seat(state: State, seat: int) -> State:
    """Put a player last in the order of turns. The player has no turns for the rounds that are over."""
    late = max(state.turns_left(seat) - state.turns_left(state.turn.seat), 0)
    extra = state.players[seat].extra_turns - late
    return replace(state.with_players((seat,), extra_turns=extra), order=(*state.order, seat))


def leave(state: State, event: Left) -> State:
    """Return the state after a player leaves. If it was that player's turn, the next turn begins.

    Args:
        state: State of the match before the event.
        event: Seat of the player who leaves.
    """
    if event.seat not in state.order:
        raise IllegalMove("that player is not in the match: choose another one")
    check_sides(state.players, _without(state.order, event.seat))
    if event.seat == state.turn.seat:
        state = replace(begin_turn(abandon_turn(state), event.seat), left_over=None)
    state = replace(
        state.with_players((event.seat,), here=False),
        order=_without(state.order, event.seat),
        to_follow=_without(state.to_follow, event.seat),
    )
    return _apply_changed_score(state, event.seat) if state.closer == event.seat else settle(state)


def rename(state: State, event: Renamed) -> State:
    """Return the state after a player is given another name.

    Args:
        state: State of the match before the event.
        event: Seat and new name of the player.
    """
    check_seat(state, event.seat)
    name = _new_name(state, event.name, but=event.seat)
    if state.series:
        series = state.series.renamed(state.players[event.seat].name, name)
        state = replace(state, series=series)
    return state.with_players((event.seat,), name=name)


def reorder(state: State, event: Reordered) -> State:
    """Return the state after the order of turns is changed.

    Args:
        state: State of the match before the event.
        event: The new order of the seats.
    """
    if sorted(event.order) != sorted(state.order):
        here = join_with_commas([state.players[seat].display_name for seat in sorted(state.order)])
        raise IllegalMove("the order must name each player once: %(names)s", names=here)
    return replace(state, order=event.order)


def check_seat(state: State, seat: int) -> None:
    """Check that a seat exists.

    Args:
        state: State of the match.
        seat: The seat. Its player may have left.

    Raises:
        IllegalMove: If there never was such a seat.
    """
    if not 0 <= seat < len(state.players):
        n = len(state.players)
        raise IllegalMove("that seat does not exist: the match has %(n)s players", n=n)


def check_sides(players: tuple[Player, ...], order: tuple[int, ...]) -> None:
    """Check that the players who take part can form a match.

    Args:
        players: The players by seat.
        order: The seats that take part, in the order of turns.

    Raises:
        IllegalMove: If there are too few or too many players, or all of them are in one team or are
            bots.
    """
    n = len(order)
    if not MIN_PLAYERS <= n <= MAX_PLAYERS:
        raise IllegalMove(
            "a match needs %(least)s to %(most)s players, not %(n)s",
            least=MIN_PLAYERS,
            most=MAX_PLAYERS,
            n=n,
        )
    teams = {players[seat].team for seat in order}
    if len(teams) == 1 and None not in teams:
        raise IllegalMove("a match needs at least two teams, not one")
    if all(players[seat].bot for seat in order):
        raise IllegalMove("a match needs at least one person besides its bots")


def clean_team(team: int | None) -> int | None:
    """Check a team number and return it. None stands for no team.

    Raises:
        IllegalMove: If the number is negative or too large.
    """
    if team is not None and not 0 <= team <= MAX_TEAM:
        raise IllegalMove("team numbers are 0 to %(most)s, not %(team)s", most=MAX_TEAM, team=team)
    return team


def _seat_to_return_to(state: State, event: Joined) -> int | None:
    """Return the seat of the joining player if that player left before, otherwise None."""
    name = clean_name(event.name)
    for seat, player in enumerate(state.players):
        if player.name != name or player.here:
            continue
        if event.team in (None, player.team):
            return seat
        if player.team is None:
            raise IllegalMove(
                "%(name)s played without a team and can only come back without one: choose "
                "another name",
                name=name,
            )
        raise IllegalMove(
            "%(name)s played in team %(team)s and can only come back there: choose that team or "
            "another name",
            name=name,
            team=player.team,
        )
    return None


def _new_name(state: State, name: str, but: int | None = None) -> str:
    name = clean_name(name)
    if any(player.name == name for i, player in enumerate(state.players) if i != but):
        raise IllegalMove(
            "another player is already called %(name)s: choose another name", name=name
        )
    return name


def _without(seats: tuple[int, ...], seat: int) -> tuple[int, ...]:
    return tuple(other for other in seats if other != seat)


def apply_event(state: State, event: Event) -> State:
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
    effects = {e.effect: e.points for e in scoring.throw_events(throw.dice, state.rules)}
    first_try = not state.may_rethrow_last_die
    penalty = effects.get(Effect.PENALTY, 0)
    throw = replace(throw, penalty=penalty)
    state = add_points(state, state.turn.seat, penalty)
    state = replace(
        state, turn=replace(state.turn, throws=(*state.turn.throws, throw)), left_over=None
    )
    if Effect.WIN in effects:
        return replace(end_turn(state, TurnEnding.WIN), winner=state.turn.seat)
    if Effect.RESET_SCORE in effects:
        return end_turn(add_points(state, state.turn.seat, -state.player.score), TurnEnding.RESET)
    if not state.keeps:
        return _scoreless(state, first_try=first_try)
    return _scored(state, must_bank=Effect.MUST_BANK in effects)


def _scored(state: State, *, must_bank: bool) -> State:
    turn = state.turn
    if state.rules.last_die_twice and len(turn.throws[-1].dice) == 1:
        state = replace(state, turn=replace(turn, bonus=turn.bonus + state.rules.last_die_twice))
    if state.is_last_throw and state.bank_refusal():
        return end_turn(state, TurnEnding.FARKLE)
    if (must_bank or state.is_last_throw) and not state.bank_refusal():
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
    keep = find_bank_keep(state, event.dice)
    if refusal := state.bank_refusal(keep):
        raise IllegalMove(refusal)
    assert keep is not None  # noqa: S101 - a bank without a keep was refused above
    points, over = state.bank_points(keep), state.overshoots(keep)
    state = _with_keep(state, keep, assumed=event.dice is None)
    return (
        end_overshot_turn(state, points)
        if over
        else end_turn(state, TurnEnding.BANK, points=points)
    )


def find_bank_keep(state: State, dice: tuple[int, ...] | None) -> Keep | None:
    """Return the keep with which a bank ends the turn, or None if the last throw has no keep.

    Args:
        state: The state of the match.
        dice: The faces that the bank names. None stands for the best keep.

    Raises:
        IllegalMove: If the last throw has no keep of these faces.
    """
    return state.best_bank_keep if dice is None else _find_keep(state, dice)


def _find_keep(state: State, dice: tuple[int, ...]) -> Keep:
    """Return the keep of the last throw that consists of exactly these dice, with its points in this turn.

    Args:
        state: The state of the match.
        dice: The faces to keep.

    Raises:
        IllegalMove: If there is no throw in this turn, the dice are not in it, or some of them do not score.
    """
    last = state.turn.last
    if last is None:
        raise IllegalMove(
            "throw first: %(name)s has not thrown in this turn", name=state.player.display_name
        )
    before = state.turn.before_last
    keep = scoring.find_keep(last.dice, dice, rules_of_throw(before, state.rules))
    return scoring.multiply(keep, multiplier(before.throws, state.rules))


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
        raise IllegalMove("there are no banked points to take over now")
    left = state.left_over
    turn = replace(state.turn, starting_points=left.points, dice=left.dice, took_over=True)
    return replace(state, turn=turn, left_over=None)


def _score_set(state: State, event: ScoreSet) -> State:
    check_seat(state, event.seat)
    if abs(event.score) > MAX_SCORE:
        raise IllegalMove(
            "a score can be at most %(most)s, not %(score)s", most=MAX_SCORE, score=event.score
        )
    rules = state.rules
    if rules.win is Win.EXACTLY and rules.has_target and event.score > rules.target:
        raise IllegalMove(
            "the target must be reached exactly: set at most %(target)s points", target=rules.target
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
