"""A bot that plays like a person wins as often as that person, and each level of bots loses to the next one."""

from itertools import pairwise
from pathlib import Path
from random import Random

import pytest

from game.match.events import Bot, BotLevel
from game.odds.table_store import TableStore
from game.practice.handicap import Game, WinShare, play_on, start_state, win_share
from game.practice.learning import learn
from game.practice.strategy import StylePlay, needs_decision, strategy_of
from game.rules import rule_files
from tests.campaigns.size import SOAK, count
from tests.campaigns.test_sure_losses import judged, shared_odds  # noqa: F401 - a fixture
from tests.game.practice.persons import RULES, Person, journal

POINTS = 0.03
"""The share of wins of a bot may differ by so much from that of the person."""

PERSONS = ((300, 600, 0.1, 0), (250, 350, 0.05, 50), (600, 1500, 0.15, 0), (400, 2000, 0, 0))
OPPONENT = (350, 900, 0.05, 50)


@pytest.mark.long
@pytest.mark.campaign
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("person", PERSONS[: count(1, 4)], ids=str)
def test_a_bot_wins_as_often_as_the_person_whom_it_imitates(person):
    n = count(500, 10_000)
    style = learn(journal(Person(*person), Person(*OPPONENT), count(30, 60)), "Anna", RULES)
    start = start_state(RULES, 2)
    anna, ben = Person(*person), Person(*OPPONENT)
    persons = win_share(Game(start, (anna, ben)) for _ in range(n))
    bots = win_share(Game(start, (StylePlay(style, number), ben)) for number in range(n))
    print(f"\n{person}: {n:,} matches, person {persons.share:.1%}, bot {bots.share:.1%}")

    by_chance = 0 if SOAK else 2 * (persons.error**2 + bots.error**2) ** 0.5
    assert abs(bots.share - persons.share) < POINTS + by_chance


LEVELS_ARE_PLAYED = (
    "kcd", "everything2", "play-palace", "colorado-dice", "farkle-ten",
    "five-thousand", "party-zonk", "facebook", "zilch", "standard",
)  # fmt: skip
"""Rule sets with a first to the target, an opening, rounds, small points, five dice, and each kind of last round."""

LEAST_SHARE, MOST_SHARE = 0.55, 0.65
"""The share of matches that a level should win against the level below it."""


def play(state, bots, random):
    """Play a match to its end; return the winner and how many banks were sure losses."""
    lost = 0
    while state.winner is None:
        # Before the first throw the only decision is to take over, so a turn that ends then was a farkle.
        before, decides = state, state.turn.last is not None and needs_decision(state)
        state = play_on(state, bots[state.turn.seat], random)
        if decides and len(state.turns) > len(before.turns):
            lost += judged(before, state) == "lost"
    return state.winner, lost


@pytest.mark.long
@pytest.mark.campaign
@pytest.mark.timeout(36000)
@pytest.mark.usefixtures("shared_odds")
@pytest.mark.parametrize("name", LEVELS_ARE_PLAYED[: count(2, 10)])
@pytest.mark.parametrize("levels", list(pairwise(BotLevel)), ids=" and ".join)
def test_each_level_loses_to_the_next_one_and_banks_no_sure_loss(name, levels):
    rules, n, random = rule_files.load(name), count(60, 10_000), Random(1)
    wins = TableStore(Path("none")).find(rules)
    starts = [start_state(rules, 2, first=first) for first in (0, 1)]
    won = lost = 0
    for number in range(n):
        bots = [strategy_of(Bot(seed=number, level=level), rules, wins) for level in levels]
        winner, losses = play(starts[number % 2], bots, random)
        won, lost = won + winner, lost + losses
    better = WinShare(won, n)
    print(
        f"\n{name}: {n:,} matches, {levels[1]} beats {levels[0]} in {better.share:.1%} "
        f"(give or take {better.error:.1%}), {lost} banks were sure losses"
    )

    by_chance = 0 if SOAK else 3 * better.error
    assert LEAST_SHARE - by_chance < better.share < MOST_SHARE + by_chance
    assert lost == 0
