"""The events of each step, and how a correction amends the roll that it corrects."""

from contextlib import closing
from dataclasses import replace
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from game.dice_log import DiceLog
from game.errors import GameError
from game.journal.entry import WireEntry
from game.journal.history import Feed, FeedLine, RollIds
from game.journal.journal import Journal
from game.match.events import (
    Banked,
    Corrected,
    Joined,
    Kept,
    Redone,
    Renamed,
    ScoreSet,
    Skipped,
    Spliced,
    Thrown,
    Undone,
)
from game.match.match import Match
from game.rules import rule_files
from game.stats.step_events import DiceLogEvents, StepKind, step_events
from game.stats.summary import summary

RULES = replace(rule_files.load("walnut-studiolo"), target=1_000, opening=0)
FARKLE = (2, 2, 3, 4, 6, 6)
ROLL = (1, 2, 3, 4, 6, 6)


@pytest.fixture
def played(tmp_path):
    """Play steps, each a tuple of actions, and return the events of each entry of the journal."""

    def play(*steps, rules=RULES):
        with closing(Journal.open(tmp_path / "journal.db")) as journal:
            number = journal.start(Match.start(rules, ["Anna", "Ben"]))
            for step in steps:
                journal.append(number, *step)
        return [step_events(line) for line in Feed(tmp_path / "journal.db").after(0)]

    return play


def kinds(events):
    return [str(event["kind"]) for event in events]


def rolls(events):
    return [event["roll"] for event in events if event["roll"]]


def test_a_match_starts_and_wants_dice(played):
    (started,) = played()

    assert kinds(started) == ["started", "wanted"]
    assert started[1]["wanted"] == {"seat": 0, "player": "Anna", "dice": [6]}
    assert [event["version"] for event in started] == [1, 1]


def test_a_throw_is_rolled_and_then_read(played):
    _, events = played([Thrown(ROLL)])
    rolled, read = rolls(events)

    assert kinds(events) == ["rolled", "read", "wanted"]
    assert (rolled["n_dice"], rolled["dice"]) == (6, [])
    assert (read["id"], read["dice"], read["counts"]) == (rolled["id"], list(ROLL), True)
    assert events[2]["wanted"]["dice"] == [5]


def test_dice_kept_before_the_next_throw_amend_the_first_roll(played):
    _, first, second = played([Thrown(ROLL)], [Kept((1,), assumed=True), Thrown((1, 2, 3, 4, 6))])
    kept = rolls(second)[0]

    assert kinds(second) == ["kept", "rolled", "read", "wanted"]
    assert kept["id"] == rolls(first)[0]["id"] != rolls(second)[1]["id"]
    assert (kept["kept"], kept["points"], kept["assumed"]) == ([1], 100, True)


def test_a_bank_ends_the_turn_and_wants_the_next_players_dice(played):
    *_, events = played([Thrown(ROLL)], [Banked()])

    assert kinds(events) == ["kept", "banked", "wanted"]
    assert (rolls(events)[1]["ending"], rolls(events)[1]["turn_points"]) == ("bank", 100)
    assert events[-1]["wanted"]["player"] == "Ben"
    assert events[-1]["table"]["players"][0]["score"] == 100


def test_a_farkle_is_an_event_of_its_roll(played):
    *_, events = played([Thrown(FARKLE)])

    assert kinds(events) == ["rolled", "read", "farkled", "wanted"]
    assert rolls(events)[-1]["ending"] == "farkle"


def test_the_winning_bank_reports_the_win_and_wants_no_dice(played):
    *_, events = played(
        [Thrown((1, 1, 1, 2, 3, 4))], [Banked()], [Thrown(FARKLE)], rules=replace(RULES, target=500)
    )

    assert "won" in kinds(events)
    assert "wanted" not in kinds(events)
    assert events[-1]["table"]["winner"] == 0


def test_a_correction_amends_the_roll_that_it_corrects(played):
    _, first, _, corrected = played(
        [Thrown(ROLL)], [Kept((1,), assumed=True), Thrown((1, 2, 3, 4, 6))], [Corrected(0, (5, *ROLL[1:]))]
    )  # fmt: skip
    roll = rolls(corrected)[0]

    assert kinds(corrected) == ["corrected", "kept"]
    assert roll["id"] == rolls(first)[0]["id"]
    assert (roll["dice"], roll["kept"], roll["points"]) == ([2, 3, 4, 5, 6, 6], [5], 50)


def test_a_corrected_roll_keeps_its_id_after_turns_are_inserted_and_removed(played):
    _, _, _, second, spliced, corrected = played(
        [Thrown(ROLL)], [Banked()], [Thrown(ROLL)],
        [Spliced(0, 2, (Thrown(FARKLE),))], [Corrected(1, FARKLE)],
    )  # fmt: skip
    anna, ben = (played_roll for played_roll in (second, spliced))

    assert kinds(spliced)[:3] == ["undone", "rolled", "read"]
    assert rolls(corrected)[0]["id"] == rolls(anna)[-1]["id"]
    assert rolls(ben)[0]["counts"] is False


def test_an_undone_roll_no_longer_counts_until_it_is_redone(played):
    _, thrown, undone, redone = played([Thrown(ROLL)], [Undone()], [Redone()])

    assert kinds(undone) == ["undone", "wanted"]
    assert kinds(redone) == ["redone", "wanted"]
    assert rolls(undone)[0]["counts"] is False
    assert rolls(redone)[0] == rolls(thrown)[1]


def test_an_undone_bank_amends_its_roll(played):
    *_, undone = played([Thrown(ROLL)], [Banked()], [Undone()])

    assert kinds(undone) == ["undone", "wanted"]
    assert (rolls(undone)[0]["kept"], rolls(undone)[0]["counts"]) == (None, True)


@pytest.mark.parametrize("action", [Joined("Cleo"), Renamed(0, "Zoë"), ScoreSet(0, 300)])
def test_a_step_without_a_roll_is_a_change(played, action):
    _, _, changed, undone = played([Thrown(ROLL)], [action], [Undone()])

    assert kinds(changed)[:1] == ["changed"]
    assert kinds(undone)[:1] == ["undone"]
    assert rolls(changed) == rolls(undone) == []


def test_a_skipped_turn_is_a_change_that_wants_other_dice(played):
    *_, events = played([Skipped()])

    assert kinds(events) == ["changed", "wanted"]


def test_ids_differ_and_the_table_is_the_match_after_the_step(played, tmp_path):
    events = [*chain(*played([Thrown(ROLL)], [Banked()], [Undone()], [Redone()]))]
    *_, last = Feed(tmp_path / "journal.db").after(0)

    assert len({event["id"] for event in events}) == len(events)
    assert events[-1]["table"] == summary(last.match)


ACTIONS = st.one_of(
    st.builds(Thrown, st.lists(st.integers(1, 6), min_size=2, max_size=6).map(tuple)),
    st.builds(Kept, st.sampled_from([(1,), (5,), (1, 5), (1, 1)])),
    st.sampled_from([Undone(), Redone(), Skipped(), Banked(), Thrown(FARKLE), Thrown(ROLL)]),
    st.builds(Corrected, st.integers(0, 3), st.sampled_from([ROLL, FARKLE])),
    st.builds(Spliced, st.integers(0, 2), st.integers(2, 4), st.just((Thrown(ROLL), Banked()))),
)


@given(st.lists(ACTIONS, max_size=30))
def test_replacing_each_roll_by_its_newest_event_gives_the_match(actions):
    match, ids = Match.start(RULES, ["Anna", "Ben"]), RollIds()
    entry = WireEntry.first("0123456789abcdef", match, 0)
    known = {}
    for action in actions:
        try:
            new_ids, after = ids.push(f"m-{entry.seq + 1}", match, [action])
        except GameError:
            continue
        entry = entry.then(action)
        for event in step_events(FeedLine(1, entry, match, after, ids, new_ids)):
            if event["roll"]:
                known[event["roll"]["id"]] = event["roll"]
        match, ids = after, new_ids
    throws = [throw for turn in (*match.state.turns, match.state.turn) for throw in turn.throws]

    assert len(ids.ids) == len(match.timeline)
    assert {key: (r["dice"], r["kept"]) for key, r in known.items() if r["counts"]} == {
        ids.ids[throw.index]: ([*throw.dice], [*throw.keep.dice] if throw.keep else None)
        for throw in throws
    }


def test_every_kind_is_reachable():
    assert {str(kind) for kind in StepKind} == {
        "started", "wanted", "rolled", "read", "corrected", "kept", "banked", "farkled", "won",
        "undone", "redone", "changed",
    }  # fmt: skip


def test_throws_without_a_match_have_events_as_well():
    dice = DiceLogEvents("a1", DiceLog())
    one = DiceLog().add((2, 6), (2, 6))
    first = dice.update(one)
    amended = dice.update(one.corrected((3, 6)))
    undone = dice.update(DiceLog())
    second = dice.update(one)

    assert [kinds(events) for events in (first, amended, undone, second)] == [
        ["rolled", "read"], ["corrected"], ["undone"], ["rolled", "read"],
    ]  # fmt: skip
    assert {roll["id"] for roll in rolls(first + amended + undone)} == {"a1-0"}
    assert rolls(amended)[0]["dice"] == [3, 6]
    assert rolls(second)[0]["id"] == "a1-1"


def test_throws_before_the_program_was_connected_have_no_events():
    log = DiceLog().add((2, 6), (2, 6))
    dice = DiceLogEvents("a1", log)

    assert dice.update(log) == []
    assert kinds(dice.update(None)) == []
    assert kinds(dice.update(DiceLog().add((1,), (1,)))) == ["rolled", "read"]
