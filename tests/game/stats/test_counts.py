"""What players achieved over many matches, and how their dice fell."""

from contextlib import closing
from dataclasses import replace

import pytest

from game.journal.entry import OTHER_TRAY
from game.journal.history import History
from game.journal.journal import Journal
from game.match.events import (
    Banked,
    Bot,
    BotDice,
    BotLevel,
    Corrected,
    Farkled,
    Left,
    Place,
    PlayerStyle,
    ScoreSet,
    Skipped,
    Spliced,
    Thrown,
    Undone,
)
from game.match.match import Match
from game.match.state import TurnEnding
from game.odds.turn_odds import throw_chances
from game.rules.rule_files import load
from game.stats.counts import (
    BOT_RATINGS,
    DiceSetPeriod,
    MatchCounter,
    Tally,
    points_behind,
    ratings,
    tallies,
)

RULES = load("walnut-studiolo")
FARKLE = (2, 2, 3, 4, 6, 6)


def seen(*dice):
    """Return a throw as a camera read it."""
    return Thrown(dice, tuple(Place(face, 10.0 * i, 0.0, 8.0) for i, face in enumerate(dice)))


@pytest.fixture
def match():
    played = Match.start(replace(RULES, target=2_000), ["Anna", "Ben"])
    played = played.throw((1, 1, 1, 2, 3, 4)).bank()
    played = played.throw(FARKLE)
    played = played.throw(FARKLE)
    played = played.throw((1, 1, 3, 3, 3, 5)).keep((1, 1, 3, 3, 3, 5)).throw((1, 1, 1, 1, 1, 1))
    return played.bank().throw(FARKLE)


def test_turns_banks_and_farkles_are_counted_for_each(match):
    anna, ben = tallies(match)

    assert (anna.turns, anna.banks, anna.banked, anna.throws, anna.farkles) == (3, 1, 1000, 3, 2)
    assert (ben.turns, ben.banks, ben.throws, ben.farkles, ben.hot) == (2, 1, 3, 1, 2)
    assert ben.best_turn == ben.banked == match.state.players[1].score


def test_expected_farkles_belong_to_the_throws_actually_made(match):
    anna, _ = tallies(match)
    all_dice = float(throw_chances(RULES)[6].farkle)

    assert anna.expected == pytest.approx(3 * all_dice)
    assert anna.expected_rate == pytest.approx(all_dice)


def test_both_tries_of_a_last_die_are_one_throw_and_one_farkle_at_most():
    rules = load("ten-thousand-extras")
    begun = Match.start(rules, ["Anna", "Ben"]).throw((1, 1, 1, 5, 5, 2)).keep((1, 1, 1, 5, 5))
    farkled, _ = tallies(begun.throw((2,)).throw((3,)))
    scored, _ = tallies(begun.throw((2,)).throw((5,)).bank())
    six = float(throw_chances(rules)[6].farkle)

    assert (farkled.throws, farkled.farkles) == (2, 1)
    assert (scored.throws, scored.farkles) == (2, 0)
    for tally in (farkled, scored):
        assert tally.expected == pytest.approx(six + (4 / 6) ** 2)


def test_six_dice_may_farkle_after_the_first_throw_if_only_that_one_pays_for_nothing():
    rules = load("greedy-dice")
    hot = Match.start(rules, ["Anna", "Ben"]).throw((1, 1, 1, 5, 5, 5)).keep((1, 1, 1, 5, 5, 5))
    anna, _ = tallies(hot.throw((2, 2, 3, 3, 4, 6)))
    orders = 6 * 180  # two of the faces 2, 3, 4 and 6 twice, and the other two once

    assert (anna.throws, anna.farkles) == (2, 1)
    assert anna.expected == pytest.approx(orders / 6**6)


@pytest.mark.parametrize(("kept", "dice"), [((), 6), ((1, 1), 4), ((1, 1, 5, 3, 3, 3), 6)])
def test_a_farkle_entered_by_hand_counts_as_an_unread_throw(kept, dice):
    begun = Match.start(RULES, ["Anna", "Ben"])
    begun = begun.throw((1, 1, 5, 3, 3, 3)).keep(kept) if kept else begun
    before = float(throw_chances(RULES)[6].farkle) if kept else 0.0
    anna, _ = tallies(begun.push(Farkled()))

    assert (anna.turns, anna.throws, anna.farkles) == (1, 1 + bool(kept), 1)
    assert anna.expected == pytest.approx(before + float(throw_chances(RULES)[dice].farkle))


def test_hot_dice_count_whether_they_are_thrown_again_or_banked():
    begun = Match.start(RULES, ["Anna", "Ben"]).throw((1, 1, 5, 3, 3, 3))

    assert tallies(begun.bank())[0].hot == 1
    assert tallies(begun.keep((1, 1, 5, 3, 3, 3)).throw(FARKLE))[0].hot == 1


def test_nobody_is_behind_a_player_who_has_left():
    match = Match.start(RULES, ["Anna", "Ben", "Cleo"]).push(
        ScoreSet(0, 9_000), Left(0), Skipped(), Skipped()
    )

    assert list(points_behind(match, 1)) == [0, 0, 0]


def test_a_comeback_is_the_largest_deficit_of_the_winner(match):
    anna, ben = tallies(match)

    assert match.state.winner == 1
    assert (anna.matches, anna.won, anna.comeback) == (1, 0, 0)
    assert (ben.matches, ben.won, ben.comeback) == (1, 1, 1000)


def test_tallies_add_sums_and_keep_records():
    both = Tally(turns=2, banked=500, banks=1, best_turn=500) + Tally(turns=2, best_turn=300)

    assert (both.average_turn, both.average_bank, both.best_turn) == (125, 500, 500)
    assert Tally().farkle_rate == Tally().expected_rate == Tally().average_bank == 0


def won_by_anna(bot, *first):
    begun = Match.start(replace(load("kcd"), target=500), ["Anna", "Bot"], bots=[None, bot])
    return begun.push(*first).throw((1, 1, 1, 2, 3, 4)).bank()


def test_a_match_against_a_bot_counts_for_the_rating_of_the_person_alone():
    anna, bot = tallies(won_by_anna(Bot(level=BotLevel.CASUAL)))

    assert (anna.duels, bot.duels) == (((BotLevel.CASUAL, True),), ())
    assert (anna.by_bot, bot.by_bot) == (0, bot.turns)


def test_neither_a_head_start_nor_an_imitation_counts_for_the_rating():
    like_ben = Bot(style=PlayerStyle("Ben", (300,) * 6, 50))

    assert tallies(won_by_anna(Bot(), ScoreSet(1, 100)))[0].duels == ()
    assert tallies(won_by_anna(like_ben))[0].duels == ()


def test_who_wins_half_of_the_matches_is_rated_like_the_bot_and_more_matches_are_surer():
    found = ratings(tuple((BotLevel.BEST, bool(n % 2)) for n in range(200)))
    (first, wide), (last, narrow) = found[0], found[-1]

    assert len(found) == 196
    assert BOT_RATINGS[BotLevel.BEGINNER] < first < BOT_RATINGS[BotLevel.BEST]
    assert last == pytest.approx(BOT_RATINGS[BotLevel.BEST], abs=20)
    assert narrow < 100 < wide < 300


def test_a_rating_follows_a_player_who_improves_and_needs_five_matches():
    worse = ((BotLevel.CASUAL, False),) * 50
    found = ratings(worse + ((BotLevel.CASUAL, True),) * 50)

    assert found[-1][0] > BOT_RATINGS[BotLevel.BEST] + 100
    assert found[45][0] < BOT_RATINGS[BotLevel.BEGINNER] - 100
    assert ratings(worse[:4]) == ()


@pytest.fixture
def journal(tmp_path):
    with closing(Journal.open(tmp_path / "journal.db")) as journal:
        yield journal


def counted(journal, *sets):
    counting = MatchCounter(History(journal.path))
    return list(counting.update()), counting.counts(sets or (DiceSetPeriod(""),)), counting


def test_names_that_differ_in_case_are_one_player(journal):
    for names in (("Anna", "Ben"), ("ANNA", "Cleo")):
        journal.append(journal.start(Match.start(RULES, names)), Thrown(FARKLE))
    _, counts, _ = counted(journal)

    assert [(name, tally.farkles) for name, tally in counts.players] == [("ANNA", 2)]


def test_each_match_counts_for_the_dice_set_in_use(journal):
    first = journal.start(Match.start(RULES, ("Anna", "Ben")))
    after = journal.append(first, seen(1, 1, 1, 2, 3, 4))
    second = journal.start(Match.start(RULES, ("Anna", "Ben")))
    journal.append(second, Thrown((6, 6, 6, 6, 6, 6)))
    _, counts, _ = counted(journal, DiceSetPeriod("ivory"), DiceSetPeriod("red", after))

    newest, oldest = counts.sets
    assert (newest.dice.name, newest.fairness.counts[5], newest.read) == ("red", 6, 0)
    assert (oldest.dice.name, oldest.fairness.counts[0], oldest.read) == ("ivory", 3, 1)


def test_throws_that_may_come_from_another_tray_do_not_count_for_the_dice(journal):
    shared = journal.start(Match.start(RULES, ("Anna", "Ben")))
    journal.append(shared, seen(1, 1, 1, 2, 3, 4))
    journal.append(shared, Banked())
    journal.append(shared, Thrown((6, 6, 6, 6, 6, 6)), request=OTHER_TRAY)
    _, counts, _ = counted(journal, DiceSetPeriod("ivory"))

    (dice,) = counts.sets
    assert dice.fairness.counts == (3, 1, 1, 1, 0, 0)


@pytest.mark.parametrize("dice", BotDice)
def test_simulated_throws_of_a_bot_do_not_count_for_the_dice(journal, dice):
    match = Match.start(RULES, ["Anna", "Bot"], bots=[None, Bot(dice)])
    log, throws = journal.start(match), (seen(*FARKLE), Thrown((2, 3, 3, 4, 4, 6)))
    journal.append(log, throws[0])
    journal.append(log, throws[1])
    _, counts, _ = counted(journal, DiceSetPeriod("ivory"))
    (totals,) = counts.sets
    of_both = (0, 3, 3, 3, 0, 3)

    assert totals.fairness.counts == ((0, 2, 1, 1, 0, 2) if dice is BotDice.SIMULATED else of_both)
    assert totals.read == 1


def test_corrected_readings_are_counted_and_true_faces_are_used(journal):
    match_id = journal.start(Match.start(RULES, ("Anna", "Ben")))
    journal.append(match_id, seen(1, 1, 1, 2, 3, 4))
    journal.append(match_id, Corrected(0, (1, 1, 5, 2, 3, 4)))
    _, counts, _ = counted(journal)

    assert (counts.sets[0].read, counts.sets[0].corrected) == (1, 1)
    assert counts.sets[0].fairness.counts == (2, 1, 1, 1, 1, 0)


@pytest.mark.parametrize(
    ("actions", "corrected"),
    [
        ([Corrected(0, (1, 5, 2, 3, 4, 6)), Undone()], 0),
        ([Corrected(0, (1, 5, 2, 3, 4, 6)), Corrected(0, (1, 6, 2, 3, 4, 6))], 1),
        ([Corrected(0, (1, 5, 2, 3, 4, 6)), Corrected(0, (1, 1, 2, 3, 4, 6))], 0),
        ([Corrected(0, (1, 5, 2, 3, 4, 6)), Undone(), Undone()], 0),
        ([Spliced(0, 1, (seen(1, 5, 2, 3, 4, 6),))], 1),
    ],
    ids=["taken back", "twice", "back to what was read", "throw taken back", "mended"],
)
def test_a_reading_counts_as_corrected_if_its_throw_has_other_dice_now(journal, actions, corrected):
    match_id = journal.start(Match.start(RULES, ("Anna", "Ben")))
    journal.append(match_id, seen(1, 1, 2, 3, 4, 6))
    for action in actions:
        journal.append(match_id, action)
    _, counts, _ = counted(journal)

    assert counts.sets[0].corrected == corrected


def test_a_charity_roll_with_too_few_points_is_not_a_farkle():
    rules = replace(load("everything2"), target=1000)
    match = Match.start(rules, ["Anna", "Ben"]).push(ScoreSet(0, 900), ScoreSet(1, 100))
    match = match.throw((1, 1, 1, 2, 3, 4)).bank().throw((1, 2, 3, 3, 4, 6))
    _, ben = tallies(match)

    assert match.state.turns[-1].ending is TurnEnding.FARKLE
    assert (ben.throws, ben.farkles) == (1, 0)


def test_only_continued_matches_are_counted_again(journal):
    first = journal.start(Match.start(RULES, ("Anna", "Ben")))
    journal.start(Match.start(RULES, ("Cleo", "Dan")))
    ids, _, counting = counted(journal)
    journal.append(first, Thrown(FARKLE))

    assert sorted(ids) == [1, 2]
    assert list(counting.update()) == [first]
    counting.reset()
    assert sorted(counting.update()) == [1, 2]
