"""The awards of a match, with the picture of its luckiest throw."""

from contextlib import closing

import pytest

from game.journal.history import History
from game.journal.journal import Journal
from game.match.events import Corrected, Kept, Place, Redone, Thrown, Undone
from game.match.match import Match
from tests.web.conftest import RULES, MemoryTable, as_scorekeeper, make_app
from tests.web.evening import AtOnce, journal_of
from web.pages.matches import throw_positions

FIRST, SECOND = (1, 1, 1, 1, 1, 5), (5, 5, 2, 3, 4, 6)


def thrown(dice, y):
    return Thrown(dice, tuple(Place(face, 10.0 * i, y, 5.0) for i, face in enumerate(dice)))


@pytest.fixture
def history(tmp_path):
    match = Match.start(RULES, ["Anna", "Ben"]).push(thrown(SECOND, 1.0)).keep((5, 5))
    return journal_of(tmp_path, match.push(thrown((1, 1, 1, 1), 2.0)).bank())


def open_at(history, pictures):
    asked = []

    def picture(position):
        asked.append(position)
        return pictures

    app = make_app(MemoryTable(), history=history, coach=AtOnce(history), pictures=picture)
    return as_scorekeeper(app), asked


def test_luckiest_throw_is_shown_with_its_picture(history):
    client, asked = open_at(history, b"\xff\xd8picture")
    page = client.get("/matches/1").text

    assert "lucky throw" in page
    assert "/matches/1/luckiest.jpg" in page
    assert client.get("/matches/1/luckiest.jpg").data == b"\xff\xd8picture"
    assert set(asked) == {2}  # all of it was written as one step


def test_evening_shows_the_picture_of_each_luckiest_throw(history):
    client, _ = open_at(history, b"\xff\xd8picture")

    assert "/matches/1/luckiest.jpg" in client.get("/evening").text


def test_deleted_picture_is_not_shown(history):
    client, _ = open_at(history, None)

    assert "luckiest.jpg" not in client.get("/evening").text

    assert "luckiest.jpg" not in client.get("/matches/1").text
    assert client.get("/matches/1/luckiest.jpg").status_code == 404


def test_throw_of_another_tray_keeps_its_picture_when_it_is_undone_redone_and_corrected(tmp_path):
    """A throw of another tray is written without the places of its dice."""
    steps = (
        (Thrown(SECOND),),
        (Kept((5, 5)),),
        (Undone(),),
        (Undone(),),
        (Redone(),),
        (Corrected(0, FIRST),),
        (Kept((1, 1, 1, 1, 1, 5)), Thrown(SECOND)),
        (Undone(),),
        (Kept((1, 1)),),
        (Thrown((1, 2, 4, 6)),),
        (Corrected(2, (1, 1, 4, 6)),),
    )
    with closing(Journal.open(tmp_path / "journal.db")) as journal:
        number = journal.start(Match.start(RULES, ["Anna", "Ben"]))
        positions = [journal.append(number, *actions) for actions in steps]
    history = History(tmp_path / "journal.db")

    assert throw_positions(history, number) == {0: positions[0], 2: positions[9]}
    assert [history.match(number).timeline[index].dice for index in (0, 2)] == [FIRST, (1, 1, 4, 6)]
