"""Invented persons who play by rules of thumb, and matches between them."""

from dataclasses import dataclass, field
from random import Random

from game.match.events import Banked, Kept, ScoreSet, Thrown
from game.match.match import Match
from game.match.state import reaches_target
from game.practice.strategy import needs_decision, preferred_keep
from game.rules import rule_files

RULES = rule_files.with_options(rule_files.load("facebook"), {"target": 5_000})


@dataclass
class Person:
    """A person who banks by a rule of thumb, errs now and then, and risks more when far behind.

    No style can imitate that exactly. A person who can win by banking always does.
    """

    few_dice: int
    many_dice: int
    errs: float
    worth_of_die: int
    random: Random = field(default_factory=lambda: Random(1))

    def decide(self, state):
        best = state.best_bank_keep
        at = self.few_dice if (best.dice_left or 6) <= 3 else self.many_dice
        lead = max(player.score for player in state.players)
        wants = state.turn.locked_points + best.score >= at * (
            1.5 if lead - state.player.score > 3_000 else 1
        )
        wants = wants != (self.random.random() < self.errs)
        wants = wants or reaches_target(state.rules, state.bank_total(best))
        if state.closer is not None:
            wants = state.bank_total(best) > lead
        if wants and state.bank_refusal(best) is None:
            return Banked(best.dice)
        return Kept(preferred_keep(state, self.worth_of_die).dice)


def play(strategies, random, bots=None, head_start=0):
    """Return a match in which Anna may have a head start."""
    match = Match.start(RULES, ["Anna", "Ben"], first=random.randrange(2), bots=bots)
    match = match.push(ScoreSet(0, head_start)) if head_start else match
    while match.state.winner is None:
        state = match.state
        decision = strategies[state.turn.seat].decide(state) if needs_decision(state) else None
        match = match.push(
            decision or Thrown(tuple(random.choices(range(1, 7), k=state.dice_in_hand)))
        )
    return match


def journal(anna, ben, n, seed=5):
    random = Random(seed)
    return [play((anna, ben), random) for _ in range(n)]
