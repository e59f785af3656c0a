"""Published entries contain the same steps as the journal: replaying them gives the match."""

import json
from contextlib import closing, suppress
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from game.errors import GameError
from game.journal.entry import WireEntry
from game.journal.history import Feed
from game.journal.journal import Journal
from game.match.events import (
    Banked,
    Corrected,
    Kept,
    Place,
    Redone,
    Renamed,
    Skipped,
    Thrown,
    Undone,
)
from game.match.match import Match
from game.rules import rule_files
from tests.examples import SHARED_FIXTURES

RULES = rule_files.load("walnut-studiolo")
HOUSE = replace(rule_files.load("zilch"), name="kitchen", title="Our kitchen", target=2_000)

ACTIONS = st.one_of(
    st.builds(Thrown, st.lists(st.integers(1, 6), min_size=2, max_size=6).map(tuple)),
    st.builds(Kept, st.sampled_from([(1,), (5,), (1, 5), (1, 1)]), st.booleans()),
    st.sampled_from([Undone(), Redone(), Skipped(), Banked(), Renamed(0, "Zoë")]),
    st.builds(Corrected, st.integers(0, 3), st.just((1, 1, 2, 3, 4, 6))),
)

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=8,
)


@pytest.fixture
def journal(tmp_path):
    with closing(Journal.open(tmp_path / "journal.db")) as journal:
        yield journal


def over_the_wire(entry: WireEntry) -> WireEntry:
    return WireEntry.from_json(json.loads(json.dumps(entry.to_json())))


def fold(entries) -> Match:
    match, chain = None, ""
    for entry in entries:
        assert entry.follows(chain)
        match, chain = entry.played(match), entry.chain
    return match


@settings(
    max_examples=60,
    suppress_health_check=SHARED_FIXTURES,
)
@given(st.lists(st.lists(ACTIONS, min_size=1, max_size=3), max_size=25))
def test_replaying_the_entries_gives_the_match_of_the_journal(journal, steps):
    match = Match.start(RULES, ["Anna", "Ben"])
    number = journal.start(match)
    for step in steps:
        try:
            match = match.push(*step)
        except GameError:
            continue
        journal.append(number, *step)
    heard = fold(over_the_wire(line.entry) for line in Feed(journal.path).whole(number))

    assert heard.state == match.state
    assert (heard.can_undo, heard.can_redo) == (match.can_undo, match.can_redo)


def test_house_rules_and_teams_are_published(journal):
    match = Match.start(HOUSE, ["A", "B", "C", "D"], teams=[1, 2, 1, 2], first=2)
    number = journal.start(match)
    (line,) = Feed(journal.path).whole(number)
    entry = over_the_wire(line.entry)

    assert entry.played(None) == match
    assert entry.began_s > 1_600_000_000


def test_places_of_dice_are_not_published(journal):
    first = WireEntry.first("0" * 16, Match.start(RULES, ["A", "B"]), 0)
    step = first.then(Thrown((1, 2, 3, 4, 6, 6), (Place(1, 10.5, 20.25, 30.0),)))

    assert "places" not in json.dumps(step.to_json())


def test_matches_are_listed_in_order_with_their_steps(journal):
    first = journal.start(Match.start(RULES, ["A", "B"]))
    journal.append(first, Thrown((1, 2, 3, 4, 6, 6)))
    second = journal.start(Match.start(RULES, ["C", "D"]))
    matches = Feed(journal.path).match_sizes()

    assert [(number, steps) for number, _, steps in matches] == [(first, 1), (second, 0)]
    assert matches[0][1] != matches[1][1]


def test_the_feed_continues_where_it_stopped_over_all_matches(journal):
    feed = Feed(journal.path)
    assert list(feed.after(feed.before_newest())) == []
    first = journal.start(Match.start(RULES, ["A", "B"]))
    journal.append(first, Thrown((1, 2, 3, 4, 6, 6)))
    lines = list(feed.after(0))
    journal.append(first, Skipped())
    journal.start(Match.start(RULES, ["C", "D"]))
    more = list(feed.after(lines[-1].position))
    fresh = Feed(journal.path)

    assert [line.entry.seq for line in lines] == [0, 1]
    assert [line.entry.seq for line in more] == [2, 0]
    assert more[0].before == lines[-1].match
    assert [line.entry for line in fresh.after(0)] == [x.entry for x in (*lines, *more)]
    where = fresh.find(more[0].entry.match, 2, more[0].entry.chain)
    assert [line.entry for line in fresh.after(where.position)] == [more[1].entry]
    assert fresh.find(more[0].entry.match, 2, "0" * 12) is None
    assert list(fresh.after(fresh.before_newest())) == more[1:]


def test_different_histories_have_different_chains():
    first = WireEntry.first("0" * 16, Match.start(RULES, ["A", "B"]), 0)
    one = first.then(Thrown((1, 2, 3, 4, 6, 6))).then(Banked())
    other = first.then(Thrown((5, 2, 3, 4, 6, 6))).then(Banked())

    assert one.body == other.body
    assert one.chain != other.chain


def test_a_step_without_actions_is_refused():
    step = WireEntry.from_json({"match": "0" * 16, "seq": 1, "chain": ""})

    with pytest.raises(GameError):
        step.played(Match.start(RULES, ["A", "B"]))


@given(JSON, JSON, JSON)
def test_any_input_is_an_entry_or_is_refused_with_a_message(options, names, actions):
    begin = {"match": "0" * 16, "seq": 0, "chain": "", "rules": "zilch", "options": options}
    step = {"match": "0" * 16, "seq": 1, "chain": "", "actions": actions}
    for data in (begin | {"names": names, "first": 0, "teams": None}, step, actions):
        with suppress(GameError):
            WireEntry.from_json(data).played(
                Match.start(RULES, ["A", "B"]) if data is step else None
            )
