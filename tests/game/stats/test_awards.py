"""Awards depend only on what was played, and go to one player or to nobody."""

from dataclasses import replace

import pytest

from game.match.events import ScoreSet, Skipped, Thrown
from game.match.match import Match
from game.odds.review import review
from game.rules import rule_files
from game.rules.ruleset import Win
from game.stats.awards import MIN_BOLD_POINTS, AwardKind, awards, closing_sentence
from tests.game.shipped import shipped
from tests.web.evening import played

RULES = rule_files.load("walnut-studiolo")
THOUSAND, FARKLE = (1, 1, 1, 2, 3, 4), (2, 2, 3, 3, 4, 6)
SIX_ONES = (1, 1, 1, 1, 1, 1)


@pytest.fixture(scope="module")
def match():
    return played(["Anna", "Ben"], seed=3)


def by_kind(found):
    return {award.kind: award for award in found}


def test_the_luckiest_throw_is_named_with_its_dice(match):
    looked = review(match, shipped(RULES))
    award = by_kind(awards(match, looked))[AwardKind.LUCK]

    event = match.timeline[award.event]
    assert isinstance(event, Thrown)
    assert award.dice == tuple(sorted(event.dice))
    assert "lucky throw" in str(award.words)
    best = max(m.win for m in looked.moments if m.kind == "luck")
    assert f"{100 * best:.1f} points" in str(award.words)


def test_without_a_review_only_run_and_farkles_are_awarded(match):
    assert {award.kind for award in awards(match, None)} <= {AwardKind.RUN, AwardKind.FARKLES}


def test_the_best_decision_risked_many_points_and_was_right(match):
    looked = review(match, shipped(RULES))
    award = by_kind(awards(match, looked))[AwardKind.DECISION]

    bold = [m for m in looked.moments if m.risked >= MIN_BOLD_POINTS]
    right = max((m for m in bold if m.done == m.best), key=lambda m: m.risked)
    assert (award.seat, award.turn, award.dice) == (right.seat, right.turn + 1, right.done.dice)
    assert str(award.words).endswith(f"threw again with {right.risked:,} at risk")


def test_the_player_who_gave_nothing_away_decided_best():
    throws_on = Match.start(RULES, ["Anna", "Ben"]).throw(THOUSAND).keep((1,)).throw(FARKLE[:5])
    match = throws_on.throw(THOUSAND).bank().throw(FARKLE).throw(FARKLE)
    award = by_kind(awards(match, review(match, shipped(RULES))))[AwardKind.HEAD]

    assert str(award.words) == "Ben made no mistakes"


def test_a_run_and_farkles_are_counted():
    match = Match.start(RULES, ["Anna", "Ben"])
    for _ in range(3):
        match = match.throw(THOUSAND).bank().throw(FARKLE)
    found = by_kind(awards(match, None))

    assert (found[AwardKind.RUN].seat, str(found[AwardKind.RUN].words)) == (
        0,
        "Anna banked 3 times in a row",
    )
    assert (found[AwardKind.FARKLES].seat, str(found[AwardKind.FARKLES].words)) == (
        1,
        "Ben had the most farkles: 3",
    )


def test_a_throw_that_scores_too_few_points_does_not_count_as_a_farkle():
    """The only throw of each turn ends it, with a farkle or with fewer points than a bank needs."""
    rules = replace(RULES, most_throws=1, minimum_bank=300, opening=0)
    match = Match.start(rules, ["Anna", "Ben"])
    match = match.throw((1, 2, 3, 4, 6, 6)).throw(FARKLE).throw((1, 2, 3, 4, 6, 6))
    award = by_kind(awards(match, None))[AwardKind.FARKLES]

    assert (award.seat, str(award.words)) == (1, "Ben had the most farkles: 1")


def test_a_player_without_decisions_gets_no_award_for_decisions():
    throws_on = Match.start(RULES, ["Anna", "Ben", "Cleo"]).throw(THOUSAND).keep((1,))
    match = throws_on.throw(FARKLE[:5]).throw(FARKLE).throw(FARKLE)
    assert AwardKind.HEAD not in by_kind(awards(match, review(match)))

    match = match.throw(FARKLE).throw((1, 2, 3, 4, 6, 6)).keep((1,)).throw(FARKLE[:5])
    assert by_kind(awards(match, review(match)))[AwardKind.HEAD].seat == 1


def test_banks_that_overshot_do_not_make_a_run():
    rules = replace(RULES, win=Win.EXACTLY)
    match = Match.start(rules, ["Anna", "Ben"]).push(ScoreSet(0, 9_950))
    for _ in range(3):
        match = match.throw(THOUSAND).bank((1, 1, 1)).throw(FARKLE)

    assert AwardKind.RUN not in by_kind(awards(match, None))


def test_nobody_is_awarded_if_all_are_equal():
    assert awards(Match.start(RULES, ["Anna", "Ben"]), None) == ()


def short(target=3000):
    return Match.start(replace(RULES, target=target), ["Anna", "Ben"])


def test_nothing_is_reported_before_a_win():
    assert closing_sentence(short().throw(THOUSAND).bank()) is None


def test_a_comeback_is_reported():
    played = short().throw(THOUSAND).bank()
    won = played.throw(SIX_ONES).bank().throw(FARKLE)

    assert str(closing_sentence(won)) == "Comeback: Ben was 1,000 behind"


def test_without_a_comeback_the_best_turn_is_reported():
    won = short().throw(SIX_ONES).bank().throw(THOUSAND).bank()

    assert str(closing_sentence(won)).startswith("Best turn: Anna, ")


def test_nothing_is_reported_about_a_match_without_a_bank():
    won = short().push(ScoreSet(0, 3000)).push(Skipped())

    assert won.state.winner == 0
    assert closing_sentence(won) is None
