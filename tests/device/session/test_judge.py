"""What a reading means for the match, with readings laid out by hand."""

from dataclasses import replace

import pytest

from device.session.judge import is_costly, judge, judge_entered, rolloff_die
from device.session.tray_reader import TrayReading
from device.session.verdict import Accept, Ask, Attention, EmptyTray, NotThrown
from game.match.events import Banked, Kept, Place, Thrown, Undone
from game.match.match import Match
from game.message import Message
from game.rules import rule_files
from vision.reading import Die, Problem, Reading, Zone

RULES = rule_files.load("walnut-studiolo")
PAIR_OF_ONES = (1, 1, 2, 3, 4, 6)
HOT = (1, 1, 3, 3, 3, 5)


def die(face, x, y=100.0, zone=Zone.TRAY, problem=None):
    return Die(face, x, y, 50, 50, 0, 0.99, zone, problem)


def lay(faces, x=100.0, y=100.0, zone=Zone.TRAY):
    """Return dice in a row, a hundred pixels apart."""
    return [die(face, x + 100 * i, y, zone) for i, face in enumerate(faces)]


def tray_reading(*rows, has_tumbled=True, problems=()):
    return TrayReading(Reading(tuple(d for row in rows for d in row), problems), has_tumbled)


@pytest.fixture
def match():
    return Match.start(RULES, ["Anna", "Ben"])


@pytest.fixture
def opened(match):
    """Return the match after both players have opened; it is Anna's turn."""
    return match.throw(HOT).bank().throw(HOT).bank()


def accept(match, verdict):
    assert isinstance(verdict, Accept), verdict
    return match.push(*verdict.events)


def thrown(match, faces, **where):
    """Return the match after these dice were thrown in a row and read."""
    return accept(match, judge(match, tray_reading(lay(faces, **where))))


def test_first_throw_of_six_is_accepted(match):
    assert thrown(match, PAIR_OF_ONES).state.turn.last.dice == PAIR_OF_ONES


def test_empty_tray_waits_for_a_throw(match):
    assert judge(match, tray_reading()) == EmptyTray()


def test_pressing_twice_for_one_throw_does_nothing(match):
    match = thrown(match, PAIR_OF_ONES)

    verdict = judge(match, tray_reading(lay(PAIR_OF_ONES), has_tumbled=None))
    assert verdict == NotThrown(Message("Not thrown yet: the dice have not moved."))


def test_press_after_setting_dice_aside_without_throwing_does_nothing(match):
    match = thrown(match, PAIR_OF_ONES)
    aside = lay((1, 1), y=900, zone=Zone.ASIDE)

    assert isinstance(judge(match, tray_reading(lay(PAIR_OF_ONES)[2:], aside)), NotThrown)
    assert isinstance(judge(match, tray_reading(lay(PAIR_OF_ONES)[2:])), NotThrown)


def test_press_on_the_previous_players_dice_does_nothing(opened):
    match = thrown(opened, PAIR_OF_ONES).bank()

    assert isinstance(judge(match, tray_reading(lay(PAIR_OF_ONES), has_tumbled=None)), NotThrown)


def test_press_on_the_dice_of_a_farkle_does_nothing(match):
    match = thrown(match, (2, 3, 3, 4, 6, 6))

    assert isinstance(
        judge(match, tray_reading(lay((2, 3, 3, 4, 6, 6)), has_tumbled=None)), NotThrown
    )


LEFT = (1, 1, 3, 4, 5, 6)
FALLEN = (2, 2, 3, 3, 4, 6)


def forgotten(stayed, slid, fell):
    """Return the previous player's six dice, some unmoved, some slid, some thrown to show FALLEN."""
    old = lay(LEFT)
    moved = [die(d.value, d.x, 300) for d in old[stayed : stayed + slid]]
    return [*old[:stayed], *moved, *lay(FALLEN[:fell], y=500)]


SPLITS = [
    (stayed, slid, fell)
    for stayed in range(7)
    for slid in range(7 - stayed)
    for fell in range(7 - stayed - slid)
    if stayed + slid + fell
]


def expected_of_forgotten(stayed, slid, fell, has_tumbled):
    """Return the expected verdict: only six dice that have all moved are a first throw."""
    moved = slid + fell
    if not moved:
        return NotThrown
    if has_tumbled is False and not fell:
        return NotThrown
    if stayed + moved < 6:
        return Attention
    if stayed or (has_tumbled is None and not fell):
        return Ask
    return Accept


@pytest.mark.parametrize("has_tumbled", [True, False, None])
@pytest.mark.parametrize(("stayed", "slid", "fell"), SPLITS)
def test_dice_left_from_the_previous_turn_never_count(opened, stayed, slid, fell, has_tumbled):
    match = thrown(opened, LEFT).bank()
    verdict = judge(match, tray_reading(forgotten(stayed, slid, fell), has_tumbled=has_tumbled))

    assert type(verdict) is expected_of_forgotten(stayed, slid, fell, has_tumbled)
    assert not (stayed and isinstance(verdict, Accept))


def test_a_forgotten_die_is_asked_about_with_the_remedy(opened):
    match = thrown(opened, LEFT).bank()
    verdict = judge(match, tray_reading(forgotten(1, 0, 5)))

    assert str(verdict.question) == (
        "One die has not moved at all. Were all 6 thrown? If not, throw all 6 and press the button."
    )
    assert match.push(*verdict.options[0].actions).state.turn.last.dice == (1, 2, 2, 3, 3, 4)


def test_dice_that_slid_were_not_thrown(match):
    match = thrown(match, PAIR_OF_ONES)

    assert isinstance(
        judge(match, tray_reading(lay(PAIR_OF_ONES, y=300), has_tumbled=False)), NotThrown
    )


def test_dice_that_tumbled_to_the_same_faces_were_thrown(match):
    match = thrown(match, PAIR_OF_ONES)
    verdict = judge(match, tray_reading(lay((2, 3, 4, 6), y=300), has_tumbled=True))

    assert accept(match, verdict).state.turns[-1].throws[0].keep.dice == (1, 1)


def test_moved_dice_are_asked_about_if_nobody_watched(match):
    match = thrown(match, PAIR_OF_ONES)
    verdict = judge(match, tray_reading(lay((2, 3, 4, 6), y=300), has_tumbled=None))

    assert isinstance(verdict, Ask)
    assert str(verdict.options[0].label) == "They were thrown: 2 3 4 6"
    assert is_costly(match, verdict)


def test_slid_dice_can_be_declared_thrown_with_one_tap(match):
    match = thrown(match, PAIR_OF_ONES)
    verdict = judge(match, tray_reading(lay((2, 3, 4, 6), y=300), has_tumbled=False))

    assert str(verdict.override.label) == "They were thrown: 2 3 4 6"


def test_the_number_thrown_decides_what_was_kept(match):
    match = thrown(match, PAIR_OF_ONES)
    verdict = judge(match, tray_reading(lay((1, 2, 2, 5), y=300)))

    assert str(verdict.note) == "Anna kept 1 1 = 200."
    assert verdict.events[0] == Kept((1, 1), assumed=True)


def test_the_best_keep_of_that_size_is_assumed(match):
    match = thrown(match, (1, 5, 2, 3, 4, 4))
    verdict = judge(match, tray_reading(lay((1, 2, 2, 3, 5), y=300)))

    assert verdict.events[0] == Kept((1,), assumed=True)


def test_a_chosen_keep_comes_first(match):
    match = thrown(match, (1, 5, 2, 3, 4, 6)).keep((5,))
    match = accept(match, judge(match, tray_reading(lay((1, 2, 2, 3, 5), y=300))))

    assert match.state.turn.throws[0].keep.dice == (5,)


def test_a_chosen_keep_that_does_not_fit_the_number_is_asked_about(match):
    match = thrown(match, PAIR_OF_ONES).keep((1,))
    verdict = judge(match, tray_reading(lay((1, 2, 2, 5), y=300)))

    assert isinstance(verdict, Ask)
    assert "so five dice should have been thrown, but the camera sees four dice" in str(
        verdict.question
    )
    assert verdict.options[0].actions[0] == Kept((1, 1), assumed=True)


def test_dice_set_aside_decide_what_was_kept(match):
    match = thrown(match, (1, 5, 2, 3, 4, 6))
    aside = lay((5,), y=900, zone=Zone.ASIDE)
    verdict = judge(match, tray_reading(lay((1, 2, 2, 3, 5), y=300), aside))

    assert verdict.events[0] == Kept((5,), assumed=True)


def test_dice_aside_that_do_not_add_up_are_asked_about(match):
    match = thrown(match, PAIR_OF_ONES)
    aside = lay((1,), y=900, zone=Zone.ASIDE)
    verdict = judge(match, tray_reading(lay((1, 2, 2, 5), y=300), aside))

    assert isinstance(verdict, Ask)
    assert str(verdict.question).startswith("One die set aside and 4 thrown do not add up to 6.")


def test_dice_set_aside_that_are_not_a_legal_keep_are_asked_about(match):
    match = thrown(match, PAIR_OF_ONES)
    aside = lay((1, 4), y=900, zone=Zone.ASIDE)
    verdict = judge(match, tray_reading(lay((1, 2, 2, 5), y=300), aside))

    assert isinstance(verdict, Ask)
    assert "1 4 are set aside, but you can't keep those from this throw." in str(verdict.question)


def test_dice_that_stayed_while_others_were_thrown_were_kept(match):
    match = thrown(match, (1, 5, 2, 3, 4, 6))
    stayed = lay((1, 5, 2, 3, 4, 6))[1:2]
    verdict = judge(match, tray_reading(stayed, lay((1, 2, 2, 3, 5), y=300)))

    assert verdict.events[0] == Kept((5,), assumed=True)
    assert verdict.events[1].dice == (1, 2, 2, 3, 5)


def test_dice_left_lying_for_two_throws_are_counted_once(match):
    match = thrown(match, (1, 5, 2, 3, 4, 6))
    one = lay((1,))
    match = accept(match, judge(match, tray_reading(one, lay((1, 2, 2, 3, 5), y=300))))
    five = lay((1, 2, 2, 3, 5), y=300)[4:]
    match = accept(match, judge(match, tray_reading(one, five, lay((1, 2, 2, 6), y=500))))

    assert [throw.keep.dice for throw in match.state.turn.throws[:2]] == [(1,), (5,)]


def test_dice_aside_over_two_throws_are_counted_once(match):
    match = thrown(match, (1, 5, 2, 3, 4, 6))
    aside = lay((1,), y=900, zone=Zone.ASIDE)
    match = accept(match, judge(match, tray_reading(lay((1, 2, 2, 3, 5), y=300), aside)))
    aside = lay((1, 5), y=900, zone=Zone.ASIDE)
    match = accept(match, judge(match, tray_reading(lay((1, 2, 2, 6), y=500), aside)))

    assert [throw.keep.dice for throw in match.state.turn.throws[:2]] == [(1,), (5,)]


def test_missing_die_names_the_number_expected(match):
    match = thrown(match, PAIR_OF_ONES)
    verdict = judge(match, tray_reading(lay((2, 2, 5), y=300)))

    assert [*map(str, verdict.advice)] == [
        "Expected four or five dice after a throw of 1 1 2 3 4 6, but saw 3: is one hidden or on the floor?"
    ]


def test_too_many_dice_are_those_that_were_kept(match):
    match = thrown(match.throw((1, 1, 1, 2, 3, 4)).keep((1, 1, 1)), (4, 5, 5))
    verdict = judge(match, tray_reading(lay((1, 2, 4), y=300)))

    assert [*map(str, verdict.advice)] == [
        "Expected one or two dice after a throw of 4 5 5, but saw 3: take out the dice that were kept."
    ]


def test_the_refusal_of_a_bank_names_the_chosen_keep(match):
    match = thrown(match, PAIR_OF_ONES).keep((1,))
    verdict = judge(match, tray_reading(lay((1, 2, 2, 3, 5, 6), y=300)))

    assert "(100 is 400 short of the 500 needed to get on the board)" in str(verdict.advice[0])


def test_first_throw_with_a_die_missing_names_the_number_expected(match):
    verdict = judge(match, tray_reading(lay((1, 2, 3, 4, 5))))

    assert str(verdict.advice[0]).startswith(
        "Expected six dice, but saw 5: Anna begins with all dice."
    )


def test_hot_dice_are_announced_with_an_offer_to_bank_instead(opened):
    match = thrown(opened, HOT)
    verdict = judge(match, tray_reading(lay((1, 2, 2, 3, 4, 6), y=300)))

    assert str(verdict.note).startswith("Hot dice! Anna kept 1 1 3 3 3 5 = 550")
    after = accept(match, verdict)
    assert after.state.turn.at_risk == 550
    repaired = after.push(*verdict.repairs[0].actions)
    assert str(verdict.repairs[0].label) == "Anna banked 550, and Ben threw these dice"
    assert [player.score for player in repaired.state.players] == [1100, 550]
    assert repaired.state.turn.seat == 1


def test_a_forgotten_bank_without_hot_dice_is_one_question(opened):
    match = thrown(opened, (1, 1, 1, 5, 2, 3))
    verdict = judge(match, tray_reading(lay((1, 2, 2, 3, 4, 6), y=300)))

    assert str(verdict.question) == "Did Anna bank 1,050?"
    after = match.push(*verdict.options[0].actions)
    assert after.state.players[0].score == 1600
    assert after.state.turn.last.dice == (1, 2, 2, 3, 4, 6)


def test_all_dice_below_the_opening_are_never_a_bank(match):
    match = thrown(match, PAIR_OF_ONES)
    verdict = judge(match, tray_reading(lay((1, 2, 2, 3, 4, 6), y=300)))

    assert str(verdict.advice[0]).startswith(
        "Anna cannot bank yet (200 is 300 short of the 500 needed to get on the board)"
    )


def test_forgotten_bank_that_ends_the_match_only_banks():
    rules = replace(RULES, target=1000)
    match = Match.start(rules, ["Anna", "Ben"]).throw((1, 1, 1, 2, 3, 4)).bank()
    match = thrown(match, (1, 1, 1, 5, 2, 3))
    verdict = judge(match, tray_reading(lay((1, 2, 2, 3, 4, 6), y=300)))

    assert verdict.options[0].actions == (Banked(),)
    assert match.push(Banked()).state.winner == 1


@pytest.mark.parametrize("problem", list(Problem))
def test_doubtful_die_needs_attention_and_never_counts(match, problem):
    dice = [*lay((1, 1, 2, 3, 4)), die(None, 700, problem=problem)]

    assert isinstance(judge(match, tray_reading(dice)), Attention)


def test_a_kept_die_whose_face_was_named_keeps_it(match):
    smudged = die(None, 700, problem=Problem.UNREADABLE)
    match = accept(
        match, judge(match, tray_reading([*lay((1, 2, 3, 4, 6)), smudged]).with_face(5, 1))
    )
    again = tray_reading([smudged], lay((2, 3, 4, 4, 5), y=400)).with_known_faces(match.last_places)
    match = accept(match, judge(match, again))

    assert match.state.turn.throws[0].keep.dice == (1,)


def test_a_doubtful_die_elsewhere_stays_doubtful(match):
    match = thrown(match, PAIR_OF_ONES)
    doubtful = die(None, 130, problem=Problem.UNREADABLE)

    there = tray_reading([doubtful], lay((2, 3, 4, 6), y=400)).with_known_faces(match.last_places)
    assert isinstance(judge(match, there), Attention)


def test_hot_dice_with_one_die_missing_are_asked_about(match):
    match = thrown(match, (1, 1, 1, 5, 5, 5))
    verdict = judge(match, tray_reading(lay((2, 3, 4, 5, 6), y=400)))

    assert (
        str(verdict.question) == "Anna may throw all 6, but the camera sees five dice. Was 1 kept?"
    )


def test_a_kept_die_that_was_pushed_is_asked_about(match):
    match = thrown(match, PAIR_OF_ONES)
    verdict = judge(match, tray_reading(lay((1,)), [die(1, 225, 110)], lay((2, 3, 4, 6), y=400)))

    assert str(verdict.question) == "A die may have been knocked. Was 1 1 kept?"
    pushed, kept_one = (match.push(*option.actions) for option in verdict.options)
    assert pushed.state.turns[-1].points == 0
    assert kept_one.state.turn.last.dice == (1, 2, 3, 4, 6)


def test_dice_aside_that_do_not_add_up_are_asked_about_even_if_one_is_doubtful(match):
    match = thrown(match, (1, 1, 5, 2, 3, 4))
    doubtful = die(None, 200, y=900, zone=Zone.ASIDE, problem=Problem.COCKED)
    aside = [*lay((1,), y=900, zone=Zone.ASIDE), doubtful]
    verdict = judge(match, tray_reading(lay((2, 3, 4), y=400), aside))

    assert "one die set aside and 3 thrown do not add up to 6" in str(verdict.question).lower()


def test_dice_kept_before_an_entered_throw_are_not_thrown_after_it(match):
    match = thrown(match, (1, 1, 1, 2, 3, 4))
    match = match.push(*judge_entered(match, (1, 5, 5)).events)
    in_tray = lay((1, 1, 1)), lay((1, 5, 5), y=400)

    assert isinstance(judge(match, tray_reading(*in_tray, has_tumbled=False)), NotThrown)
    assert isinstance(judge(match, tray_reading(*in_tray, has_tumbled=None)), Attention)


def test_six_dice_after_entered_hot_dice_are_asked_about(match):
    match = match.push(*judge_entered(match, (1, 1, 1, 5, 5, 5)).events)
    verdict = judge(match, tray_reading(lay((1, 1, 1)), lay((2, 3, 4), y=400)))

    assert str(verdict.question) == "The camera did not see the previous throw. Were all 6 thrown?"


def test_entered_dice_after_entered_hot_dice_are_accepted(match):
    match = match.push(*judge_entered(match, (1, 1, 1, 5, 5, 5)).events)

    assert isinstance(judge_entered(match, PAIR_OF_ONES), Accept)


@pytest.mark.parametrize(
    ("problem", "remedy"),
    [
        (Problem.HAND, Message("There is a hand in the picture: take it away and press again.")),
        (Problem.DARK, Message("It is too dark to read: the tray needs more light.")),
        (
            Problem.GLARE,
            Message(
                "It is too bright to read: dim the light, or turn the lamp away from the tray."
            ),
        ),
    ],
)
def test_a_problem_with_the_whole_picture_needs_attention(match, problem, remedy):
    verdict = judge(match, tray_reading(lay(PAIR_OF_ONES), problems=(problem,)))

    assert verdict == Attention((remedy,))


def test_only_a_farkle_is_costly(match):
    farkle = judge(match, tray_reading(lay((2, 3, 3, 4, 6, 6))))
    score = judge(match, tray_reading(lay(PAIR_OF_ONES)))

    assert is_costly(match, farkle)
    assert not is_costly(match, score)


def test_a_farkle_after_a_forgotten_bank_is_costly(opened):
    match = thrown(opened, PAIR_OF_ONES)
    farkle = judge(match, tray_reading(lay((2, 3, 3, 4, 6, 6), y=300)))
    score = judge(match, tray_reading(lay(HOT, y=300)))

    assert isinstance(farkle, Ask)
    assert isinstance(score, Ask)
    assert is_costly(match, farkle)
    assert not is_costly(match, score)


def test_a_corrected_die_at_its_place_was_not_thrown(match):
    match = thrown(match, (5, 2, 3, 3, 4, 6)).correct((1, 2, 3, 3, 4, 6))

    assert isinstance(
        judge(match, tray_reading(lay((1, 2, 3, 3, 4, 6)), has_tumbled=None)), NotThrown
    )


def test_the_number_of_entered_dice_decides_what_was_kept(match):
    match = match.throw(PAIR_OF_ONES)
    verdict = judge_entered(match, (1, 2, 2, 5))

    assert verdict.events == (
        Kept((1, 1), assumed=True),
        Thrown((1, 2, 2, 5), tuple(Place(f, 0, 0, 0) for f in (1, 2, 2, 5))),
    )


def test_one_die_decides_who_starts():
    assert rolloff_die(tray_reading(lay((4,))), ()) == 4


def test_the_same_die_is_not_thrown_twice():
    before = (Place(4, 100, 100, 50),)

    assert isinstance(rolloff_die(tray_reading(lay((4,)), has_tumbled=None), before), NotThrown)
    assert rolloff_die(tray_reading(lay((4,), y=300), has_tumbled=True), before) == 4


def test_several_dice_in_the_roll_off_need_attention():
    assert isinstance(rolloff_die(tray_reading(lay((4, 5))), ()), Attention)
    assert rolloff_die(tray_reading(), ()) == EmptyTray()


def test_the_repair_after_hot_dice_undoes_the_throw_first(opened):
    verdict = judge(thrown(opened, HOT), tray_reading(lay((1, 2, 2, 3, 4, 6), y=300)))

    assert verdict.repairs[0].actions[0] == Undone()


def test_more_dice_aside_than_were_kept_are_asked_about(match):
    match = thrown(match, (1, 2, 3, 4, 5, 6))
    one = lay((1,), y=900, zone=Zone.ASIDE)
    match = accept(match, judge(match, tray_reading(lay((5, 5, 5, 2, 3), y=300), one)))
    aside = lay((5, 5, 5), y=900, zone=Zone.ASIDE)
    verdict = judge(match, tray_reading(lay((2, 3, 4), y=500), aside))

    assert isinstance(verdict, Ask)
    assert "Was 5 5 kept?" in str(verdict.question)
