"""A review of a match: how much luck the players had, and how much their decisions gave away.

Luck is the change that a throw makes to the value of a turn under best play. Over many throws, luck
averages zero, whatever a player keeps. A decision gives away the difference between the best choice
and the choice that was made.

With two players, the chances of winning come from the solved match (see `game.odds.match_odds`);
with more players, from a race (see `game.odds.race`). With teams, they are calculated for two
players: the current player and the best opponent.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum

from game.errors import OddsError
from game.match.apply_event import apply_event, best_opponent, leader
from game.match.events import Banked, Thrown
from game.match.match import Match, replay
from game.match.state import State, TurnEnding, keeps_after
from game.message import Message
from game.odds.advice import (
    POINTS_TOLERANCE,
    WIN_TOLERANCE,
    MatchPosition,
    TurnOdds,
    TurnOption,
    board_of,
    turn_odds,
)
from game.odds.estimate import estimated_turn
from game.odds.match_odds import MatchOdds, left_out_of_match
from game.odds.race import cached_race, last_race_turn, race_turn
from game.odds.rounds_odds import RoundsOdds
from game.odds.several_players import PLAYERS, exact_three
from game.odds.turn_odds import points_table
from game.rules.ruleset import Dice, LastRound, Piggyback, Ruleset, Ties, Win
from game.rules.scoring import Keep

_TWO = 2

_USUAL_POINTS = 2_000
"""Few turns score more points than this. The odds of a turn are first worked out up to this many points."""


class Cause(StrEnum):
    """Whether luck or a decision made a difference."""

    LUCK = "luck"
    DECISION = "decision"


@dataclass(frozen=True, slots=True)
class KeepChoice:
    """A decision: the dice kept, and whether the turn was banked."""

    dice: Dice
    bank: bool


@dataclass(frozen=True, slots=True)
class ReviewedMoment:
    """A throw or a decision, and the difference that it made for the current player.

    Attributes:
        event: Index of its event in the match's timeline.
        turn: Number of turns that were finished before this turn.
        seat: Seat of the player.
        kind: Whether luck or a decision made the difference.
        points: Gain in average points, for a decision at most 0.
        win: Gain in the chance of winning, or None if it is not known.
        done: The decision that was made; None for luck.
        best: The best decision; None for luck.
        risked: Points that could have been banked, but were put at risk.
        options: What each keep would have led to, if the decision was a mistake.
    """

    event: int
    turn: int
    seat: int
    kind: Cause
    points: float
    win: float | None
    done: KeepChoice | None = None
    best: KeepChoice | None = None
    risked: int = 0
    options: tuple[TurnOption, ...] = ()


@dataclass(frozen=True, slots=True)
class WinChance:
    """The chance of winning for the player whose turn begins.

    Attributes:
        event: Index of the turn's first event in the match's timeline.
        seat: Seat of the player.
        win: The chance, from 0 to 1.
    """

    event: int
    seat: int
    win: float


@dataclass(frozen=True, slots=True)
class Review:
    """The review of a match.

    Attributes:
        moments: Throws and decisions in order.
        curve: Chances of winning at the start of each turn.
        of_two: Whether the match has exactly two players.
    """

    moments: tuple[ReviewedMoment, ...]
    curve: tuple[WinChance, ...]
    of_two: bool

    def total(self, seat: int, kind: Cause) -> tuple[float, float]:
        """Return a player's total gain from luck or decisions: in points, and in chance of winning.

        Args:
            seat: Seat of the player.
            kind: Luck or decisions.
        """
        mine = [m for m in self.moments if m.seat == seat and m.kind is kind]
        return sum(m.points for m in mine), sum(m.win or 0.0 for m in mine)

    @property
    def turning_point(self) -> ReviewedMoment | None:
        """The moment that changed the chance of winning the most, or None if no chances are known."""
        known = [m for m in self.moments if m.win is not None]
        return max(known, key=lambda m: abs(m.win or 0.0), default=None)


def position_of(state: State) -> MatchPosition:
    """Return the match from the current player's point of view, against the opponent with the highest score."""
    seat, other = state.turn.seat, state.players[best_opponent(state)]
    return MatchPosition(
        mine=state.player.score,
        theirs=other.score,
        second=state.closer is not None or seat == state.order[-1],
        opened=state.player.opened,
        other_opened=other.opened,
        farkles=state.player.farkles,
        other_farkles=other.farkles,
        turns_left=_turns_left_of_two(state),
    )


def _turns_left_of_two(state: State) -> int:
    """Return the turns left in a match of two players with a fixed number of turns, or 0 if it is another match."""
    alone = all(player.team is None for player in state.players)
    if not state.rules.rounds or len(state.order) != _TWO or not alone:
        return 0
    left = [state.turns_left(seat) for seat in state.order]
    is_first = state.turn.seat == state.order[0]
    return sum(left) if left[1] - left[0] == (not is_first) else 0


def is_race(state: State) -> bool:
    """Return whether more than two players without teams play for a target that all may exceed."""
    alone = all(player.team is None for player in state.players)
    rules = state.rules
    plain = rules.win is not Win.EXACTLY and not state.is_charity_roll and not rules.rounds
    return alone and plain and len(state.order) > _TWO


def _of_several(state: State, wins: MatchOdds, most: int) -> TurnOdds:
    """Return the odds of a turn against several opponents, up to `most` points at risk."""
    opened, seat, model = state.player.opened, state.turn.seat, cached_race(wins)
    points, steps = points_table(state.rules, opened=opened), most // wins.step + 1

    def score(other: int) -> int:
        return min(max(state.players[other].score // wins.step, 0), model.goal - 1)

    others = [*map(score, state.order_from(seat)[1:])]
    three = exact_three(wins)
    if three is not None and is_exact(state, wins):
        scores = score(seat), others[0], others[1]
        turn = three.turn(scores, state.order.index(seat), most=steps)
    elif state.closer is None:
        later = len(state.order) - 1 - state.order.index(seat)
        turn = race_turn(model, score(seat), others, later, opened=opened, most=steps)
    else:
        best = state.players[best_opponent(state)].score // wins.step
        after = [score(other) for other in state.to_follow if other != seat]
        turn = last_race_turn(model, score(seat), best, after, opened=opened, most=steps)
    lost = float(turn.stakes.lost[0])
    return TurnOdds(state.rules, position_of(state), points, turn.banked, turn.worth, lost)


def is_exact(state: State, wins: MatchOdds | None) -> bool:
    """Return whether a match of three players has an exact solution, which covers all turns before the last round."""
    solved = wins is not None and exact_three(wins) is not None
    return solved and len(state.order) == PLAYERS and state.closer is None


def is_estimate(state: State, wins: MatchOdds | None) -> bool:
    """Return whether no solution covers the match: none exists, or several players need an exact target."""
    if wins is None or not wins.solved:
        return True
    if state.rules.rounds:
        return not _turns_left_of_two(state)
    alone = all(player.team is None for player in state.players)
    return alone and len(state.order) > _TWO and state.rules.win is Win.EXACTLY


def turn_odds_of(
    state: State, wins: MatchOdds | None, *, most: int = 0, estimate: bool = False
) -> TurnOdds:
    """Return the odds of the current turn, without chances of winning if they are not known.

    Args:
        state: State of the match.
        wins: The solved two-player match, or None.
        most: Highest number of points at risk for which the odds are needed.
        estimate: Whether to estimate chances of winning that are not known.
    """
    if wins is not None and wins.solved and state.winner is None and is_race(state):
        return _of_several(state, wins, most)
    table = position_of(state)
    try:
        odds = turn_odds(state.rules, table, wins, most=most)
    except OddsError:
        odds = turn_odds(state.rules, table, None, most=most)
    unknown = odds.worth is None or is_estimate(state, wins)
    turn = estimated_turn(state, most) if estimate and unknown else None
    if turn is not None:
        lost = float(turn.stakes.lost[0])
        odds = replace(odds, banked=turn.banked, worth=turn.worth, lost=lost)
    return replace(odds, is_charity_roll=state.is_charity_roll)


def keep_options(
    state: State, wins: MatchOdds | None, *, estimate: bool = True
) -> tuple[TurnOption, ...]:
    """Return the choice that each legal keep of the last throw leads to, best first.

    A bank that ends the match, or leaves its
    player without another turn, has a known result: it wins or loses.

    Args:
        state: State of the match.
        wins: The solved two-player match, or None.
        estimate: Whether to estimate chances of winning that are not known.
    """
    odds = turn_odds_of(state, wins, most=_most(state), estimate=estimate)
    found = [_with_known_result(state, option) for option in _options(state, odds)]
    by_value = sorted(found, key=lambda option: (-(option.win or 0.0), -option.worth))
    return tuple(sorted(by_value, key=lambda option: not option.wins_at_once))


def _with_known_result(state: State, option: TurnOption) -> TurnOption:
    result = None if option.keep is None else result_of_bank(state, option.keep)
    return option if result is None else replace(option, win_banked=result)


def result_of_bank(state: State, keep: Keep) -> float | None:
    """Return 1 if banking wins the match, 0 if it loses, and None if the match stays open or the bank is refused.

    Args:
        state: State of the match after a throw.
        keep: A legal keep of the throw.
    """
    if _cannot_decide(state, keep) or state.bank_refusal(keep) is not None:
        return None
    banked, mates = apply_event(state, Banked(keep.dice)), state.team_seats(state.turn.seat)
    if banked.winner is not None:
        return float(banked.winner in mates)
    if banked.closer is not None:
        best, turns = leader(banked, banked.closer), len(set(mates) & set(banked.to_follow))
    elif state.rules.rounds:
        best = leader(banked, banked.order[0])
        rivals = banked.team_seats(best) if _can_lose_points(state.rules) else ()
        turns = sum(banked.turns_left(seat) for seat in (*mates, *rivals) if seat in banked.order)
    else:
        return None
    is_tie = banked.players[best].score == banked.players[state.turn.seat].score
    if best in mates or turns or (is_tie and state.rules.ties is not Ties.NOBODY):
        return None
    return 0.0


def _cannot_decide(state: State, keep: Keep) -> bool:
    """Return whether a bank stays below the target, and the player has another turn."""
    rules = state.rules
    if state.closer is not None or (rules.rounds and state.turns_left(state.turn.seat) <= 1):
        return False
    return not rules.has_target or state.bank_total(keep) < rules.target


def _can_lose_points(rules: Ruleset) -> bool:
    """Return whether a turn can lower its player's score."""
    penalties = rules.three_farkles, rules.scoreless_start, rules.three_scoreless_starts
    others = rules.take_over_farkle, rules.triple_threes, rules.four_twos_reset, rules.knock_back
    return any((*penalties, *others))


def _options(state: State, odds: TurnOdds) -> tuple[TurnOption, ...]:
    return odds.options(state.turn.locked_points, state.keeps)


def _most(state: State) -> int:
    """Return the most points that the turn can have at risk after the last throw."""
    return max(map(state.bank_points, state.keeps), default=state.turn.locked_points)


def review(match: Match, wins: MatchOdds | None = None, *, since: int = 0) -> Review:
    """Return a review of a match: the difference that each throw and each decision made.

    Args:
        match: The match.
        wins: The solved two-player match. If it is None, only average points are known.
        since: Index of the first event to review, in the match's timeline.
    """
    reader = _Reviewer(wins)
    for state, event, after in replay(match):
        if state.n_events < since:
            continue
        if isinstance(event, Thrown):
            reader.decided_to_throw(state)
            reader.thrown(state, event, after)
        elif isinstance(event, Banked):
            keep = state.best_bank_keep if event.dice is None else None
            reader.banked(state, keep.dice if keep else tuple(sorted(event.dice or ())), after)
    return Review(
        tuple(reader.moments), tuple(reader.curve), of_two=len(match.state.players) == _TWO
    )


@dataclass(slots=True)
class _Reviewer:
    """A recorder of the difference that each event of a match made. The events must be passed in order."""

    wins: MatchOdds | None
    moments: list[ReviewedMoment] = field(default_factory=list)
    curve: list[WinChance] = field(default_factory=list)
    _before: TurnOption | None = None
    _odds: TurnOdds | None = None
    _board: tuple[object, ...] = ()
    _reach: int = 0

    def _odds_of(self, state: State, most: int) -> TurnOdds:
        """Return the odds of the turn, up to at least `most` points at risk.

        The odds are cached, and worked out again if more points are at risk than they cover.
        """
        board = state.turn.seat, state.players, state.closer
        if self._odds is None or board != self._board or most > self._reach:
            self._reach, self._board = max(most, _USUAL_POINTS), board
            self._odds = turn_odds_of(state, self.wins, most=self._reach)
        return self._odds

    def thrown(self, state: State, event: Thrown, after: State) -> None:
        """Record the luck of a throw: the value of the turn after the throw minus the value before.

        Args:
            state: State of the match before the throw.
            event: The throw.
            after: State of the match after the throw.
        """
        if not state.may_rethrow_last_die:
            self._before = self._going_to_throw(state)
        before = self._before
        if before is None or (after.may_rethrow_last_die and len(after.turns) == len(state.turns)):
            return  # the last die still has its second try
        options = self._choices_after(state, event, after)
        points = max((option.worth for option in options), default=0.0)
        win = max((o.win for o in options if o.win is not None), default=None)
        if after.winner == state.turn.seat and after.turns[-1].ending is TurnEnding.WIN:
            win = 1.0
        elif not options and before.win_thrown is not None:
            reset = after.turns[-1].ending is TurnEnding.RESET
            known = self._odds_of(state, state.turn.at_risk).lost
            win = _chance_after_nothing(state, self.wins, reset=reset) if known is None else known
        change = None if win is None or before.win_thrown is None else win - before.win_thrown
        self._record(state, Cause.LUCK, points - before.points, change)

    def _going_to_throw(self, state: State) -> TurnOption:
        at_risk = state.turn.at_risk
        odds = self._odds_of(state, at_risk)
        option = odds.option(at_risk, state.dice_in_hand)
        if not state.turn.throws and option.win_thrown is not None:
            self.curve.append(WinChance(state.n_events, state.turn.seat, option.win_thrown))
        return option

    def decided_to_throw(self, state: State) -> None:
        """Record the decision to throw again."""
        last = state.turn.last
        if last is None or last.keep is None:
            return
        options = _options(state, self._odds_of(state, _most(state)))
        chosen = next(option for option in options if option.keep == last.keep)
        self._decision(state, options, chosen, bank=False)

    def banked(self, state: State, dice: tuple[int, ...], after: State) -> None:
        """Record the decision to bank. One that wins the match is no mistake, whatever throwing again earns on average.

        Args:
            state: State of the match before the bank.
            dice: The faces kept from the last throw.
            after: State of the match after the bank.
        """
        options = _options(state, self._odds_of(state, _most(state)))
        chosen = next(option for option in options if option.keep and option.keep.dice == dice)
        if chosen.win_banked is None and after.winner in state.team_seats(state.turn.seat):
            choice = _choice(chosen, bank=True)
            self._record(state, Cause.DECISION, 0.0, None, done=choice, best=choice)
        else:
            self._decision(state, options, chosen, bank=True)

    def _decision(
        self, state: State, options: tuple[TurnOption, ...], chosen: TurnOption, *, bank: bool
    ) -> None:
        points = float(chosen.at_risk) if bank else chosen.points
        win = chosen.win_banked if bank else chosen.win_thrown
        best = max((o.win for o in options if o.win is not None), default=None)
        given = None if win is None or best is None else win - best
        most = max(option.worth for option in options)
        self._record(
            state,
            Cause.DECISION,
            points - most,
            given,
            done=_choice(chosen, bank=bank),
            best=_choice(options[0], bank=options[0].should_bank),
            risked=0 if bank or chosen.refused else chosen.at_risk,
        )
        if is_mistake(self.moments[-1]):
            self.moments[-1] = replace(self.moments[-1], options=options)

    def _choices_after(self, state: State, event: Thrown, after: State) -> tuple[TurnOption, ...]:
        """Return the choices after a throw, or only the bank if the throw was banked automatically.

        Args:
            state: State of the match before the throw.
            event: The throw.
            after: State of the match after the throw.
        """
        ended = after.turns[-1] if len(after.turns) > len(state.turns) else None
        if ended and ended.ending in (TurnEnding.RESET, TurnEnding.FARKLE):
            return ()
        dice = tuple(sorted(event.dice))
        keeps = keeps_after(state.turn, dice, state.rules)
        single = state.rules.last_die_twice if len(dice) == 1 else 0
        at_risk = state.turn.at_risk + single
        most = at_risk + max((keep.score for keep in keeps), default=0)
        options = self._odds_of(state, most).options(at_risk, keeps)
        if ended is None or ended.last is None or ended.ending is TurnEnding.WIN:
            return options
        banked = next(option for option in options if option.keep == ended.last.keep)
        return (replace(banked, points=float(banked.at_risk), win_thrown=None),)

    def _record(
        self,
        state: State,
        kind: Cause,
        points: float,
        win: float | None,
        *,
        done: KeepChoice | None = None,
        best: KeepChoice | None = None,
        risked: int = 0,
    ) -> None:
        turn, seat = len(state.turns), state.turn.seat
        self.moments.append(
            ReviewedMoment(state.n_events, turn, seat, kind, points, win, done, best, risked)
        )


def _choice(option: TurnOption, *, bank: bool) -> KeepChoice:
    return KeepChoice(option.keep.dice if option.keep else (), bank)


def _chance_after_nothing(
    state: State, wins: MatchOdds | None, *, reset: bool = False
) -> float | None:
    """Return the chance of winning after a farkle or a reset of the score, or None if it is unknown.

    Args:
        state: State of the match before the throw that ends the turn.
        wins: The solved two-player match, or None.
        reset: Whether the throw resets the score. If it is False, the throw farkles.
    """
    if wins is None or not wins.solved:
        return None
    rules, seen = state.rules, position_of(state)
    if reset:
        seen = replace(seen, mine=0, farkles=0)
        after = replace(seen.after_nothing(0, None), other_farkles=0)
    else:
        after = seen.after_nothing(rules.three_farkles, None if rules.below_zero else 0)
    try:
        if isinstance(wins, RoundsOdds):
            return 1 - wins.win(after.mine - after.theirs, after.turns_left, after.on_boards)
        return 1 - wins.chance(board_of(wins, after))
    except OddsError:
        return 0.0  # the other player has reached the target, and this was the last turn


class MistakeKind(StrEnum):
    """The kinds of mistakes, by the action that would have been better."""

    BANKED = "banked"
    """Throw again instead of banking."""

    THREW = "threw"
    """Bank instead of throwing again."""

    KEPT = "kept"
    """Keep other dice."""


@dataclass(frozen=True, slots=True)
class MistakeSum:
    """All mistakes of one kind that a player made in a match.

    Attributes:
        kind: The kind.
        count: Number of mistakes.
        points: Change in average points that the mistakes caused, at most 0.
        win: Change in the chance of winning that the mistakes caused, at most 0; None if it is not
            known.
    """

    kind: MistakeKind
    count: int
    points: float
    win: float | None


def mistakes(review: Review, seat: int) -> tuple[MistakeSum, ...]:
    """Return the mistakes of a player by kind, the costliest first.

    Args:
        review: The review of the match.
        seat: Seat of the player.
    """
    found: dict[MistakeKind, list[ReviewedMoment]] = {}
    for moment in review.moments:
        if moment.seat == seat and moment.done and moment.best and is_mistake(moment):
            found.setdefault(_kind(moment.done, moment.best), []).append(moment)
    sums = (_sum(kind, moments) for kind, moments in found.items())
    return tuple(sorted(sums, key=lambda each: (each.win or 0.0, each.points)))


def is_mistake(moment: ReviewedMoment) -> bool:
    """Return whether a decision gave away more than a negligible difference."""
    if moment.win is not None:
        return moment.win < -WIN_TOLERANCE
    return moment.points < -POINTS_TOLERANCE


def _kind(done: KeepChoice, best: KeepChoice) -> MistakeKind:
    if done.bank == best.bank:
        return MistakeKind.KEPT
    return MistakeKind.BANKED if done.bank else MistakeKind.THREW


def _sum(kind: MistakeKind, moments: list[ReviewedMoment]) -> MistakeSum:
    wins = [moment.win for moment in moments if moment.win is not None]
    points = sum(moment.points for moment in moments)
    return MistakeSum(kind, len(moments), points, sum(wins) if wins else None)


class Caveat(StrEnum):
    """A rule or a circumstance that the chances of winning do not take into account."""

    LEADER = "leader"
    """With teams, the chance is calculated for a two-player match against the best opponent."""

    ESTIMATE = "estimate"
    """The match is not solved, so the chance is a rough estimate."""

    SEVERAL = "several"
    """With more than two players, the chance is an estimate, off by about one percentage point."""

    TAKING_OVER = "taking over"
    """The chances assume that nobody takes over what another player has banked."""

    PENALTIES = "penalties"
    """The chances assume that three 3s and three scoreless starts cost nothing."""

    MULTIPLIED = "multiplied"
    """The chances assume that hot dice do not multiply points."""

    OTHER = "other"
    """Other rules of the match, which `game.odds.match_odds` lists."""


@dataclass(frozen=True, slots=True)
class Figures:
    """The odds of a match in its current state.

    Attributes:
        solved: Whether chances of winning are known.
        caveats: The rules and circumstances that the chances of winning leave out, and whether
            they are only estimated.
        keeps: The choice that each legal keep of the last throw leads to, best first.
        before: The choice before the first throw of a turn; None once the player has thrown.
        turn: Luck and decisions of the turn that ended last.
        decision: The newest decision of a person, in this turn or the previous one; None if there
            is none.
    """

    solved: bool
    caveats: tuple[Caveat, ...]
    left_out: tuple[Message, ...] = ()
    keeps: tuple[TurnOption, ...] = ()
    before: TurnOption | None = None
    turn: tuple[ReviewedMoment, ...] = ()
    decision: ReviewedMoment | None = None

    @property
    def win(self) -> float | None:
        """The chance of winning for the current player, with best play; None if it is not known."""
        best = self.keeps[0] if self.keeps else self.before
        return best.win if best else None


def figures(match: Match, wins: MatchOdds | None) -> Figures:
    """Return the odds of a match.

    Args:
        match: The match.
        wins: The solved two-player match. If it is None, only average points are known.
    """
    state = match.state
    solved = wins is not None and wins.solved
    known, left_out = tuple(_caveats(state, wins)), left_out_of_match(state.rules)
    newest = _newest_moments(match, wins)
    turn, decision = _last_turn(match, newest), _last_decision(match, newest)
    if state.winner is not None:
        return Figures(solved, known, left_out, turn=turn, decision=decision)
    found = Figures(
        solved,
        known,
        left_out,
        keeps=keep_options(state, wins) if state.keeps else (),
        before=None if state.turn.throws else _before(state, wins),
        turn=turn,
        decision=decision,
    )
    estimated = found.win is not None and is_estimate(state, wins)
    return replace(found, caveats=(Caveat.ESTIMATE,)) if estimated else found


def _before(state: State, wins: MatchOdds | None) -> TurnOption:
    at_risk = state.turn.at_risk
    odds = turn_odds_of(state, wins, most=at_risk, estimate=True)
    return odds.option(at_risk, state.dice_in_hand)


def _newest_moments(match: Match, wins: MatchOdds | None) -> tuple[ReviewedMoment, ...]:
    """Return the reviewed throws and decisions since the start of a person's last finished turn."""
    state = match.state
    own = (turn for turn in reversed(state.turns) if state.players[turn.seat].bot is None)
    newest = next(own, None)
    return review(match, wins, since=newest.start if newest else 0).moments


def _last_turn(match: Match, moments: tuple[ReviewedMoment, ...]) -> tuple[ReviewedMoment, ...]:
    return tuple(moment for moment in moments if moment.turn == len(match.state.turns) - 1)


def _last_decision(match: Match, moments: tuple[ReviewedMoment, ...]) -> ReviewedMoment | None:
    """Return the newest decision of a person, or None once a person has thrown in a later turn."""
    state = match.state
    own = (m for m in reversed(moments) if m.done and state.players[m.seat].bot is None)
    newest = next(own, None)
    has_thrown_since = state.player.bot is None and state.turn.throws
    is_old = newest is not None and newest.turn < len(state.turns)
    return None if has_thrown_since and is_old else newest


def caveats(match: Match, wins: MatchOdds | None = None) -> tuple[Caveat, ...]:
    """Return the rules and circumstances that the chances of winning a match leave out.

    A charity roll in progress makes no difference to the result.
    """
    return tuple(_caveats(replace(match.state, closer=None), wins))


def _caveats(state: State, wins: MatchOdds | None) -> Iterator[Caveat]:
    rules = state.rules
    if is_race(state) and is_exact(state, wins):
        pass
    elif is_race(state):
        yield Caveat.SEVERAL
    elif len(state.order) > _TWO or any(player.team is not None for player in state.players):
        yield Caveat.LEADER
    if rules.piggyback is not Piggyback.NO:
        yield Caveat.TAKING_OVER
    if rules.three_scoreless_starts or rules.triple_threes:
        yield Caveat.PENALTIES
    if rules.hot_dice_multiply:
        yield Caveat.MULTIPLIED
    turns = rules.scoreless_start or rules.must_beat_turn or rules.most_throws
    farkles = rules.farkles_keep_costing or rules.opening_at_zero
    endings = rules.ties is not Ties.NOBODY or rules.last_round is LastRound.UNTIL_UNBEATEN
    if rules.knock_back or rules.nothing_first_throw or turns or farkles or endings:
        yield Caveat.OTHER
