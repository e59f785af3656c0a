"""A bot that plays like a person wins as often as that person."""

import pytest

from game.practice.handicap import Game, start_state, win_share
from game.practice.learning import learn
from game.practice.strategy import StylePlay
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
