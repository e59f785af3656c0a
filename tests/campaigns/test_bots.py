"""A bot that plays like a person wins as often as that person, and each level of bots loses to the next one."""

from itertools import pairwise
from pathlib import Path

import pytest

from game.match.events import Bot, BotLevel
from game.odds.table_store import TableStore
from game.practice.handicap import Game, start_state, win_share
from game.practice.learning import learn
from game.practice.strategy import StylePlay, strategy_of
from game.rules import rule_files
from tests.campaigns.size import SOAK, count
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


LEVELS_ARE_PLAYED = "kcd", "facebook", "farkle-ten", "play-palace", "colorado-dice", "party-zonk"
"""Rule sets with a first to the target, an opening, rounds, small points, five dice, and a last round."""

LEAST_SHARE, MOST_SHARE = 0.55, 0.65
"""The share of matches that a level should win against the level below it."""


@pytest.mark.long
@pytest.mark.campaign
@pytest.mark.timeout(36000)
@pytest.mark.parametrize("name", LEVELS_ARE_PLAYED[: count(2, 6)])
@pytest.mark.parametrize("levels", list(pairwise(BotLevel)), ids=" and ".join)
def test_each_level_loses_to_the_next_one(name, levels):
    rules, n = rule_files.load(name), count(60, 10_000)
    wins = TableStore(Path("none")).find(rules)
    starts = [start_state(rules, 2, first=first) for first in (0, 1)]

    def game(number):
        bots = [strategy_of(Bot(seed=number, level=level), rules, wins) for level in levels]
        return Game(starts[number % 2], bots, seat=1)

    better = win_share(map(game, range(n)))
    print(
        f"\n{name}: {better.matches:,} matches, {levels[1]} beats {levels[0]} in {better.share:.1%}"
    )

    by_chance = 0 if SOAK else 3 * better.error
    assert LEAST_SHARE - by_chance < better.share < MOST_SHARE + by_chance
