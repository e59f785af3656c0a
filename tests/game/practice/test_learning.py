"""A style that is learnt from a person's matches wins as often as that person."""

from dataclasses import dataclass, field
from random import Random

import pytest

from game.errors import OddsError
from game.match.bot import Bot
from game.match.events import Banked, Kept, Thrown
from game.match.match import Match
from game.practice.learning import LEAST_DECISIONS, learn
from game.practice.matchup import Game, start_state, win_share
from game.practice.strategy import StylePlay, needs_decision, preferred_keep
from game.rules import rule_files

RULES = rule_files.with_options(rule_files.load("facebook"), {"target": 5_000})
POINTS = 0.03
"""The share of wins of a bot may differ by so much from that of the person."""


@dataclass
class Person:
    """Banks by a rule of thumb, errs now and then, and risks more far behind. No style does that exactly."""

    few_dice: int
    many_dice: int
    errs: float
    worth_of_die: int
    random: Random = field(default_factory=lambda: Random(1))

    def decide(self, state):
        best = state.best_bank_keep
        at = self.few_dice if (best.dice_left or 6) <= 3 else self.many_dice
        lead = max(player.score for player in state.players)
        wants = state.locked_points + best.score >= at * (
            1.5 if lead - state.player.score > 3_000 else 1
        )
        wants = wants != (self.random.random() < self.errs)
        if state.closer is not None:
            wants = state.bank_total(best) > lead
        if wants and state.bank_refusal(best) is None:
            return Banked(best.dice)
        return Kept(preferred_keep(state, self.worth_of_die).dice)


def play(strategies, random, bots=None):
    match = Match.start(RULES, ["Anna", "Ben"], first=random.randrange(2), bots=bots)
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


@pytest.fixture(scope="module")
def matches():
    return journal(Person(300, 600, 0.1, 0), Person(350, 900, 0.05, 50), 30)


def test_a_bot_wins_as_often_as_the_person_whom_it_imitates(matches):
    # Measured with 10,000 matches: docs/odds.md. With 500, the standard error is 2 points.
    anna, ben = Person(300, 600, 0.1, 0), Person(350, 900, 0.05, 50)
    style, start = learn(matches, "Anna", RULES), start_state(RULES, 2)
    person = win_share(Game(start, (anna, ben)) for _ in range(500))
    bot = win_share(Game(start, (StylePlay(style, number), ben)) for number in range(500))

    assert abs(bot.share - person.share) < POINTS


def test_a_bold_and_a_careful_person_have_different_thresholds(matches):
    careful, bold = (learn(matches, name, RULES).thresholds for name in ("anna", "BEN"))

    assert careful[3] < bold[3]


def test_the_dice_that_a_person_likes_to_keep_in_hand_are_learnt():
    frugal = Person(300, 600, 0, 100)
    style = learn(journal(frugal, frugal, 10), "Anna", RULES)

    assert style.worth_of_die in (75, 100, 150)


def test_too_few_decisions_are_refused_with_their_number(matches):
    with pytest.raises(OddsError, match=f"Cleo has chosen 0 times .* needs {LEAST_DECISIONS}"):
        learn(matches, "Cleo", RULES)


def test_the_decisions_of_a_bot_are_not_those_of_the_person_of_the_same_name():
    anna, ben = Person(300, 600, 0, 0), Person(350, 900, 0, 0)
    played = [play((anna, ben), Random(1), bots=(Bot(), None))]

    with pytest.raises(OddsError, match="Anna has chosen 0 times"):
        learn(played, "Anna", RULES)
