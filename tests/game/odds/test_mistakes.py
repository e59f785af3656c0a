"""What decisions cost: the newest decision, and all decisions of a match by kind."""

from dataclasses import replace

from game.match.events import Banked, Bot, Kept, Thrown
from game.match.match import Match
from game.odds.review import MistakeKind, figures, mistakes, review
from game.rules import rule_files
from tests.game.shipped import shipped

RULES = rule_files.load("complete-guide")
TIMID = (Thrown((1, 2, 3, 4, 4, 6)), Banked((1,)))
BOLD = (Thrown((1, 1, 1, 2, 3, 4)), Kept((1, 1, 1)), Thrown((2, 3, 4)))
WRONG = (Thrown((1, 5, 2, 3, 4, 6)), Kept((5,)), Thrown((2, 2, 3, 4, 6)))
BEST = (Thrown((1, 1, 1, 2, 3, 4)), Banked((1, 1, 1)))


def match(*turns, bots=None):
    played = Match.start(RULES, ["Anna", "Ben"], bots=bots)
    for turn in turns:
        for event in turn:
            played = played.push(event)
    return played


def found(*turns, seat=0):
    return mistakes(review(match(*turns), shipped(RULES)), seat)


def test_a_bank_that_came_too_early_is_a_mistake_with_its_cost():
    (only,) = found(TIMID)

    assert (only.kind, only.count) == (MistakeKind.BANKED, 1)
    assert only.win < 0
    assert only.points < 0


def test_throwing_on_with_much_at_risk_is_another_kind():
    assert [each.kind for each in found(BOLD)] == [MistakeKind.THREW]


def test_keeping_other_dice_than_the_best_is_a_third_kind():
    assert [each.kind for each in found(WRONG)] == [MistakeKind.KEPT]


def test_mistakes_of_one_kind_are_summed_up_for_each_player():
    both = found(TIMID, BEST, TIMID, BEST)

    assert [(each.kind, each.count) for each in both] == [(MistakeKind.BANKED, 2)]
    assert found(TIMID, BEST, seat=1) == ()


def test_mistakes_are_known_in_points_without_a_solved_match():
    (only,) = mistakes(review(match(TIMID)), 0)

    assert only.win is None
    assert only.points < -1


def test_the_newest_decision_of_a_person_is_reported_with_its_cost():
    after_bank = figures(match(TIMID), shipped(RULES)).decision
    after_throw = figures(match(BOLD), shipped(RULES)).decision

    assert (after_bank.done.bank, after_bank.best.bank) == (True, False)
    assert after_bank.win < 0
    assert (after_throw.done.bank, after_throw.best.bank) == (False, True)


def test_decisions_of_a_bot_are_not_reported():
    played = figures(match(TIMID, BEST, bots=(None, Bot())), shipped(RULES))
    only_bot = figures(match(BEST, TIMID, bots=(Bot(), None)), shipped(RULES))

    assert played.decision.seat == 0
    assert only_bot.decision.seat == 1


def test_the_decision_of_an_earlier_turn_is_not_reported_after_the_next_throw():
    again = figures(match(TIMID, BEST, BOLD[:1], bots=(None, Bot())), shipped(RULES))

    assert again.decision is None


def test_a_throw_without_a_decision_gives_no_decision_to_report():
    assert figures(match((Thrown((1, 2, 3, 4, 4, 6)),)), shipped(RULES)).decision is None
    assert figures(replace(match(), before=None), shipped(RULES)).decision is None
