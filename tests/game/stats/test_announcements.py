"""Announcements of a match, and its summary."""

from dataclasses import replace

from game.match.events import Kept, ScoreSet, Thrown
from game.match.match import Match
from game.rules import rule_files
from game.stats.announcements import announcements
from game.stats.summary import summary

RULES = replace(rule_files.load("walnut-studiolo"), target=1_000, opening=0)


def announced(before, after):
    return [(m["event_type"], m["player"], m["points"]) for m in announcements(before, after)]


def begun():
    return Match.start(RULES, ["Anna", "Ben"])


def test_a_match_begins():
    assert announced(None, begun()) == [("match_begun", "Anna", 0)]


def test_hot_dice_are_announced_once():
    hot = begun().throw([1, 1, 1, 5, 5, 5])
    kept = hot.keep([1, 1, 1, 5, 5, 5])

    assert announced(begun(), hot) == [("hot_dice", "Anna", 1_500)]
    assert announced(hot, kept) == []


def test_hot_dice_right_after_hot_dice_are_announced_again():
    first = begun().throw([1, 1, 1, 5, 5, 5])
    second = first.push(Kept((1, 1, 1, 5, 5, 5)), Thrown((1, 1, 1, 5, 5, 5)))

    assert [what for what, *_ in announced(first, second)] == ["hot_dice"]


def test_a_bank_and_a_farkle_are_announced_with_their_points():
    thrown = begun().throw([1, 1, 2, 3, 4, 6])
    kept = thrown.keep([1, 1])

    assert announced(thrown, thrown.bank()) == [("banked", "Anna", 200)]
    assert announced(kept, kept.throw([2, 3, 4, 6])) == [("farkled", "Anna", 200)]


def test_the_winner_is_announced():
    match = begun().throw([1, 1, 1, 2, 3, 4])
    last = match.bank()
    over = last.throw([2, 2, 3, 4, 6, 6])

    assert [what for what, *_ in announced(match, last)] == ["banked", "last_round"]
    assert [what for what, *_ in announced(last, over)] == ["farkled", "won"]


def test_another_winner_is_announced_if_a_score_is_set_by_hand():
    anna = begun().push(ScoreSet(1, 900)).throw([1, 1, 1, 2, 3, 4]).bank().throw([2, 2, 3, 4, 6, 6])
    ben = anna.push(ScoreSet(1, 2_000))

    assert announced(anna, ben) == [("won", "Ben", 2_000)]
    assert announced(ben, ben.push(ScoreSet(1, 3_000))) == []


def test_undone_and_corrected_steps_are_not_announced():
    hot = begun().throw([1, 1, 1, 5, 5, 5])

    assert announced(hot, hot.undo()) == []
    assert announced(begun().throw([1, 2, 3, 3, 4, 6]), hot) == []


def test_the_summary_has_the_current_player_and_the_points_at_risk():
    short = summary(begun().throw([1, 1, 2, 3, 4, 6]))

    assert short["turn"] == {"seat": 0, "player": "Anna", "points": 200, "dice": 6}
    assert short["throw"]["dice"] == [1, 1, 2, 3, 4, 6]
    assert short["throw"]["kept"] is None
    assert summary(begun())["throw"] is None


def test_a_reset_is_announced_with_score_and_points_at_risk():
    rules = rule_files.load("ten-thousand-extras")
    kept = Match.start(rules, ["Anna", "Ben"]).push(ScoreSet(0, 4_000))
    kept = kept.throw([1, 5, 2, 3, 3, 4]).keep([1, 5])

    assert announced(kept, kept.throw([2, 2, 2, 2])) == [("farkled", "Anna", 4_150)]
