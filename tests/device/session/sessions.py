"""Sessions without a tray, and readings laid out by hand."""

from contextlib import closing, contextmanager

from device.session.live_match import LiveMatch
from device.session.session import Session
from device.session.tray_reader import TrayReading
from game.journal.journal import Journal
from game.message import Message
from game.rules import rule_files
from game.situation import Situation
from vision.reading import Die, Problem, Reading

RULES = rule_files.load("walnut-studiolo")
HOLD_S = 1.2


@contextmanager
def open_session(path, tray_reader):
    """Open a session over a real journal, with a camera that works."""
    with closing(Journal.open(path)) as journal:
        session = Session(LiveMatch(journal), RULES, tray_reader)
        session.camera_found()
        yield session


def state(session):
    return session.live_match.match.state


def row(faces, *, problem=None, y=100, time_s=0.0, has_tumbled=True):
    """Return a reading of dice in a row; a die whose face is None has this problem."""
    dice = (
        Die(f, 100.0 * i, y, 50, 50, 0, 0.99, problem=None if f else problem or Problem.COCKED)
        for i, f in enumerate(faces, 1)
    )
    return TrayReading(Reading(tuple(dice)), has_tumbled, time_s)


def press(session):
    session.release_button(0.1)


def hold(session, seconds=HOLD_S):
    session.release_button(seconds)


def answer(session, tray_reading):
    """Answer the newest request with this reading."""
    return session.answered(session.tray_reader.requests, tray_reading)


def read(session, *faces, **options):
    """Press, and answer with these dice; twice if the reading is costly."""
    press(session)
    answer(session, row(faces, **options))
    if session.table.situation is Situation.WAITING:
        answer(session, row(faces, **options))


def message(session):
    return str(session.table.message)


def say(session, text):
    session.say(Message(text))
