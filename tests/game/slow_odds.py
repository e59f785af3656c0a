"""Chances worked out in the simplest way, from the table of keeps alone, to check the odds."""

from collections import Counter
from functools import cache
from itertools import product

from game.rules import scoring
from game.rules.ruleset import HotDice, LastRound, Ruleset, Win
from game.rules.scoring import Effect

STEP = 50


@cache
def thrown(n):
    """Return the throws of n dice, with the number of ways to throw each of them."""
    return Counter(tuple(sorted(faces)) for faces in product(range(1, 7), repeat=n))


class SlowOdds:
    """A solver by the same rules as `game.match.apply_event`, one throw at a time.

    From `far` points on, everybody banks.
    """

    def __init__(self, rules: Ruleset, target: int, far: int = 600, still: float = 1e-9) -> None:
        self.rules, self.target, self.far, self.still = rules, target, far, still
        self.exact = rules.win is Win.EXACTLY
        self.offers = {n: self._offers(n) for n in range(1, rules.n_dice + 1)}
        self.follow = cache(self._follow)

    def _offers(self, n):
        offers = Counter()
        for dice, count in thrown(n).items():
            events = scoring.throw_events(dice, self.rules)
            effects = {event.effect for event in events}
            end = next((e for e in (Effect.WIN, Effect.RESET_SCORE) if e in effects), None)
            keeps = scoring.keep_table(self.rules)[dice]
            offer = tuple((keep.score, keep.dice_left) for keep in keeps)
            offers[offer, Effect.MUST_BANK in effects, end] += count
        return offers

    def turn(self, worth_of_bank, lost, *, score=0, opened=True, far=None, reset=0.0):  # noqa: C901 - the whole turn in one place, to compare with
        """Return the value of a turn, given the value of each way in which it can end."""
        rules, far = self.rules, far or self.far

        def refused(points, left):
            must = left == 0 and rules.hot_dice is HotDice.MUST
            must = must or left >= rules.must_throw_from > 0
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
            return max(after(points + gain, left) for gain, left in keeps)

        @cache
        def after(points, left):
            thrown_on = throw(points, left or rules.n_dice)
            return thrown_on if refused(points, left) else max(thrown_on, worth_of_bank(points))

        @cache
        def throw(points, n):
            if points > far:
                return lost
            bonus = rules.last_die_twice if n == 1 else 0
            scored = farkles = 0.0
            for (keeps, must, end), count in self.offers[n].items():
                if end:
                    scored += count / 6**n * (1.0 if end is Effect.WIN else reset)
                elif keeps:
                    scored += count / 6**n * decide(points + bonus, keeps, must)
                else:
                    farkles += count / 6**n
            if bonus:
                return scored + farkles * (scored + farkles * lost)
            return scored + farkles * lost

        return throw(0, rules.n_dice)

    def _follow(self, lead, opened):
        """Return the chance that a last turn brings more than the lead."""
        if self.rules.last_round is not LastRound.CHARITY_ROLL:
            enough = max(lead, self.rules.minimum_bank, self.rules.opening)
            more = 1500 if self.rules.hot_dice is HotDice.MUST else STEP
            return self.turn(
                lambda points: float(points > lead), 0.0, opened=opened, far=enough + more
            )
        least = max(self.rules.minimum_bank, 0 if opened else self.rules.opening)
        good = sum(
            count
            for (keeps, _, end), count in self.offers[self.rules.n_dice].items()
            if end is Effect.WIN
            or (not end and keeps and keeps[0][0] > lead and keeps[0][0] >= least)
        )
        return good / 6**self.rules.n_dice

    def reached(self, score):
        match self.rules.win:
            case Win.AT_LEAST:
                return score >= self.target
            case Win.OVER:
                return score > self.target
        return score == self.target

    def match(self, guess=lambda board: 0.5):
        """Return the chance of winning at each (seat, mine, theirs), by value iteration from a guess."""
        later = self.rules.last_round is LastRound.LATER_IN_ROUND and not self.exact
        goal = next(i for i in range(1000) if self.reached(i * STEP))
        wins = {board: guess(board) for board in self._boards(goal, later=later)}
        change = 1.0
        while change > self.still:
            before = dict(wins)
            for board in wins:
                wins[board] = self._board(wins, *board, later=later)
            change = max(abs(wins[b] - old) for b, old in before.items())
        return wins

    def _boards(self, goal, *, later):
        """Return all boards that can be reached, those with the most points first."""
        start = (0, False, 0)
        found, new = set(), {(seat, start, start) for seat in range(1 + later)}
        while new:
            found |= new
            after = set()
            for seat, mine, theirs in new:
                for mine_after in self._after(mine, goal):
                    after.add((1 - seat if later else seat, theirs, mine_after))
                after.add((1 - seat if later else seat, theirs, (mine[0], mine[1], 0)))
                for gift in range(1, goal if self.rules.welfare else 1):
                    if theirs[0] + gift < goal:
                        got = (theirs[0] + gift, True, theirs[2])
                        after.add((seat, got, (mine[0], mine[1], 0)))
            new = after - found
        return sorted(found, key=lambda board: -board[1][0] - board[2][0])

    def _after(self, mine, goal):
        yield self.lost(mine)
        if self.rules.four_twos_reset:
            yield self.to_zero(mine)
        for steps in range(1, goal - mine[0]):
            yield (mine[0] + steps, True, 0)

    def lost(self, mine):
        score, opened, farkles = mine
        cost = self.rules.three_farkles // STEP
        if not cost:
            return (*mine[:2], 0)
        if farkles < 2:
            return score, opened, farkles + 1
        floor = -2 * cost if self.rules.below_zero else 0
        return max(score - cost, floor), opened, 0

    def to_zero(self, mine):
        return 0, mine[1], 0

    def _board(self, wins, seat, mine, theirs, *, later):
        other = 1 - seat if later else seat
        lost = 1 - wins[other, theirs, self.lost(mine)]
        reset = 1 - wins[other, theirs, self.to_zero(mine)] if self.rules.four_twos_reset else 0.0
        followed = self.rules.last_round is not LastRound.NONE and not self.exact
        if later:
            followed = seat == 0
        score = mine[0] * STEP

        def bank(points):
            total = score + points
            if self.exact and total > self.target:
                return self._gift(wins, other, mine, theirs, points)
            if not self.reached(total):
                return 1 - wins[other, theirs, (total // STEP, True, 0)]
            lead = total - theirs[0] * STEP
            return 1 - self.follow(lead, theirs[1]) if followed else 1.0

        return self.turn(bank, lost, score=score, opened=mine[1], reset=reset)

    def _gift(self, wins, other, mine, theirs, points):
        """Return the value of a turn whose points go to the other player."""
        given = theirs[0] + points // STEP
        if not self.rules.welfare or given * STEP > self.target:
            return 1 - wins[other, theirs, (mine[0], mine[1], 0)]
        if given * STEP == self.target:
            return 0.0
        return 1 - wins[other, (given, True, theirs[2]), (mine[0], mine[1], 0)]
