"""Lists of matches, single matches and new entries, read while the journal is being written."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from threading import Thread

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from game.errors import GameError, JournalError
from game.journal import history as module
from game.journal.entry import Entry, Result, checksum
from game.journal.history import Feed, History
from game.journal.journal import Journal
from game.journal.schema import load_match
from game.match.events import Banked, Kept, Renamed, ScoreSet, Skipped, Thrown, Undone
from game.match.match import Match
from game.match.state import Series
from game.rules import rule_files
from tests.examples import SHARED_FIXTURES
from tests.waiting import PATIENCE_S

RULES = rule_files.load("walnut-studiolo")
NOON_S = 1_800_000_000.0


@pytest.fixture
def journal(tmp_path):
    path = tmp_path / "journal.db"
    with closing(Journal.open(path, clock=lambda: NOON_S)) as journal:
        yield journal


@pytest.fixture
def history(journal):
    return History(journal.path)


def begun(*names):
    return Match.start(RULES, names or ("Anna", "Ben"))


def win(journal, match_id, match):
    """Let Anna win with 12,000 points set by hand."""
    for step in ((ScoreSet(0, 12_000),), (Skipped(),)):
        match = match.push(*step)
        result = Result.of(match) if match.state.winner is not None else None
        journal.append(match_id, *step, result=result)
    return match


def test_an_empty_journal_has_no_matches(history):
    assert history.matches() == ()
    assert history.entries() == ()
    assert history.players() == ()


def test_the_list_has_players_rules_times_and_standings(journal, history):
    first = journal.start(begun())
    won = win(journal, first, begun())
    second = journal.start(begun("Cleo", "Dan"))
    journal.append(second, Thrown((1, 1, 3, 3, 4, 6)))
    open_one, ended = history.matches()

    assert (open_one.id, open_one.result.names, open_one.ended) == (second, ("Cleo", "Dan"), False)
    assert (open_one.result.scores, open_one.steps) == ((0, 0), 1)
    assert ended.result == Result.of(won)
    assert ended.ended
    assert ended.rules == RULES
    assert (ended.begun_s, ended.last_s) == (NOON_S, NOON_S)
    assert open_one.key != ended.key == history.key(first)


def test_an_undone_win_does_not_count(journal, history):
    number = journal.start(begun())
    won = win(journal, number, begun())
    journal.append(number, Undone())

    assert history.matches()[0].result == Result.of(won.undo())


def test_the_list_has_pages_and_starts_with_a_reopened_match(journal, history):
    numbers = [journal.start(begun()) for _ in range(5)]
    journal.append(numbers[1])
    pages, before = [], 2**62
    while page := history.matches(before=before, limit=2):
        pages.append([played.id for played in page])
        before = page[-1].position

    assert pages == [[numbers[1], numbers[4]], [numbers[3], numbers[2]], [numbers[0]]]


def test_an_empty_match_is_in_the_list_only_while_it_is_in_play(journal, history):
    played, rematch = journal.start(begun()), journal.start(begun())
    journal.append(played, Skipped())
    journal.append(rematch, Thrown((1, 1, 3, 3, 4, 6)))
    in_play = [each.id for each in history.all_matches()]
    journal.append(rematch, Undone())
    undone = [each.id for each in history.all_matches()]
    journal.append(played)

    assert in_play == undone == [rematch, played]
    assert [each.id for each in history.all_matches()] == [played]


def test_a_follower_gets_every_entry_once_and_in_order(journal, history):
    seen: list[Entry] = []
    first = journal.start(begun())
    second = journal.start(begun("Cleo", "Dan"))
    for i in range(30):
        journal.append((first, second)[i % 2], ScoreSet(0, 50 * i))
        if i % 7 == 0:
            while more := history.entries(seen[-1].position if seen else 0, limit=3):
                seen += more
    seen += history.entries(seen[-1].position)

    assert [entry.position for entry in seen] == list(range(1, 33))
    assert seen[0].start_match == begun()
    assert [entry.seq for entry in seen if entry.match_id == second] == list(range(16))
    assert [entry.actions for entry in seen[2:4]] == [(ScoreSet(0, 0),), (ScoreSet(0, 50),)]


def test_recent_players_come_first(journal, history):
    journal.start(begun("Zoë", "ben"))
    journal.start(begun("Anna", "Ben"))

    assert history.players() == ("Anna", "Ben", "Zoë")


def test_a_missing_match_is_named(journal, history):
    for ask in (history.match, history.key):
        with pytest.raises(JournalError, match="there is no match 9"):
            ask(9)
    assert history.match_entries(9) == ()


def test_a_missing_journal_is_named(tmp_path):
    with pytest.raises(JournalError, match=r"gone.db: there is no journal"):
        History(tmp_path / "gone.db").matches()


def test_many_threads_read_while_one_writes(journal, history):
    number = journal.start(begun())
    found: list[int] = []

    def follow():
        position = 0
        while position < 201:
            for entry in history.entries(position, 10):
                assert entry.position == position + 1
                position = entry.position
        found.append(position)

    readers = [Thread(target=follow) for _ in range(4)]
    for reader in readers:
        reader.start()
    for i in range(200):
        journal.append(number, ScoreSet(0, 50 * i))
    for reader in readers:
        reader.join(PATIENCE_S)

    assert found == [201] * 4


def test_every_journal_has_its_own_identity(journal, history, tmp_path):
    before, kept = history.identity, history.copy()
    journal.start(begun())
    assert history.identity == before
    journal.restore(kept)

    assert history.identity != before
    assert history.matches() == ()


def test_a_list_that_is_read_while_a_backup_is_restored_is_of_one_journal(
    journal, history, monkeypatch
):
    empty, played = history.copy(), module._played
    for _ in range(2):
        journal.append(journal.start(begun()), Skipped())

    def interrupted(*row):
        if history.version[1]:
            journal.restore(empty)
        return played(*row)

    monkeypatch.setattr(module, "_played", interrupted)
    assert [each.id for each in history.matches()] == [2, 1]
    assert history.matches() == ()


def test_an_unreadable_match_does_not_hide_the_others(journal, history):
    first = journal.start(begun())
    journal.append(first, Skipped())
    broken = journal.start(begun("Cleo", "Dan"))
    journal.append(
        broken, Thrown((1, 2, 3, 4, 6, 6)), Kept((2, 3))
    )  # an event that no current version accepts
    newest = journal.start(begun())

    assert [each.id for each in history.matches()] == [newest, first]
    assert [each.id for each in history.matches(limit=2)] == [newest, first]
    _, unreadable, _ = history.all_matches()
    assert (unreadable.id, unreadable.position) == (broken, 4)
    assert "a single 2 does not score" in str(unreadable.why)


def test_a_match_counts_the_wins_of_matches_that_began_after_its_score_was_first_read(journal):
    series = Series(3, "0123456789abcdef")
    start = Match.start(RULES, ("Anna", "Ben"), series=series)
    first, second = journal.start(start), journal.start(start)
    before = journal.match(first).state.series_wins(0)
    win(journal, second, start)
    win(journal, journal.start(start), start)

    assert (before, journal.match(first).state.series_wins(0)) == (0, 2)


def test_a_win_counts_for_the_player_who_was_renamed_in_a_later_match_of_the_series(journal):
    start = Match.start(RULES, ("Anna", "Ben"), series=Series(3, "0123456789abcdef"))
    first, second = journal.start(start), journal.start(start)
    journal.append(second, Renamed(0, "Annika"))
    renamed = Match.start(RULES, ("Annika", "Ben"), series=Series(3, "0123456789abcdef"))
    win(journal, second, start.push(Renamed(0, "Annika")))
    win(journal, journal.start(renamed), renamed)

    assert [journal.match(first).state.series_wins(seat) for seat in (0, 1)] == [2, 0]


def test_wins_before_and_after_a_renaming_count_in_the_match_in_which_the_player_was_renamed(
    journal,
):
    series = Series(5, "0123456789abcdef")
    start = Match.start(RULES, ("Anna", "Ben"), series=series)
    win(journal, journal.start(start), start)
    renaming = journal.start(start)
    journal.append(renaming, Renamed(0, "Annika"))
    renamed = Match.start(RULES, ("Annika", "Ben"), series=series)
    win(journal, journal.start(renamed), renamed)

    journal.append(renaming, Renamed(0, "Annika"))  # the same name again changes nothing

    assert [journal.match(renaming).state.series_wins(seat) for seat in (0, 1)] == [2, 0]


def test_a_match_of_a_series_is_read_although_the_rules_no_longer_allow_another_one(journal):
    start = Match.start(RULES, ("Anna", "Ben"), series=Series(3, "8899aabbccddeeff"))
    broken, won, newest = (journal.start(start) for _ in range(3))
    journal.append(broken, Thrown((1, 2, 3, 4, 6, 6)), Kept((2, 3)))
    win(journal, won, start)
    lines = list(Feed(journal.path).after(0))

    assert journal.match(newest).state.series_wins(0) == 1
    assert [each.id for each in History(journal.path).matches()] == [won, newest]
    assert [line.position for line in lines] == [1, 2, 3, 5, 6]  # only the illegal step is left out
    assert lines[-1].match.state.series_wins(0) == 1


def test_a_win_counts_once_although_a_reader_with_an_older_view_of_the_journal_searched_last(
    journal,
):
    series = Series(3, "00112233445566ff")
    start = Match.start(RULES, ("Anna", "Ben"), series=series)
    first = journal.start(start)
    with closing(sqlite3.connect(journal.path)) as older:
        older.execute("BEGIN")
        older.execute("SELECT COUNT(*) FROM match").fetchone()
        win(journal, journal.start(start), start)
        assert journal.match(first).state.series_wins(0) == 1
        assert load_match(older, first).state.series_wins(0) == 0

    assert journal.match(first).state.series_wins(0) == 1


def rewrite(journal, position, body):
    """Replace the content of an entry, with a checksum that fits, as only another program would."""
    row = "SELECT match, seq, time FROM entry WHERE position = ?"
    with closing(sqlite3.connect(journal.path)) as db, db:
        seal = checksum(*db.execute(row, (position,)).fetchone(), body)
        values = (body, seal, position)
        db.execute("UPDATE entry SET body = ?, seal = ? WHERE position = ?", values)


def places_in(value, path=()) -> Iterator[tuple[object, ...]]:
    """Yield the path of each value within parsed JSON."""
    yield path
    items = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, inner in items:
        yield from places_in(inner, (*path, key))


def replaced(value, path, new):
    if not path:
        return new
    copy = value.copy()
    copy[path[0]] = replaced(value[path[0]], path[1:], new)
    return copy


@settings(max_examples=60, suppress_health_check=SHARED_FIXTURES)
@given(data=st.data())
def test_content_that_no_traykeeper_writes_is_refused(journal, data):
    """Whatever a value is replaced by, the match is read or refused with a message, and the list has the other match."""
    number = journal.start(begun())
    journal.append(number, Thrown((1, 1, 3, 3, 3, 5)))
    journal.append(number, Banked())
    other = journal.start(begun())
    with closing(sqlite3.connect(journal.path)) as db:
        query = "SELECT position, body FROM entry WHERE match = ?"
        position, body = data.draw(st.sampled_from(db.execute(query, (number,)).fetchall()))
    content = json.loads(body)
    path = data.draw(st.sampled_from(list(places_in(content))))
    new = data.draw(
        st.sampled_from([None, True, -1, 7, 1e300, 10**30, float("inf"), "", "x", [], [[1]], {}])
    )
    rewrite(journal, position, json.dumps(replaced(content, path, new)))

    with suppress(GameError):
        History(journal.path).match(number)
    with suppress(GameError):
        list(Feed(journal.path).whole(number))
    assert other in [each.id for each in History(journal.path).all_matches()]
