"""Strategies, which make decisions for a player in a match.

A strategy has one method, which is given the state of the match. The method returns the event that
records the decision, or None to throw the dice in hand.
"""

from dataclasses import dataclass
from math import log
from random import Random
from typing import Protocol

from game.match.bot import Bot, PlayerStyle
from game.match.events import Banked, Event, Kept, TookOver
from game.match.keep_hints import best_opponent
from game.match.state import State, reaches_target
from game.odds.advice import TurnOption
from game.odds.match_odds import MatchOdds
from game.odds.review import keep_options, result_of_bank, turn_odds_of
from game.rules.scoring import Keep


class Strategy(Protocol):
    """A way of making a player's decisions in a match."""

    def decide(self, state: State) -> Event | None:
        """Return what the current player keeps, banks or takes over, or None to throw the dice.

        Args:
            state: State of the match, which has no winner yet.
        """


def strategy_of(bot: Bot, wins: MatchOdds | None) -> Strategy:
    """Return the strategy of a bot.

    Args:
        bot: The bot.
        wins: The solved two-player match, or None.
    """
    return BestPlay(wins) if bot.style is None else StylePlay(bot.style, bot.seed)


def needs_decision(state: State) -> bool:
    """Return whether the current player has to decide something before the next throw."""
    last = state.turn.last
    if state.winner is not None:
        return False
    if last is None:
        return state.left_over is not None
    return last.keep is None and bool(state.keeps)


@dataclass(frozen=True, slots=True)
class BestPlay:
    """Play that maximises the chance of winning, which is estimated if the match is not solved.

    Attributes:
        wins: The solved two-player match, or None.
        estimate: Whether to estimate the chance of winning if the match is not solved. If it is
            False, the bot then plays for points, which takes no time.
    """

    wins: MatchOdds | None = None
    estimate: bool = True

    def decide(self, state: State) -> Event | None:
        """Return what the current player keeps, banks or takes over, or None to throw the dice."""
        if not needs_decision(state):
            return None
        if state.turn.last is None:
            return TookOver() if self._should_take_over(state) else None
        best = keep_options(state, self.wins, estimate=self.estimate)[0]
        assert best.keep is not None  # noqa: S101 - it is the choice of a keep
        should_bank = best.should_bank and state.bank_refusal(best.keep) is None
        should_bank = should_bank and not state.overshoots(best.keep)
        return Banked(best.keep.dice) if should_bank else Kept(best.keep.dice)

    def _should_take_over(self, state: State) -> bool:
        left = state.left_over
        if left is None:
            return False
        odds = turn_odds_of(state, self.wins, most=left.points, estimate=self.estimate)
        taken, own = odds.option(left.points, left.dice), odds.option(0, state.rules.n_dice)
        return _worth_throwing(taken) > _worth_throwing(own)


def _worth_throwing(option: TurnOption) -> float:
    return option.points if option.win_thrown is None else option.win_thrown


@dataclass(frozen=True, slots=True)
class StylePlay:
    """Play in the style of a person.

    Attributes:
        style: The person's style, as learnt from earlier turns.
        seed: Seed for the decisions near a threshold.
    """

    style: PlayerStyle
    seed: int = 0

    def decide(self, state: State) -> Event | None:
        """Return what the current player keeps, banks or takes over, or None to throw the dice."""
        if not needs_decision(state):
            return None
        if state.turn.last is None:
            return TookOver() if self.style.takes_over else None
        winning = next((keep for keep in state.keeps if result_of_bank(state, keep) == 1), None)
        best = winning or state.best_bank_keep
        assert best is not None  # noqa: S101 - the throw has keeps
        if state.bank_refusal(best) is None and self._wants_to_bank(state, best):
            return Banked(best.dice)
        return Kept(preferred_keep(state, self.style.worth_of_die).dice)

    def _wants_to_bank(self, state: State, keep: Keep) -> bool:
        total, result = state.bank_total(keep), result_of_bank(state, keep)
        if result is not None or state.overshoots(keep):
            return result == 1
        if state.closer is not None:
            return total > state.players[best_opponent(state)].score
        if reaches_target(state.rules, total):
            return True
        random = Random(f"{self.seed} {state.n_events}")
        threshold = self._threshold(state, keep, random.uniform(0.001, 0.999))
        if random.random() < self.style.lapse:
            return random.random() < 1 / 2
        return state.locked_points + keep.score >= threshold

    def _threshold(self, state: State, keep: Keep, chance: float) -> float:
        """Return the points at which the person banks with this chance, between 0 and 1."""
        dice = keep.dice_left or state.rules.n_dice
        return self.style.thresholds[dice - 1] + self.style.spread * log(chance / (1 - chance))


def preferred_keep(state: State, worth_of_die: int) -> Keep:
    """Return the keep with the most points, counting extra points for each die left to throw.

    Args:
        state: State of the match, after a throw with at least one legal keep.
        worth_of_die: Points to add for each die left for the next throw.
    """
    keeps = [keep for keep in state.keeps if not state.overshoots(keep)] or state.keeps
    n_dice = state.rules.n_dice
    return max(keeps, key=lambda keep: keep.score + worth_of_die * (keep.dice_left or n_dice))
