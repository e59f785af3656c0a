"""The chance of winning with more than two players, modelled as a race for the target.

Every player is assumed to play as well as in a two-player match against the leading opponent, with
the score that this opponent is likely to have by then. The score of each player after any number of
turns is then an independent random variable. The winner is the player who reaches the target first
and is not overtaken in the last round. Only the current turn is played optimally against all
opponents.

An exact solution would need the scores of all players, which multiplies the number of boards by two
hundred for each additional player. `docs/odds.md` gives the measured error of this model.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from game.odds.compiled_rules import CompiledRules, Floats, Indices
from game.odds.match_model import Positions
from game.odds.match_odds import MatchOdds
from game.odds.throw_odds import last_turns
from game.odds.turn_solver import REFUSED, Stakes, TurnValues, n_rows, solve_turn, turn_outcomes
from game.rules.ruleset import LastRound

_CUT_OFF = 1e-4
"""The race is followed until the chance that nobody has reached the target is below this."""

_EPSILON = 1e-12

_MOST_TURNS = 300

_N_KNOTS = 14
"""Number of scores of each player at which the race is compared with the exact two-player match.
The values between them are interpolated."""

_MIN_CORRECTION, _MAX_CORRECTION = 0.5, 1.1
"""Limits of the correction factor. Without them, the factor would be too extreme where both chances are close to 0."""

_SAMPLE_STEPS = 0, 12, 36
"""The numbers of banked steps for which the opponents' reaction is worked out. The values between
them are interpolated."""

_MAX_TURN_STEPS = 80
"""Steps that a turn hardly ever exceeds. Players are assumed to bank as soon as they have this many at risk."""

_MARGIN_STEPS = 60
"""Steps beyond the target up to which throwing again for a safer lead is considered: usually 3,000
points."""


_N_ABOVE = 40
"""Number of scores above the target that are distinguished. A higher score counts as the highest."""

_AHEAD_SHARES = (0.0, 0.3, 0.5, 0.6, 0.7, 0.78, 0.85, 0.9, 0.94, 0.97, 0.99)
"""The scores of the best opponent for which turns are modelled, as shares of the target."""


@dataclass(frozen=True)
class Race:
    """A model of how the players of a match progress turn by turn. Scores are in steps of points.

    The seat is 1 for the player who throws last in a round, if that makes a difference, else 0. A
    level is an index into `ahead`. "Above" is a number of steps above the target.

    Attributes:
        throws: The compiled rules.
        follows: Which players have a last turn after the target is reached.
        ahead: The scores of the best opponent for which turns are modelled, in steps, indexed by level.
        step: Chance that a turn leads from one score to another below the target, indexed by [seat,
            level, score before, score after].
        reach: Chance that a turn ends this far above the target, indexed by [seat, level, score
            before, above].
        wins: Chance that a turn contains a throw that wins at once, indexed by [seat, level, score
            before].
        catching: Chance that a last turn banks at least n steps, indexed by whether the player is
            on the board (0 or 1) and by n.
        topping: Chance that a last turn overtakes the best score, indexed by [score before, best
            score (above), new score (above)].
        exact: Exact chance of winning after a turn in a two-player match, indexed by [seat of the
            other player, own score, score of the other player].
        correction: Ratio of the exact chance to the chance in the race, indexed like `exact`.
    """

    throws: CompiledRules
    follows: LastRound
    ahead: Indices
    step: Floats
    reach: Floats
    wins: Floats
    catching: Floats
    topping: Floats
    exact: Floats
    correction: Floats

    @property
    def goal(self) -> int:
        """The target, in steps."""
        return int(self.step.shape[2])

    @property
    def seats(self) -> int:
        """Number of seats to distinguish: 1 if it does not matter who throws last in a round, else 2."""
        return len(self.step)

    def seat(self, *, last: bool) -> int:
        """Return the seat of a player.

        Args:
            last: True for the player who throws last in a round, False for all others.
        """
        return int(last) * (self.seats - 1)

    def against(self, best: float) -> int:
        """Return the index of the score in `ahead` that is nearest to the score `best`, in steps."""
        return int(np.abs(self.ahead - best).argmin())

    @cached_property
    def caught(self) -> Floats:
        """Chance that a last turn overtakes a score, indexed by [own score, that score minus the target]."""
        found: Floats = self.topping.sum(axis=2)
        return found

    def passing(self, score: int, others: Indices) -> Floats:
        """Return the chance that a last turn overtakes each of these scores.

        Args:
            score: Score before the turn, in steps.
            others: Scores to overtake, in steps.
        """
        short = np.clip(others - score + 1, 0, self.catching.shape[1] - 1)
        found: Floats = self.catching[int(score > 0), short]
        return found

    def places(self, scores: Sequence[int], seats: Sequence[int]) -> tuple[Floats, Indices]:
        """Return the chances of all scores short of the target, after each number of turns.

        The chances are indexed by [turns, player, score]. The second result, indexed by [turns,
        player], states where to find the best opponent's score in the attribute `ahead`.

        Args:
            scores: Scores of the players in steps.
            seats: Seats of the players.
        """
        at, against = [np.eye(self.goal)[list(scores)]], []
        while at[-1].sum(axis=1).prod() > _CUT_OFF and len(at) < _MOST_TURNS:
            against.append(np.array([self.against(best) for best in _best_of_others(at[-1])]))
            turns = zip(at[-1], seats, against[-1], strict=True)
            at.append(np.array([one @ self.step[seat, level] for one, seat, level in turns]))
        return np.array([*at, np.zeros_like(at[0])]), np.array([*against, against[-1], against[-1]])


def _best_of_others(at: Floats) -> list[int]:
    """Return, for each player, the median of the opponents' highest score below the target.

    `at` is the chance of each score, indexed by [player, score].
    """
    among = np.maximum(at.sum(axis=1, keepdims=True), _EPSILON)
    below = (at / among).cumsum(axis=1)
    others = [np.delete(below, i, axis=0).prod(axis=0) for i in range(len(at))]
    return [int(np.searchsorted(each, 0.5)) for each in others]


def cached_race(wins: MatchOdds) -> Race:
    """Return the race model of a solved match, which is built only once."""
    found: Race = wins.__dict__.get("race") or build_race(wins)
    wins.__dict__["race"] = found
    return found


def build_race(wins: MatchOdds) -> Race:
    """Return the race model of a solved match."""
    model = wins.model
    goal = model.ending.goal
    ahead = np.unique((np.array(_AHEAD_SHARES) * goal).astype(np.intp))
    seats = range(model.ending.seats)
    parts = [[_against(wins, int(other), seat) for other in ahead] for seat in seats]
    step, reach, won = (
        np.array([[against[i] for against in of_seat] for of_seat in parts]) for i in range(3)
    )
    last_round, catching = wins.rules.last_round, model.ending.catching
    exact = _exact(wins)
    topping = _topping(wins)
    found = Race(
        model.throws,
        last_round,
        ahead,
        step,
        reach,
        won,
        catching,
        topping,
        exact,
        np.ones_like(exact),
    )
    return replace(found, correction=_correction(found))


def _topping(wins: MatchOdds) -> Floats:
    """Return the array `Race.topping`: the chances of last turns that try to overtake the best score."""
    goal, followed = wins.model.ending.goal, wins.rules.last_round is not LastRound.NONE
    found = np.zeros((goal, _N_ABOVE, _N_ABOVE))
    if not followed:
        return found
    ended = [last_turns(wins.rules, goal + _N_ABOVE, opened=opened) for opened in (False, True)]
    for score in range(goal):
        banked = ended[score > 0]
        for above in range(_N_ABOVE):
            short = goal + above + 1 - score
            got = banked[short:, short]
            n = min(len(got), _N_ABOVE - 1 - above)
            found[score, above, above + 1 : above + 1 + n] = got[:n]
            found[score, above, -1] += got[n:].sum()
    return found


def _exact(wins: MatchOdds) -> Floats:
    """Return the array `Race.exact`, taken from the solution of the two-player match."""
    goal = wins.model.ending.goal
    numbers = np.array([wins.model.standings.find(n, opened=n > 0) for n in range(goal)])
    seats = [1 - np.array(of_seat[np.ix_(numbers, numbers)]).T for of_seat in wins.chances]
    return np.array(seats)


def _correction(race: Race) -> Floats:
    """Return the array `Race.correction`, which allows for players who adapt to the opponent during the race."""
    known = np.linspace(0, race.goal - 1, _N_KNOTS).astype(np.intp)
    found = np.ones_like(race.exact)
    for seat in range(race.seats):
        raced = [
            [Rivals(race, (theirs,), seat, mine).after_bank()[mine] for theirs in map(int, known)]
            for mine in map(int, known)
        ]
        exact = race.exact[seat][np.ix_(known, known)]
        found[seat] = _interpolate(known, exact / np.maximum(raced, _EPSILON))
    return np.clip(found, _MIN_CORRECTION, _MAX_CORRECTION)


def _interpolate(known: Indices, values: Floats) -> Floats:
    """Interpolate values between the known scores, indexed by [score, score of the other player]."""
    every = np.arange(known[-1] + 1)
    rows = np.array([np.interp(every, known, row) for row in values])
    return np.array([np.interp(every, known, column) for column in rows.T]).T


def _against(wins: MatchOdds, other: int, seat: int) -> tuple[Floats, Floats, Floats]:
    """Return where a turn leads from each score, against an opponent with the score `other`.

    The results are `Race.step`, `Race.reach` and `Race.wins` for one seat and one opponent's score.
    """
    model, goal = wins.model, wins.model.ending.goal
    numbers = np.array([model.standings.find(n, opened=n > 0) for n in range(goal)])
    nothing = np.zeros(goal, np.intp)
    boards = Positions(nothing + seat, numbers, nothing + numbers[other])
    boards = wins.stakes.sorted_by_top(boards, wins.chances)
    highest = min(goal, _MAX_TURN_STEPS) + _MARGIN_STEPS
    lost = model.value_of_farkle(boards, wins.chances)
    stakes = wins.stakes.stakes(boards, wins.chances, lost, highest=highest)
    ended = turn_outcomes(model.throws, stakes, solve_turn(model.throws, stakes))
    order = np.argsort(model.standings.score[boards.mine])
    banked, won, reset = ended.banked[:, order].T, ended.won[order], ended.reset[order]
    step, reach = np.zeros((goal, goal)), np.zeros((goal, _N_ABOVE))
    for score in range(goal):
        to_go = goal - score
        few = min(to_go, banked.shape[1])
        step[score, score : score + few] = banked[score, :few]
        above = banked[score, to_go:][:_N_ABOVE]
        reach[score, : len(above)] = above
        reach[score, -1] += banked[score, to_go:][_N_ABOVE:].sum()
    step[:, 0] += reset
    step[np.diag_indices(goal)] += 1 - step.sum(axis=1) - reach.sum(axis=1) - won
    return step, reach, won


@dataclass(frozen=True)
class Rivals:
    """The opponents of the current player.

    Attributes:
        race: The race model of the match.
        scores: Scores of the opponents in steps. The opponent who throws next comes first.
        later: How many opponents still throw in this round.
        mine: Score of the current player in steps, which the opponents react to.
    """

    race: Race
    scores: tuple[int, ...]
    later: int
    mine: int

    @cached_property
    def _places(self) -> tuple[Floats, Indices]:
        seats = [self._seat(i) for i in range(len(self.scores))]
        mine = self.race.seat(last=not self.later)
        return self.race.places((*self.scores, self.mine), [*seats, mine])

    def _seat(self, i: int) -> int:
        return self.race.seat(last=i == self.later - 1)

    @cached_property
    def _short(self) -> Floats:
        """Chance that each player is still short of the target, indexed by [turns, player]."""
        found: Floats = self._places[0].sum(axis=2)
        return found

    @cached_property
    def _past(self) -> Floats:
        """Chance that each player overtakes a score in a last turn.

        The chance is indexed by [turns, player, score], with the score in steps above the target.
        """
        found: Floats = self._places[0] @ self.race.caught
        return found

    def _against(self, i: int, turns: int) -> int:
        """Return the index in `Race.ahead` of the score that opponent `i` plays against after some turns.

        Opponent -1 is the current player.
        """
        return int(self._places[1][turns, i])

    def _still(self, i: int, turns: int, *, follows: bool) -> Floats:
        """Return the chance that opponent `i` does not stop a player who reaches the target.

        An opponent stops the player by reaching the target within `turns` turns or, if `follows` is set,
        by beating the player's score in a last turn. The chance is indexed by the number of steps by
        which that score exceeds the target.
        """
        short: Floats = self._short[turns, i] - follows * self._past[turns, i]
        return short

    def _follows(self, i: int) -> bool:
        """Return whether an opponent has a last turn after the current player reaches the target."""
        match self.race.follows:
            case LastRound.NONE:
                return False
            case LastRound.LATER_IN_ROUND:
                return i < self.later
        return True

    def holding(self, turns: int) -> Floats:
        """Return the chance that no opponent stops a player who reaches the target after `turns` turns.

        An opponent stops the player by reaching the target within these turns, or by beating the
        player's score in a last turn. The chance is indexed by the number of steps by which that score
        exceeds the target.
        """
        found = np.ones(self.race.reach.shape[3])
        for i in range(len(self.scores)):
            found = found * self._still(i, turns, follows=self._follows(i))
        return found

    @cached_property
    def _topped(self) -> Floats:
        """Chance that a last turn of each opponent overtakes the best score.

        The chance is indexed by [turns, opponent, best score, new score], with scores in steps
        above the target.
        """
        places, race = self._places[0][:, :-1], self.race
        above = race.topping.shape[1]
        flat = places.reshape(-1, race.goal) @ race.topping.reshape(race.goal, -1)
        return flat.reshape(*places.shape[:2], above, above)

    def _passed(self, turns: int) -> Floats:
        """Return the chance that an opponent reaches the target after `turns` turns, but the player wins.

        The chance is indexed by the player's score. Each player in the last round tries to overtake
        the best score so far.
        """
        race = self.race
        if race.follows is LastRound.NONE:
            return np.zeros(race.goal)
        first = self.later if race.follows is LastRound.LATER_IN_ROUND else 0
        both = np.zeros(race.topping.shape[1:])
        for i in range(first, len(self.scores)):
            held = np.ones(len(both))
            for j in range(i):
                held = held * self._still(j, turns, follows=self._follows(j))
            both += np.outer(self._to_top(i, turns), held)
        found: Floats = race.topping.reshape(race.goal, -1) @ both.ravel()
        return found

    def _to_top(self, i: int, turns: int) -> Floats:
        """Return the chance that each score is the best one once opponent `i` has reached the target.

        The best score is the one to overtake. The chance is indexed by the number of steps by which
        the score exceeds the target.
        """
        reach = self.race.reach[self._seat(i), self._against(i, turns - 1)]
        best: Floats = self._places[0][turns - 1, i] @ reach
        for j in range(i + 1, len(self.scores)):
            best = (
                best * self._still(j, turns - 1, follows=True) + best @ self._topped[turns - 1, j]
            )
        return best

    def after_bank(self) -> Floats:
        """Return the chance of winning for a player who has just ended a turn, indexed by the score."""
        race, seat = self.race, self.race.seat(last=not self.later)
        found = np.zeros(race.goal)
        for n in range(len(self._places[0]) - 1, 0, -1):
            alone = float(self._short[n, :-1].prod())
            at = seat, self._against(-1, n)
            mine = race.reach[at] @ self.holding(n) + race.wins[at] * alone
            found = mine + self._passed(n) + race.step[at] @ found
        return found

    def combined_correction(self) -> Floats:
        """Return the correction factor for several opponents, indexed by the score of the player.

        Dangerous opponents have more weight. Only the player who begins the round, with all others
        still to play, can have a better chance than the race model gives.
        """
        race = self.race
        seats = [race.seat(last=i < self.later) for i in range(len(self.scores))]
        exact = np.array([race.exact[at][:, n] for at, n in zip(seats, self.scores, strict=True)])
        ratio = np.array(
            [race.correction[at][:, n] for at, n in zip(seats, self.scores, strict=True)]
        )
        if race.seats == 1 or self.later < len(self.scores):
            ratio = np.minimum(ratio, 1.0)
        weight = (1 - exact) / np.maximum((1 - exact).max(axis=0), _EPSILON)
        found: Floats = np.prod(ratio**weight, axis=0)
        return found

    def after_target(self, score: Indices) -> Floats:
        """Return the chance of winning with scores that reach the target or lead the last round."""
        found = np.ones(len(score))
        for i, other in enumerate(self.scores):
            if self._follows(i):
                found = found * (1 - self.race.passing(other, score))
        return found


@dataclass(frozen=True, slots=True)
class RaceTurn:
    """The values of the current turn against several opponents.

    Attributes:
        stakes: The value of each way in which the turn can end.
        worth: The value of every stage of the turn.
    """

    stakes: Stakes
    worth: TurnValues

    @property
    def banked(self) -> Floats:
        """Chance of winning by banking, indexed by the points at risk in steps."""
        return self.stakes.bank[:, 0]


def race_turn(
    race: Race, mine: int, rivals: Sequence[int], later: int, *, opened: bool, most: int = 0
) -> RaceTurn:
    """Return the chances of winning in a turn against several opponents.

    Args:
        race: The race model of the match.
        mine: Score of the current player, in steps.
        rivals: Scores of the opponents in steps. The opponent who throws next comes first.
        later: How many opponents still throw in this round.
        opened: Whether the player is on the board.
        most: Highest number of steps at risk that the chances must cover; they may cover more.
    """
    others = Rivals(race, tuple(rivals), later, mine)
    top = race.goal - mine + _MARGIN_STEPS * (race.follows is not LastRound.NONE)
    most = max(most, race.throws.needed(opened=opened))
    score = mine + np.arange(n_rows(race.throws, max(top, most)))
    going_on = _after_turn(race, mine, others)
    reached = others.after_target(np.maximum(score, race.goal))
    bank = np.where(score < race.goal, going_on[np.minimum(score, race.goal - 1)], reached)
    return _played(race, bank, (going_on[mine], going_on[0]), max(top, most), opened=opened)


def _after_turn(race: Race, mine: int, others: Rivals) -> Floats:
    """Return the chance of winning after a turn that ends with each score, indexed by the score."""
    known = np.unique(np.minimum(mine + np.array(_SAMPLE_STEPS), race.goal - 1))
    found = np.array([replace(others, mine=int(n)).after_bank() for n in known])
    every = np.arange(race.goal)
    above = np.clip(np.searchsorted(known, every), 1, len(known) - 1)
    share = np.clip(
        (every - known[above - 1]) / np.maximum(known[above] - known[above - 1], 1), 0, 1
    )
    between: Floats = (1 - share) * found[above - 1, every] + share * found[above, every]
    return between * others.combined_correction()


def last_race_turn(
    race: Race, mine: int, best: int, rivals: Sequence[int], *, opened: bool, most: int = 0
) -> RaceTurn:
    """Return the chances of winning in a last turn, which has to overtake the best score.

    Args:
        race: The race model of the match.
        mine: Score of the current player, in steps.
        best: The best score, in steps.
        rivals: Scores in steps of the opponents who still have a last turn. The opponent who throws
            next comes first.
        opened: Whether the player is on the board.
        most: Highest number of steps at risk that the chances must cover; they may cover more.
    """
    others = Rivals(race, tuple(rivals), len(rivals), mine)
    top = max(best + 1 - mine + _MARGIN_STEPS, most, race.throws.needed(opened=opened))
    score = mine + np.arange(n_rows(race.throws, top))
    bank = np.where(score > best, others.after_target(score), 0.0)
    return _played(race, bank, (0.0, 0.0), top, opened=opened)


def _played(
    race: Race, bank: Floats, nothing: tuple[float, float], top: int, *, opened: bool
) -> RaceTurn:
    """Return the values of a turn under best play.

    Args:
        race: The race model of the match.
        bank: Chance of winning by banking, indexed by the points at risk in steps.
        nothing: Chances of winning after a farkle and after a reset of the score.
        top: Steps at risk from which the player is assumed to bank.
        opened: Whether the player is on the board. If not, the first bank needs the opening.
    """
    throws = race.throws
    needed, steps = throws.needed(opened=opened), np.arange(len(bank))
    lost, reset = (np.array([worth]) for worth in nothing)
    stakes = Stakes(
        bank=np.where(steps < needed, REFUSED, bank)[:, None],
        lost=lost,
        reset=reset,
        top=np.array([top]),
        thrown_above={left: np.tile(lost, (len(bank), 1)) for left in {0, *throws.must_throw}},
    )
    return RaceTurn(stakes, solve_turn(throws, stakes))
