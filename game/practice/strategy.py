"""Strategies, which make decisions for a player in a match.

A strategy has one method, which is given the state of the match. The method returns the event that
records the decision, or None to throw the dice in hand.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import log
from random import Random
from typing import Protocol

from game.match.apply_event import best_opponent
from game.match.events import (
    Banked,
    Bot,
    BotDice,
    BotLevel,
    Corrected,
    Event,
    Kept,
    PlayerStyle,
    Redone,
    Spliced,
    Thrown,
    TookOver,
    Undone,
)
from game.match.match import Match, forget_faces
from game.match.state import State, reaches_target
from game.odds.advice import TurnOption
from game.odds.match_odds import MatchOdds
from game.odds.review import keep_options, result_of_bank, turn_odds_of
from game.odds.style_odds import most_worth, shares_won, unit
from game.odds.turn_odds import points_table
from game.rules.ruleset import Dice, Ruleset
from game.rules.scoring import Keep


class Strategy(Protocol):
    """A way of making a player's decisions in a match."""

    def decide(self, state: State) -> Event | None:
        """Return what the current player keeps, banks or takes over, or None to throw the dice.

        Args:
            state: State of the match, which has no winner yet.
        """


def strategy_of(
    bot: Bot, rules: Ruleset, wins: MatchOdds | None = None, *, estimate: bool = True
) -> Strategy:
    """Return the strategy of a bot.

    Args:
        bot: The bot.
        rules: The rules of the match.
        wins: The solved two-player match, or None.
        estimate: As in `BestPlay`.
    """
    style = bot.style or level_style(bot.level, rules)
    return BestPlay(wins, estimate) if style is None else StylePlay(style, bot.seed)


_MOST_STEPS = 60
"""Largest threshold of a level, in steps of points: usually 3,000 points."""

_WORTH_OF_DIE = 3
"""Points that a player who keeps well gives up for one more die to throw, in steps. Of eight values from 0 to 6 steps,
none scored more points in the five rule sets that were tried (kcd, facebook, colorado-dice, everything2, play-palace)."""

_SHARE_TO_BANK = 20
"""The target divided by this is what a bot banks without any odds: 500 of 10,000 points, a usual turn."""

_SHARE_LOST = {BotLevel.CASUAL: 0.57, BotLevel.BEGINNER: 0.60}
"""The share of matches that a level should lose to a level that plays for points: the casual bot to one without errors,
the beginner to the casual bot. For the casual bot, 0.54 and 0.55 were tried before; with 0.57, best play won 59 % of 2,500
matches against it under ten rule sets."""

_ERRORS = (
    *(n / 10 for n in range(10)),
    *(n / 4 for n in range(4, 16)),
    *(n / 2 for n in range(8, 25)),
)
"""How much a level may misjudge its risk. At 1, the number of dice does not count. Each unit also adds half of the
middle threshold to all of them."""

_CAUTION = tuple(n / 20 for n in range(19, 0, -1))
"""The shares of the right thresholds at which a level may bank if even the largest of these errors costs it too few
matches, as in play-palace, where risk pays."""


@lru_cache(maxsize=8)
def level_style(level: BotLevel, rules: Ruleset) -> PlayerStyle | None:
    """Return how a level plays, or None for the level that plays best.

    A beginner keeps every die that scores. The casual bot leaves dice that are worth little, to throw more of
    them. Both misjudge risk as people do: with two dice left, they throw again almost as readily as
    with four. How much they misjudge it is chosen for each rule set, so that each level loses about
    equally often to the next one. If that costs too few matches, they bank too early instead.
    Their decisions vary around their thresholds, but are never random.

    Args:
        level: The level.
        rules: The rules of the match.
    """
    if level is BotLevel.BEST:
        return None
    table = points_table(rules, opened=True)
    step = unit(rules)
    right = [
        next((at for at in points if table.throwing(at, n) <= at), points[-1])
        for points in [range(0, _MOST_STEPS * step + 1, step)]
        for n in range(1, rules.n_dice + 1)
    ]
    middle = right[(len(right) - 1) // 2]
    worth_of_die = _WORTH_OF_DIE * step if level is BotLevel.CASUAL else 0
    rival = level_style(BotLevel.CASUAL, rules) if level is BotLevel.BEGINNER else None
    rival = rival or PlayerStyle("", tuple(right), step, worth_of_die=worth_of_die)
    bold = [
        [round(middle * (1 + e / 2) + max(1 - e, 0) * (each - middle)) for each in right]
        for e in _ERRORS
    ]
    cautious = [[round(share * each) for each in right] for share in _CAUTION]
    styles = [
        PlayerStyle(str(level), tuple(at), step, worth_of_die=worth_of_die)
        for at in (*bold, *cautious)
    ]
    lost, goal = list(shares_won(rules, rival, styles)), _SHARE_LOST[level]
    n = len(bold) if max(lost[: len(bold)]) >= goal else len(styles)
    return min(zip(lost[:n], styles, strict=False), key=lambda each: abs(each[0] - goal))[1]


def needs_decision(state: State) -> bool:
    """Return whether the current player has to decide something before the next throw."""
    last = state.turn.last
    if state.winner is not None:
        return False
    if last is None:
        return state.offer is not None
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
        left = state.offer
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
        return state.bank_points(keep) >= threshold

    def _threshold(self, state: State, keep: Keep, chance: float) -> float:
        """Return the points at which the person banks with this chance, between 0 and 1."""
        dice = keep.dice_left or state.rules.n_dice
        return self.style.thresholds[dice - 1] + self.style.spread * log(chance / (1 - chance))


def plain_play(rules: Ruleset) -> StylePlay:
    """Return a strategy for rules under which no odds can be calculated: it banks a twentieth of the target."""
    return StylePlay(PlayerStyle("", (rules.target // _SHARE_TO_BANK,) * rules.n_dice, spread=0))


def preferred_keep(state: State, worth_of_die: int) -> Keep:
    """Return the keep with the most points, counting extra points for each die left to throw.

    Args:
        state: State of the match, after a throw with at least one legal keep.
        worth_of_die: Points to add for each die left for the next throw.
    """
    keeps = [keep for keep in state.keeps if not state.overshoots(keep)] or state.keeps
    return most_worth(keeps, worth_of_die, state.rules.n_dice)


def is_practice(match: Match) -> bool:
    """Return whether a match is for practice, that is, whether at least one bot plays in it."""
    return any(player.bot for player in match.state.players)


def is_bot_next(state: State) -> bool:
    """Return whether the next step is a bot's: a throw of simulated dice, or a decision."""
    bot = state.player.bot
    if bot is None or state.winner is not None:
        return False
    return bot.dice is BotDice.SIMULATED or (state.turn.last is not None and needs_decision(state))


def simulated_dice(bot: Bot, state: State) -> Dice:
    """Return the faces of a bot's simulated throw.

    The same bot and state always yield the same faces.

    Args:
        bot: The bot whose turn it is.
        state: State of the match before the throw.
    """
    random = Random(f"{bot.seed} dice {state.n_events}")
    return tuple(sorted(random.choices(range(1, 7), k=state.dice_in_hand)))


def undo_actions(match: Match) -> tuple[Undone, ...]:
    """Return the actions that undo the last step of a person and all steps of bots since then."""
    n, at = 1, match
    while at.before is not None and at.before.before is not None and _is_bot_step(at):
        n, at = n + 1, at.before
    return (Undone(),) * n


def is_untouched(match: Match) -> bool:
    """Return whether no person has taken a step in a match. Steps of bots do not count."""
    at: Match | None = match
    while at is not None and at.before is not None:
        if not _is_bot_step(at):
            return False
        at = at.before
    return True


def redo_actions(match: Match) -> tuple[Redone, ...]:
    """Return the actions that redo the step undone last and the steps of bots that followed it."""
    return (Redone(),) * (1 + sum(1 for _ in _bot_steps_to_redo(match)))


def _bot_steps_to_redo(match: Match) -> Iterator[Match]:
    for after in match.after[-2::-1]:
        if not _is_bot_step(after):
            return
        yield after


def _is_bot_step(match: Match) -> bool:
    """Return whether a bot, rather than a person, took the last step of a match."""
    before = match.before
    if before is None or len(match.timeline) <= len(before.timeline):
        return False
    bot = before.state.player.bot
    event = match.timeline[len(before.timeline)]
    if isinstance(event, Thrown):
        return bot is not None and bot.dice is BotDice.SIMULATED
    return bot is not None and isinstance(event, Kept | Banked | TookOver)


def corrected_for_bot(match: Match, correction: Corrected) -> Spliced | None:
    """Return the change that corrects a bot's throw and removes the decision made after it.

    The bot then decides again. The result is None if the throw is in a person's turn, or if events
    other than the decision have followed the throw. The decision then stays, as it does for a
    person.

    Args:
        match: The match.
        correction: The correction of a throw.
    """
    index, end = correction.index, len(match.timeline)
    turns = (match.state.turn, *match.state.turns)
    turn = next((t for t in turns if any(throw.index == index for throw in t.throws)), None)
    if turn is None or match.state.players[turn.seat].bot is None:
        return None
    old, *later = match.timeline[index:]
    if not isinstance(old, Thrown) or not all(isinstance(e, Kept | Banked) for e in later):
        return None
    thrown = Thrown(correction.dice, forget_faces(old, correction.dice))
    return Spliced(index, end, (thrown,))
