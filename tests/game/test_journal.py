"""What was told is on disk, and comes back."""

import pytest

from game import rulefile
from game.errors import JournalError
from game.events import Kept, Place, Thrown, Undone
from game.journal import Journal
from game.match import Match

RULES = rulefile.load("walnut-studiolo")
THROW = Thrown((1, 1, 2, 3, 4, 6), (Place(1, 10.5, 20, 30, aside=True),))


@pytest.fixture
def journal(tmp_path):
    journal = Journal.open(tmp_path / "deep" / "journal.db")
    yield journal
    journal.close()


def test_new_journal_has_no_match(journal):
    assert journal.newest() is None


def test_match_comes_back_as_it_stood(journal):
    match = Match.start(RULES, ["Anna", "Ben"], first=1)
    number = journal.start(match)
    steps = [(THROW,), (Kept((1, 1), assumed=True), Thrown((5, 2, 2, 3))), (Undone(),)]
    for step in steps:
        match = match.push(*step)
        journal.append(number, *step)
    journal.close()
    again = Journal.open(journal.path)

    assert again.newest() == (number, match)
    assert again.newest()[1].redo() == match.redo()
    again.close()


def test_newest_match_is_the_one_that_goes_on(journal):
    journal.start(Match.start(RULES, ["Anna", "Ben"]))
    journal.start(Match.start(RULES, ["Cleo", "Dan"]))

    _, match = journal.newest()
    assert match.state.player.name == "Cleo"


def test_folder_in_the_way_is_named(tmp_path):
    with pytest.raises(JournalError, match="the journal cannot be used"):
        Journal.open(tmp_path)


def test_a_second_companion_on_one_folder_is_refused(journal):
    with pytest.raises(JournalError, match="another Traykeeper keeps its matches there"):
        Journal.open(journal.path)


@pytest.mark.parametrize(
    "damage", ["UPDATE step SET actions = '[{'", "UPDATE match SET setup = '{}'"]
)
def test_a_damaged_row_is_one_line_with_the_remedy(journal, damage):
    number = journal.start(Match.start(RULES, ["Anna", "Ben"]))
    journal.append(number, THROW)
    journal._db.execute(damage)

    with pytest.raises(JournalError, match=r"is damaged .* move the file away"):
        journal.newest()


def test_a_file_that_is_no_journal_is_named(tmp_path):
    (tmp_path / "journal.db").write_bytes(b"nonsense" * 1000)
    with pytest.raises(JournalError, match="move the file away"):
        Journal.open(tmp_path / "journal.db")
