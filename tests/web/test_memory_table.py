"""The table in memory of these tests shows what the companion shows after the same commands."""

from hypothesis import given, settings
from hypothesis import strategies as st

from device.companion.companion import Companion, Inbox
from device.hardware.outputs import Signals
from device.session.live_match import LiveMatch
from game.commands import (
    Bank,
    CorrectThrow,
    EnterThrow,
    KeepDice,
    RecordEvent,
    Redo,
    Rematch,
    SetJustDice,
    StartMatch,
    Undo,
)
from game.errors import GameError
from game.match.events import Farkled, Left, ScoreSet, TurnSet
from game.situation import TableError
from tests.web.conftest import RULES, MemoryTable, NoJournal

FIELDS = (
    "situation", "message", "advice", "match", "step", "rolloff", "just_dice", "unread_throw", "question",
)  # fmt: skip
"""The fields of a snapshot that follow from the commands alone, and not from a camera, a lamp or the time."""

faces = st.lists(st.integers(1, 6), min_size=1, max_size=6).map(tuple)
scores = st.integers(0, 40).map(lambda fifties: 50 * fifties)
commands = st.one_of(
    faces.map(EnterThrow),
    faces.map(KeepDice),
    faces.map(CorrectThrow),
    st.sampled_from([Bank(), Undo(), Redo(), Rematch(), RecordEvent(Farkled())]),
    st.builds(lambda seat, points: RecordEvent(ScoreSet(seat, points)), st.integers(0, 2), scores),
    st.builds(
        lambda points, dice: RecordEvent(TurnSet(0, points, dice)), scores, st.integers(1, 6)
    ),
    st.integers(0, 2).map(lambda seat: RecordEvent(Left(seat))),
    st.booleans().map(SetJustDice),
    st.sampled_from(
        [StartMatch(("Anna", "Ben")), StartMatch(("Anna", "Ben", "Cleo"), target=1_000)]
    ),
)


def outcome(table, command):
    """Carry out a command; return what is shown after it, and why it was refused, if it was."""
    refused = None
    try:
        table.do(command)
    except (GameError, TableError) as error:
        refused = error.message
    shown = table.snapshot()
    choices = [choice.label for choice in shown.choices]
    return refused, choices, {name: getattr(shown, name) for name in FIELDS}


@settings(max_examples=30, deadline=None)
@given(st.lists(commands, min_size=1, max_size=12))
def test_the_table_in_memory_shows_what_the_companion_shows(steps):
    companion = Companion(Inbox(), LiveMatch(NoJournal()), RULES, None, Signals())
    companion.session.camera_found()
    table = MemoryTable()
    for command in (StartMatch(("Anna", "Ben")), *steps):
        assert outcome(table, command) == outcome(companion, command)
