"""The chance of winning with more than two players, modelled as a race for the target.

Every player is assumed to play as well as in a two-player match against one opponent, with the score
that the leading opponent is likely to have by then, or with a higher one if several opponents are close behind. The score of each player after any number of
turns is then an independent random variable. The winner is the player who reaches the target first
and is not overtaken in the last round. Only the current turn is played optimally against all
opponents.

An exact solution would need the scores of all players, which multiplies the number of boards by two
hundred for each additional player. `docs/odds.md` gives the measured error of this model.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np

from game.odds.compiled_rules import CompiledRules, Floats, Indices, compile_without_endings
from game.odds.match_model import Positions, match_ending
from game.odds.match_odds import MatchOdds
from game.odds.turn_odds import (
    REFUSED,
    Stakes,
    TurnValues,
    last_turns,
    n_rows,
    solve_turn,
    turn_outcomes,
)
from game.rules.ruleset import LastRound, Ruleset, Win

_CUT_OFF = 1e-4
"""The race is followed until the chance that nobody has reached the target is below this."""

_EPSILON = 1e-12
"""Smallest divisor, so that nothing is divided by zero."""

_MOST_TURNS = 300
"""The race is followed for this many turns of each player at most."""

_HALF = 0.5
"""Chance that a score is at most the median."""

_MIN_CORRECTION, _MAX_CORRECTION = 0.5, 2.0
"""Limits of the correction factor. Without them, the factor would be too extreme where both chances are close to 0."""

_HARMLESS = 1e-4
"""An opponent who wins a two-player match with a smaller chance than this needs no correction."""

_NO_DANGER = 0.005
"""Opponents who together are this much more likely to reach the target than the leader alone change nobody's play."""

_SAMPLE_STEPS = 0, 12, 36
_SHORT, _SHORT_SAMPLE_STEPS = 40, (0, 2, 4, 6, 8, 12, 36)
"""The numbers of banked steps for which the opponents' reaction is worked out, in general and in a match to at most 40
steps, where more of them take little time and matter more. The values between them are interpolated."""

_MOST_TO_TOP = 160
"""Steps that a last turn practically never scores: usually 8,000 points."""

_MAX_TURN_STEPS = 80
"""Steps that a turn hardly ever exceeds. Players are assumed to bank as soon as they have this many at risk."""

_MARGIN_STEPS = 60
"""Steps beyond the target up to which a player may throw again, for a safer lead or because the rules demand it: usually
3,000 points."""


_N_ABOVE = 40
"""Number of scores above the target that are distinguished. A higher score counts as the highest."""

_AHEAD_SHARES = (0.0, 0.3, 0.5, 0.6, 0.7, 0.78, 0.85, 0.9, 0.94, 0.97, 0.99)
"""The scores of the best opponent for which turns are modelled, as shares of the target."""


@dataclass(frozen=True)
class Race:
    """A model of how the players of a match progress turn by turn. Scores are in steps of points.

    The seat is 1 for a player whom nobody can answer after reaching the target, if that depends on
    who throws last in a round, else 0. A level is an index into `ahead`. "Above" is a number of
    steps above the target.

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
            other player, own score, score of the other player]. None if the match is not solved.
        exactly: Whether the target must be hit exactly.
    """

    throws: CompiledRules
    follows: LastRound
    ahead: Indices
    step: Floats
    reach: Floats
    wins: Floats
    catching: Floats
    topping: Floats
    exact: Floats | None
    exactly: bool = False

    @property
    def goal(self) -> int:
        """The target, in steps."""
        return int(self.step.shape[2])

    @property
    def seats(self) -> int:
        """Number of seats to distinguish: 1 if it does not matter who throws last in a round, else 2."""
        return len(self.step)

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

    def places(self, scores: Sequence[int], later: int) -> "Places":
        """Return how far each player gets.

        Args:
            scores: Scores of the players in steps. The player who has just thrown comes last, the
                others in the order of their turns.
            later: How many of the others still throw in this round.
        """
        followers = _followers(len(scores), later)
        at, level, answered = [np.eye(self.goal)[list(scores)]], [], []
        while at[-1].sum(axis=1).prod() > _CUT_OFF and len(at) < _MOST_TURNS:
            best, behind = _best_of_others(at[-1], followers)
            level.append([self.against(score) for score in self._as_one(at[-1], best)])
            answered.append(self._answered(best, behind))
            turns = zip(at[-1], level[-1], answered[-1], strict=True)
            at.append(np.array([self._moved(*turn) for turn in turns]))
        return Places(
            np.array([*at, np.zeros_like(at[0])]),
            np.array([*level, level[-1], level[-1]], np.intp),
            np.array([*answered, answered[-1], answered[-1]]),
        )

    def _as_one(self, at: Floats, best: Sequence[int]) -> Sequence[int]:
        """Return, for each player, the score of one opponent who is as dangerous as all opponents together.

        An opponent is as dangerous as the next turn is likely to reach the target. The result is the highest score if it
        matters who throws last in a round: with the score of all together, the error was larger.

        Args:
            at: Chance of each score, indexed by [player, score].
            best: Likely highest score of each player's opponents, in steps.
        """
        if self.seats > 1:
            return best
        reach = self.catching[1][self.goal - np.arange(self.goal)]
        among = np.maximum(at.sum(axis=1, keepdims=True), _EPSILON)
        likely = ((at / among).cumsum(axis=1) < _HALF).sum(axis=1)
        fails, found = 1 - reach[likely.clip(max=self.goal - 1)], []
        for i, score in enumerate(best):
            all_fail = (1 - reach[score]) * np.sort(np.delete(fails, i))[1:].prod()
            alike = int(np.searchsorted(reach, 1 - all_fail - _NO_DANGER))
            found.append(max(score, min(alike, self.goal - 1)))
        return found

    def _answered(self, best: Sequence[int], behind: Sequence[int | None]) -> list[float]:
        """Return, for each player, how much the answer of the players behind matters, from 0 to 1.

        Args:
            best: Likely highest score of each player's opponents, in steps.
            behind: The same for the opponents who throw later in the round, or None without any.
        """
        if self.seats == 1:
            return [1.0] * len(best)
        reach = self.catching[1]
        return [
            0.0 if score is None else float(reach[self.goal - score] / reach[self.goal - most])
            for most, score in zip(best, behind, strict=True)
        ]

    def _moved(self, at: Floats, level: int, answered: float) -> Floats:
        """Return the chance of each score after one more turn; `at` is the chance before it."""
        found: Floats = answered * (at @ self.step[0, level])
        if answered < 1:
            found += (1 - answered) * (at @ self.step[-1, level])
        return found


@dataclass(frozen=True)
class Places:
    """How far each player gets in a number of turns.

    Attributes:
        chances: Chance of each score short of the target, indexed by [turns, player, score].
        level: Index in `Race.ahead` of the score that a player plays against, indexed by [turns,
            player].
        answered: How much the answer of the players behind matters to a player who may reach the
            target, from 0 to 1, indexed by [turns, player].
    """

    chances: Floats
    level: Indices
    answered: Floats

    def waiting(self, n: int) -> "Places":
        """Return the same if the first `n` players have had one turn less."""
        found = Places(self.chances.copy(), self.level.copy(), self.answered.copy())
        found.chances[1:, :n] = self.chances[:-1, :n]
        found.level[1:, :n] = self.level[:-1, :n]
        found.answered[1:, :n] = self.answered[:-1, :n]
        return found

    def turn(self, parts: Floats, player: int, turns: int) -> Floats:
        """Return the part of the race model that describes a player's next turn.

        Args:
            parts: An array of `Race`, indexed by [seat, level, ...].
            player: Index of the player.
            turns: Number of turns that the player has had before.
        """
        level, share = self.level[turns, player], self.answered[turns, player]
        found: Floats = share * parts[0, level] + (1 - share) * parts[-1, level]
        return found


def _followers(n: int, later: int) -> list[list[int]]:
    """Return, for each player, the players who throw later in the same round.

    Args:
        n: Number of players. The player who has just thrown comes last, the others in the order of
            their turns.
        later: How many of the others still throw in this round.
    """
    order = [*range(later, n), *range(later)]
    return [order[order.index(i) + 1 :] for i in range(n)]


def _best_of_others(
    at: Floats, followers: Sequence[Sequence[int]]
) -> tuple[list[int], list[int | None]]:
    """Return, for each player, the median of the opponents' highest score below the target.

    The second result is the same for the opponents in `followers` only, or None without any. `at`
    is the chance of each score, indexed by [player, score].
    """
    among = np.maximum(at.sum(axis=1, keepdims=True), _EPSILON)
    below = (at / among).cumsum(axis=1)

    def median(players: Sequence[int]) -> int:
        highest = below[np.array(players)].prod(axis=0)
        return min(int(np.searchsorted(highest, _HALF)), len(highest) - 1)

    everybody = range(len(at))
    best = [median([*range(i), *range(i + 1, len(at))]) for i in everybody]
    return best, [median(behind) if behind else None for behind in followers]


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
    return Race(
        model.throws,
        wins.rules.last_round,
        ahead,
        step,
        reach,
        won,
        model.ending.catching,
        _topping(wins.rules, model.ending.goal, model.ending.catching),
        _exact(wins),
    )


@lru_cache(maxsize=4)
def points_race(rules: Ruleset) -> Race:
    """Return a race model of a match that is not solved, in which players play for points.

    Everybody plays each turn for the best average score, but counts no points beyond the target.

    Args:
        rules: The rules, which have a target.

    Raises:
        OddsError: If the target is too far away or cannot be reached.
    """
    throws = compile_without_endings(rules)
    ending = match_ending(rules, rules.target)
    goal, exactly = ending.goal, ending.exactly
    before = np.arange(goal)
    least = np.where(before > 0, throws.needed(opened=True), throws.needed(opened=False))
    top = np.maximum(goal - before, least)
    score = before + np.arange(n_rows(throws, int(top.max())))[:, None]
    over = score > goal if exactly else None
    bank = np.where(score > goal, before if exactly else goal, score).astype(np.float64)
    order = np.argsort(-top, kind="stable")
    lost = before.astype(np.float64)
    stakes = Stakes(
        bank=np.where(score - before < least, REFUSED, bank)[:, order],
        lost=lost[order],
        reset=lost[order],
        top=top[order],
        thrown_above=dict.fromkeys(range(throws.n_dice), np.tile(lost[order], (len(bank), 1)))
        if exactly
        else dict.fromkeys({0, *throws.must_throw}, bank[:, order]),
        over=None if over is None else over[:, order],
    )
    ended = turn_outcomes(throws, stakes, solve_turn(throws, stakes))
    banked = np.zeros((goal, len(bank)))
    banked[order] = ended.banked.T
    step, reach = np.zeros((goal, goal)), np.zeros((goal, _N_ABOVE))
    for at in range(goal):
        step[at, at:] = banked[at, : goal - at]
        above = banked[at, goal - at :]
        reach[at, 0] = above[0] if exactly else 0
        if not exactly:
            reach[at, : len(above)] = above[:_N_ABOVE]
            reach[at, -1] += above[_N_ABOVE:].sum()
    step[before, before] += 1 - step.sum(axis=1) - reach.sum(axis=1)
    last_round = LastRound.NONE if exactly else rules.last_round
    return Race(
        throws,
        last_round,
        np.array([0]),
        step[None, None],
        reach[None, None],
        np.zeros((1, 1, goal)),
        ending.catching,
        _topping(rules, goal, ending.catching),
        None,
        exactly=exactly,
    )


def _topping(rules: Ruleset, goal: int, catching: Floats) -> Floats:
    """Return the array `Race.topping`: the chances of last turns that try to overtake the best score."""
    found = np.zeros((goal, _N_ABOVE, _N_ABOVE))
    if rules.last_round is LastRound.NONE or rules.win is Win.EXACTLY:
        return found
    most = min(goal + _N_ABOVE, _MOST_TO_TOP)
    is_charity_roll = rules.last_round is LastRound.CHARITY_ROLL
    ended = () if is_charity_roll else [last_turns(rules, most, opened=o) for o in (False, True)]
    for score in range(goal):
        for above in range(_N_ABOVE):
            short = goal + above + 1 - score
            if short > most:
                break
            if is_charity_roll:
                got = -np.diff(catching[int(score > 0), short:], append=0.0)
            else:
                got = ended[score > 0][short:, short]
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
        waiting: How many opponents, from the first, throw after the current player's next turn. 0 if the current player has
            just thrown.
    """

    race: Race
    scores: tuple[int, ...]
    later: int
    mine: int
    waiting: int = 0

    @cached_property
    def _places(self) -> Places:
        return self.race.places((*self.scores, self.mine), self.later).waiting(self.waiting)

    @cached_property
    def _short(self) -> Floats:
        """Chance that each player is still short of the target, indexed by [turns, player]."""
        found: Floats = self._places.chances.sum(axis=2)
        return found

    @cached_property
    def _past(self) -> Floats:
        """Chance that each player overtakes a score in a last turn.

        The chance is indexed by [turns, player, score], with the score in steps above the target.
        """
        found: Floats = self._places.chances @ self.race.caught
        return found

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
        places, race = self._places.chances[:, :-1], self.race
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
        if turns == 1 and i < self.waiting:
            return np.zeros(self.race.reach.shape[3])
        reach = self._places.turn(self.race.reach, i, turns - 1)
        best: Floats = self._places.chances[turns - 1, i] @ reach
        for j in range(i + 1, len(self.scores)):
            best = (
                best * self._still(j, turns - 1, follows=True) + best @ self._topped[turns - 1, j]
            )
        return best

    def after_bank(self) -> Floats:
        """Return the chance of winning for a player who has just ended a turn, indexed by the score."""
        race, me = self.race, len(self.scores)
        found = np.zeros(race.goal)
        for n in range(len(self._places.chances) - 1, 0, -1):
            alone = float(self._short[n, :-1].prod())
            reach, wins, step = (
                self._places.turn(parts, me, n) for parts in (race.reach, race.wins, race.step)
            )
            found = reach @ self.holding(n) + wins * alone + self._passed(n) + step @ found
        return found

    def corrected(self) -> Floats:
        """Return `after_bank`, corrected so that it is exact if only one opponent can win.

        Each opponent's correction is the ratio of the exact chance in a two-player match to the
        chance in a race of two. Dangerous opponents have more weight. The race is too pessimistic
        only against a single opponent, so a ratio above 1 counts in full only if the others are
        harmless.
        """
        raced = self.after_bank()
        if self.race.exact is None:
            return raced
        risks, ratios = [], []
        for i, score in enumerate(self.scores):
            later = int(i < self.later)
            exact = self.race.exact[later * (self.race.seats - 1)][:, score]
            if i < self.waiting:
                exact = 1 - self.race.exact[(1 - later) * (self.race.seats - 1)][score]
            risks.append(1 - exact)
            ratios.append(np.ones_like(exact))
            if risks[-1].max() > _HARMLESS:
                pair = raced if len(self.scores) == 1 else self._against(i)
                ratio = exact / np.maximum(pair, _EPSILON)
                ratios[-1] = np.clip(ratio, _MIN_CORRECTION, _MAX_CORRECTION)
        weight = np.array(risks) / np.maximum(np.max(risks, axis=0), _EPSILON)
        others = np.sort(weight, axis=0)[:-1].sum(axis=0)
        ratio = np.prod(np.array(ratios) ** weight, axis=0)
        ratio = np.where(ratio > 1, 1 + (ratio - 1) * np.maximum(1 - others, 0), ratio)
        found: Floats = np.minimum(raced * ratio, 1.0)
        return found

    def _against(self, i: int) -> Floats:
        """Return the chance of winning against opponent `i` alone, indexed by the player's score."""
        only = self.scores[i : i + 1], int(i < self.later), self.mine, int(i < self.waiting)
        return Rivals(self.race, *only).after_bank()

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
    on = race.follows is not LastRound.NONE or race.throws.must_throw
    top = race.goal - mine + (_MARGIN_STEPS if on else 0)
    needed = race.throws.needed(opened=opened)
    most = max(most, needed)
    score = mine + np.arange(n_rows(race.throws, max(top, most)))
    going_on = _after_turn(race, mine, others)
    reached = others.after_target(np.maximum(score, race.goal))
    if race.exactly:
        reached = np.where(score == race.goal, 1.0, going_on[mine])
    bank = np.where(score < race.goal, going_on[np.minimum(score, race.goal - 1)], reached)
    return play_turn(race.throws, bank, (going_on[mine], going_on[0]), max(top, most), needed)


def chances_of_others(race: Race, scores: Sequence[int], later: int, first: float) -> list[float]:
    """Return the chance of winning of each player but the one to throw, in the order of their turns.

    The race gives the chance of each of them. The chances are then scaled, so that all chances add up to 1.

    Args:
        race: The race model of the match.
        scores: Scores of all players in steps. The player to throw comes first.
        later: How many of the others still throw in this round.
        first: Chance of winning for the player to throw.
    """
    n = len(scores)
    raw = []
    for i in range(1, n):
        others = (*scores[i + 1 :], *scores[:i])
        rivals = Rivals(race, others, (later - i) % n, scores[i], n - 1 - i)
        raw.append(float(rivals.corrected()[scores[i]]))
    share = (1 - first) / max(sum(raw), _EPSILON)
    return [chance * share for chance in raw]


def _after_turn(race: Race, mine: int, others: Rivals) -> Floats:
    """Return the chance of winning after a turn that ends with each score, indexed by the score."""
    samples = _SHORT_SAMPLE_STEPS if race.goal <= _SHORT else _SAMPLE_STEPS
    known = np.unique(np.minimum(mine + np.array(samples), race.goal - 1))
    found = np.array([replace(others, mine=int(n)).corrected() for n in known])
    every = np.arange(race.goal)
    above = np.clip(np.searchsorted(known, every), 1, len(known) - 1)
    share = np.clip(
        (every - known[above - 1]) / np.maximum(known[above] - known[above - 1], 1), 0, 1
    )
    between: Floats = (1 - share) * found[above - 1, every] + share * found[above, every]
    return between


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
    needed = race.throws.needed(opened=opened)
    top = max(best + 1 - mine + _MARGIN_STEPS, most, needed)
    score = mine + np.arange(n_rows(race.throws, top))
    bank = np.where(score > best, others.after_target(score), 0.0)
    return play_turn(race.throws, bank, (0.0, 0.0), top, needed)


def play_turn(
    throws: CompiledRules, bank: Floats, nothing: tuple[float, float], top: int, needed: int
) -> RaceTurn:
    """Return the values of a turn under best play.

    Args:
        throws: The compiled rules.
        bank: Chance of winning by banking, indexed by the points at risk in steps.
        nothing: Chances of winning after a farkle and after a reset of the score.
        top: Steps at risk from which the player is assumed to bank.
        needed: Steps that a bank needs.
    """
    steps = np.arange(len(bank))
    lost, reset = (np.array([worth]) for worth in nothing)
    stakes = Stakes(
        bank=np.where(steps < needed, REFUSED, bank)[:, None],
        lost=lost,
        reset=reset,
        top=np.array([top]),
        thrown_above={left: np.tile(lost, (len(bank), 1)) for left in {0, *throws.must_throw}},
    )
    return RaceTurn(stakes, solve_turn(throws, stakes))
