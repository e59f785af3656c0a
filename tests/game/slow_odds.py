"""Chances worked out as simply as can be, from the table of keeps alone: what the odds must meet."""

from collections import Counter
from functools import cache
from itertools import product

from game.rules import scoring
from game.rules.ruleset import HotDice, LastRound, Ruleset, Win
from game.rules.scoring import Effect

STEP = 50


class SlowOdds:
    """Plays by the rules as `game.match.step` does, one throw at a time; `far` ends all throwing on."""

    def __init__(self, rules: Ruleset, target: int, far: int = 600) -> None:
        self.rules, self.target, self.far = rules, target, far
        self.exact = rules.win is Win.EXACTLY
        self.offers = {n: Counter(self._offers(n)) for n in range(1, rules.n_dice + 1)}
        self.follow = cache(self._follow)

    def _offers(self, n):
        table = scoring.table(self.rules)
        for faces in product(range(1, 7), repeat=n):
            dice = tuple(sorted(faces))
            events = scoring.throw_events(dice, self.rules)
            must = any(event.effect is Effect.MUST_BANK for event in events)
            yield tuple((keep.score, keep.dice_left) for keep in table[dice]), must

    def turn(self, worth_of_bank, lost, *, score=0, opened=True, far=None):  # noqa: C901 - the whole of a turn in one place, to compare with
        """The worth of a turn; `worth_of_bank(points)` and `lost` are those of its ends."""
        rules, far = self.rules, far or self.far

        def refused(points, left):
            must = left == 0 and rules.hot_dice is HotDice.MUST
            short = not opened and points < rules.opening
            return must or short or points < rules.minimum_bank

        def decide(points, keeps, must):
            if must:
                fits = [
                    k for k in keeps if not (self.exact and score + points + k[0] > self.target)
                ]
                gain, left = (fits or keeps)[0]
                if not refused(points + gain, left):
                    return worth_of_bank(points + gain)
            found = []
            for gain, left in keeps:
                found.append(throw(points + gain, left or rules.n_dice))
                if not refused(points + gain, left):
                    found.append(worth_of_bank(points + gain))
            return max(found)

        @cache
        def throw(points, n):
            if points > far:
                return lost
            bonus = rules.last_die_twice if n == 1 else 0
            scored = farkles = 0.0
            for (keeps, must), count in self.offers[n].items():
                if keeps:
                    scored += count / 6**n * decide(points + bonus, keeps, must)
                else:
                    farkles += count / 6**n
            if bonus:
                return scored + farkles * (scored + farkles * lost)
            return scored + farkles * lost

        return throw(0, rules.n_dice)

    def _follow(self, lead, opened):
        """Chance of the last turn to bring more than the lead."""
        if self.rules.last_round is not LastRound.CHARITY_ROLL:
            enough = max(lead, self.rules.minimum_bank, self.rules.opening)
            more = 1500 if self.rules.hot_dice is HotDice.MUST else STEP
            return self.turn(
                lambda points: float(points > lead), 0.0, opened=opened, far=enough + more
            )
        least = max(self.rules.minimum_bank, 0 if opened else self.rules.opening)
        good = sum(
            count
            for (keeps, _), count in self.offers[self.rules.n_dice].items()
            if keeps and keeps[0][0] > lead and keeps[0][0] >= least
        )
        return good / 6**self.rules.n_dice

    def reached(self, score):
        match self.rules.win:
            case Win.AT_LEAST:
                return score >= self.target
            case Win.OVER:
                return score > self.target
        return score == self.target

    def match(self):
        """The chance to win at each [seat, mine, theirs] in steps, by plain value iteration."""
        later = self.rules.last_round is LastRound.LATER_IN_ROUND and not self.exact
        seats = 2 if later else 1
        goal = next(i for i in range(1000) if self.reached(i * STEP))
        wins = {}
        for total in range(2 * goal - 2, -1, -1):
            boards = [
                (seat, mine, total - mine)
                for seat in range(seats)
                for mine in range(goal)
                if 0 <= total - mine < goal
            ]
            wins |= dict.fromkeys(boards, 0.5)
            change = 1.0
            while change > 1e-11:
                before = [wins[board] for board in boards]
                for board in boards:
                    wins[board] = self._board(wins, *board, later=later)
                change = max(abs(wins[b] - old) for b, old in zip(boards, before, strict=True))
        return wins

    def _board(self, wins, seat, mine, theirs, *, later):
        other = 1 - seat if later else seat
        lost = 1 - wins[other, theirs, mine]
        followed = self.rules.last_round is not LastRound.NONE and not self.exact
        if later:
            followed = seat == 0

        def bank(points):
            score = mine * STEP + points
            if self.exact and score > self.target:
                return lost
            if not self.reached(score):
                return 1 - wins[other, theirs, score // STEP]
            return 1 - self.follow(score - theirs * STEP, theirs > 0) if followed else 1.0

        return self.turn(bank, lost, score=mine * STEP, opened=mine > 0)
