"""The style of a person is learnt from that person's matches."""

from itertools import pairwise
from random import Random

import pytest

from game.errors import OddsError
from game.match.events import Bot, PlayerStyle, Thrown
from game.match.match import Match
from game.practice import learning
from game.practice.handicap import fair_head_starts
from game.practice.learning import LEAST_DECISIONS, Imitation, learn
from game.practice.strategy import StylePlay
from game.rules import rule_files
from tests.game.practice.persons import RULES, Person, journal, play


@pytest.fixture(scope="module")
def matches():
    return journal(Person(300, 600, 0.1, 0), Person(350, 900, 0.05, 50), 30)


def test_a_bold_and_a_careful_person_have_different_thresholds(matches):
    careful, bold = (learn(matches, name, RULES).thresholds for name in ("anna", "BEN"))

    assert careful[3] < bold[3]


def test_the_dice_that_a_person_likes_to_keep_in_hand_are_learnt():
    frugal = Person(300, 600, 0, 100)
    style = learn(journal(frugal, frugal, 10), "Anna", RULES)

    assert style.worth_of_die in (75, 100, 150)


def test_thresholds_are_learnt_in_the_points_of_the_rules():
    """Scores of play-palace go in steps of 5 points to 500."""
    rules, random = rule_files.load("play-palace"), Random(1)
    careful, played = StylePlay(PlayerStyle("Anna", (20,) * 6, 1)), []
    for _ in range(8):
        match = Match.start(rules, ["Anna", "Ben"])
        while match.state.winner is None:
            event = careful.decide(match.state)
            dice = random.choices(range(1, 7), k=match.state.dice_in_hand)
            match = match.push(event or Thrown(tuple(dice)))
        played.append(match)
    style = learn(played, "Anna", rules)

    assert style.thresholds[1:4] == (20, 20, 20)
    assert style.spread <= 5


def test_a_fair_head_start_is_found_to_the_step_of_the_rules():
    rules = rule_files.load("play-palace")
    bold, careful = (StylePlay(PlayerStyle("", (at,) * 6, 1)) for at in (60, 20))
    tried = [start.points for start in fair_head_starts(rules, lambda _: (bold, careful), 1)]

    assert min(abs(a - b) for a, b in pairwise(tried)) == 5


def test_a_person_who_errs_has_lapses():
    steady, careless = (
        learn(journal(Person(300, 600, errs, 0), Person(350, 900, 0.05, 50), 20), "Anna", RULES)
        for errs in (0, 0.15)
    )

    assert steady.lapse <= 0.03
    assert careless.lapse >= 0.15


def test_a_match_is_replayed_with_its_head_start_against_an_opponent_learnt_once(monkeypatch):
    anna, ben, random = Person(300, 600, 0, 0), Person(350, 900, 0, 0), Random(1)
    played = [play((anna, ben), random, head_start=points) for points in (0, 500, 1_000) * 2]
    imitation, names = Imitation.of(played, "Anna"), []

    def learn_once(matches, name, rules):
        names.append(name)
        return learn(matches, name, rules)

    monkeypatch.setattr(learning, "learn", learn_once)
    games = list(imitation.games(6))

    assert [game.start.players[0].score for game in games] == [0, 500, 1_000] * 2
    assert [game.start.players[1].score for game in games] == [0] * 6
    assert names == ["Ben"]


def test_too_few_decisions_are_refused_with_their_number(matches):
    with pytest.raises(OddsError, match=f"Cleo has chosen 0 times .* needs {LEAST_DECISIONS}"):
        learn(matches, "Cleo", RULES)


def test_the_decisions_of_a_bot_are_not_those_of_the_person_of_the_same_name():
    anna, ben = Person(300, 600, 0, 0), Person(350, 900, 0, 0)
    played = [play((anna, ben), Random(1), bots=(Bot(), None))]

    with pytest.raises(OddsError, match="Anna has chosen 0 times"):
        learn(played, "Anna", RULES)
