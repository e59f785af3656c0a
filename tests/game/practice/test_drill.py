"""The drill: positions of a person's own matches in which a decision cost the most."""

import pytest

from game.match.events import Bot
from game.match.match import Match
from game.odds.review import Cause, KeepChoice
from game.practice.drill import POSITIONS, drill
from game.rules.rule_files import load
from tests.web.evening import SHORT, THREE, played, reviewed


@pytest.fixture(scope="module")
def matches():
    found = [played(("Anna", "Ben"), seed) for seed in (1, 2)]
    return [(match, reviewed(match)) for match in found]


def test_the_costliest_decisions_of_one_person_come_first(matches):
    found = drill(matches, "anna")
    losses = [position.moment.win for position in found]
    worst = min(
        moment.win
        for _, review in matches
        for moment in review.moments
        if moment.seat == 0 and moment.kind is Cause.DECISION
    )

    assert len(found) == POSITIONS
    assert losses == sorted(losses)
    assert losses[0] == worst
    assert {position.state.player.name for position in found} == {"Anna"}


def test_every_choice_has_its_cost_and_the_choice_made_costs_what_the_review_says(matches):
    for position in drill(matches, "Anna"):
        costs = {choice: cost for choice, _, cost in position.choices}

        assert min(costs.values()) == 0
        assert costs[position.moment.done] == pytest.approx(-position.moment.win)
        assert {choice.dice for choice in costs} == {keep.dice for keep in position.state.keeps}


def test_without_chances_of_winning_a_choice_costs_points():
    begun = Match.start(load("crappo"), ["Anna", "Ben"]).throw((1, 1, 1, 1, 1, 2))
    thrown = begun.keep((1,)).throw((2, 2, 3, 4, 6))
    (position,) = drill([(thrown, reviewed(thrown))], "Anna")
    costs = {choice: cost for choice, _, cost in position.choices}

    assert position.moment.win is None
    assert costs[KeepChoice((1,), bank=False)] == pytest.approx(-position.moment.points)


def test_a_bot_with_the_name_of_the_person_is_left_out():
    match = played(THREE, rules=SHORT)
    as_bot = Match.start(SHORT, THREE, bots=[Bot(), None, None]).push(*match.timeline)

    assert drill([(as_bot, reviewed(as_bot))], "Anna") == ()
    assert drill([(match, reviewed(match))], "Anna")
