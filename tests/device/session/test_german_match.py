"""A match on a German phone: the real page shows no English."""

import html
import re
from contextlib import closing
from dataclasses import replace

import pytest

from device.hardware.outputs import lamp_for
from device.session.indicator import indicator_for
from device.session.live_match import LiveMatch
from device.session.session import Session
from device.session.table_state import NeedsAttention, OpenQuestion
from device.session.tray_reader import TrayReading
from game.commands import (
    AnswerQuestion,
    Bank,
    CallPlayers,
    CorrectThrow,
    DropEvents,
    EnterThrow,
    InsertTurn,
    KeepDice,
    ReadAgain,
    RecordEvent,
    Redo,
    Rematch,
    StartMatch,
    Undo,
)
from game.errors import TraykeeperError
from game.journal.journal import Journal
from game.match.events import Joined, Left, Renamed, Reordered, ScoreSet, Skipped, TurnSet
from game.message import Message, Sentence
from game.rules import rule_files
from game.rules.ruleset import LastRound, Piggyback, Win
from game.situation import Situation
from tests.languages import english_left
from tests.throws import FARKLE, THOUSAND
from tests.tray_reader import FakeTrayReader
from tests.web.conftest import as_scorekeeper, make_app
from vision.reading import Die, Problem, Reading, Zone
from web.contracts import Snapshot

WALNUT = replace(rule_files.load("walnut-studiolo"), title="Walnuss")
STIRLER = replace(rule_files.load("stirler"), title="Stirler")
HOT = (1, 1, 3, 3, 3, 5)
PAIR_OF_ONES = (1, 1, 2, 3, 4, 6)

SAME = {"anna", "ben", "cleo", "dora", "stirler", "traykeeper", "usb", "options", "opening"}
"""Names of people, and words that programs send."""
HIDDEN = re.compile(r"<(script|style|svg)\b.*?</\1>|<[^>]+>", re.DOTALL)
SPOKEN = re.compile(r'(?:aria-label|alt|placeholder|data-why)="([^"]*)"')


class Table:
    """A session with a page, which is checked on a German phone after each action."""

    def __init__(self):
        self.version = 0
        self.client = as_scorekeeper(make_app(self, rules=(WALNUT,)))

    def open(self, journal, rules):
        """Open the table without a match."""
        self.reader, self.held_s, self.places = FakeTrayReader(), 0.0, 0
        self.session = Session(LiveMatch(journal), rules, self.reader, shut_down=lambda: None)
        self.session.camera_found()
        return self

    def snapshot(self):
        table, overlay = self.session.table, self.session.table.overlay
        match = table.in_play
        sign = indicator_for(
            table.situation,
            match,
            held_s=self.held_s,
            hold=self.session.hold_effect,
            has_camera=table.has_camera,
        )
        return Snapshot(
            self.version,
            table.situation,
            table.message,
            lamp_for(sign, self.session.hold_effect),
            hold=self.session.hold_effect,
            advice=overlay.advice if isinstance(overlay, NeedsAttention) else (),
            match=match,
            rolloff=None if match or table.dice_log else table.rolloff,
            question=overlay.question if isinstance(overlay, OpenQuestion) else None,
            choices=table.choices,
            camera="usb" if table.has_camera else None,
        )

    def do(self, command):
        """Carry out a command; the phone shows no English even if it is refused."""
        return self.happen(self.session.do, command)

    def happen(self, job, *args):
        try:
            job(*args)
        except TraykeeperError as error:
            self.session.say(Sentence(error.message))
        return self.look()

    def press(self):
        return self.happen(self.session.release_button, 0.0)

    def look(self):
        """Return the words that the phone shows or reads out."""
        self.version += 1
        page = self.client.get("/sections", headers={"Accept-Language": "de"}).text
        text = html.unescape(f"{HIDDEN.sub(' ', page)} {' '.join(SPOKEN.findall(page))}")

        left = english_left(text, "de") - SAME
        assert left == set(), text
        return text

    def hold(self, seconds=1.2):
        """Hold the button while the lamp shows what releasing it will do."""
        self.held_s = seconds
        self.look()
        self.held_s = 0.0
        return self.happen(self.session.release_button, seconds)

    def throw(self, *faces, **how):
        """Throw dice to new places, and press."""
        self.places += 60
        self.reader.has_tumbled = True
        self.read(lay(faces, y=self.places), **how)
        self.reader.has_tumbled = False

    def read(self, dice, *, has_tumbled=True, press=True, earlier=None, problems=()):
        if press:
            self.press()
        tray_reading = TrayReading(Reading(tuple(dice), problems), has_tumbled, time_s=40.0)
        self.happen(self.session.answered, self.reader.requests, tray_reading, earlier)
        if self.session.table.situation is Situation.WAITING and dice:
            self.happen(self.session.answered, self.reader.requests, tray_reading)


def lay(faces, x=100.0, y=100.0, zone=Zone.TRAY, problem=None):
    return [
        Die(face, x + 100 * i, y, 50, 50, 0, 0.99, zone, None if face else problem)
        for i, face in enumerate(faces)
    ]


@pytest.fixture(scope="module")
def page():
    return Table()


@pytest.fixture
def table(page, tmp_path):
    with closing(Journal.open(tmp_path / "journal.db")) as journal:
        yield page.open(journal, WALNUT)


@pytest.fixture
def begun(table):
    table.do(StartMatch(("Anna", "Ben", "Cleo")))
    return table


@pytest.fixture
def opened(begun):
    """Return the match after every player has opened; it is Anna's turn."""
    for _ in range(3):
        begun.throw(*HOT)
        begun.do(Bank())
    return begun


def test_the_roll_off_in_german(table):
    assert "Jeder würfelt mit einem Würfel: Wer beginnt?" in table.look()
    table.throw(3)
    table.throw(3, 4)
    table.read(lay((3,), y=table.places), has_tumbled=False)
    table.throw(3)
    assert "Gleichstand: Spieler 1 und Spieler 2" in table.hold()
    table.do(Undo())
    table.hold()
    table.throw(2)
    table.throw(6)
    assert "Spieler 2 hat am höchsten gewürfelt und beginnt." in table.look()
    table.do(RecordEvent(Renamed(0, "Anna")))
    table.do(RecordEvent(Renamed(1, "Ben")))
    assert "Spieler 2 heißt jetzt Ben." in table.look()


def test_questions_and_advice_in_german(begun):
    begun.hold()
    begun.read([])
    begun.press()
    begun.hold()
    begun.press()
    begun.happen(begun.session.timed_out, begun.reader.requests)
    for problem in Problem:
        begun.read(lay((None, 2, 3, 4, 5, 6), problem=problem))
    begun.read(lay((None, None, 3, 4, 5, 6), problem=Problem.COCKED))
    begun.hold()
    begun.read(lay(PAIR_OF_ONES), problems=(Problem.HAND,))
    begun.read(lay(PAIR_OF_ONES[1:], y=900))
    begun.read([], earlier=TrayReading(Reading(tuple(lay(PAIR_OF_ONES, y=700))), time_s=20.0))
    begun.hold()
    assert "Anna würfelt 1 1 2 3 4 6: 200 auf dem Spiel." in begun.look()


def test_refusals_in_german(begun):
    begun.throw(*PAIR_OF_ONES)
    assert "200: es fehlen 300 zu den 500 für den Einstieg" in begun.hold()
    for kept in ((1, 5), (1, 2), (1, 1, 1), (4,)):
        begun.do(KeepDice(kept))
    begun.do(Rematch())
    begun.do(Redo())
    begun.do(AnswerQuestion("nothing"))
    begun.do(InsertTurn("rubbish"))
    begun.do(InsertTurn("113335: 333 = 900, bank"))
    begun.do(StartMatch(("Anna", "Anna")))
    begun.do(StartMatch(("Anna", "")))
    begun.do(StartMatch(("Anna", "Ben"), options={"opening": -5}))
    begun.do(StartMatch(("Anna", "Ben"), rules="stirlr"))
    begun.do(RecordEvent(Left(7)))
    begun.do(RecordEvent(Joined("Ben")))
    begun.do(RecordEvent(Reordered((0, 0))))
    begun.do(RecordEvent(ScoreSet(0, 10**9)))
    begun.throw(1, 2, 3, 4, 5, 6)
    begun.hold(6.0)


def test_an_assumed_keep_in_german(opened):
    opened.throw(*PAIR_OF_ONES)
    opened.throw(2, 2, 5)
    opened.throw(2, 2, 5, 5)

    assert "Anna hat 1 1 = 200 behalten." in opened.look()


def test_a_chosen_keep_that_does_not_fit_in_german(opened):
    opened.throw(*PAIR_OF_ONES)
    opened.do(KeepDice((1,)))
    opened.throw(2, 2, 5, 5)

    assert "Wurde 1 1 behalten?" in opened.look()
    opened.hold()


@pytest.mark.parametrize(
    ("aside", "asked"),
    [
        ((1,), "1 Würfel beiseite und 4 gewürfelt ergeben nicht 6."),
        ((1, 4), "1 4 liegen beiseite, die kannst du aus diesem Wurf aber nicht behalten."),
    ],
)
def test_dice_aside_that_do_not_fit_in_german(opened, aside, asked):
    opened.throw(*PAIR_OF_ONES)
    opened.read([*lay((2, 2, 5, 5), y=800), *lay(aside, zone=Zone.ASIDE)])

    assert asked in opened.look()
    opened.hold()


def test_hot_dice_in_german(opened):
    opened.throw(*HOT)
    opened.throw(*PAIR_OF_ONES)

    assert "Heiße Würfel! Anna hat 1 1 3 3 3 5 = 550 behalten" in opened.look()
    assert "Anna hat 550 gesichert, Ben hat so gewürfelt" in opened.look()
    opened.do(AnswerQuestion(opened.session.table.choices[0].id))


def test_a_forgotten_bank_in_german(opened):
    opened.throw(*THOUSAND)
    opened.throw(*PAIR_OF_ONES)

    assert "Hat Anna 1.000 gesichert?" in opened.look()
    opened.hold()
    opened.do(Undo())
    opened.do(Redo())


def test_dice_that_only_moved_in_german(opened):
    opened.throw(*PAIR_OF_ONES)
    opened.read(lay(PAIR_OF_ONES, y=opened.places), has_tumbled=False)
    opened.read(lay((1, 2, 3, 4), x=120, y=opened.places + 40), has_tumbled=False)
    opened.read(lay((1, 2, 3, 4), x=120, y=opened.places + 40), has_tumbled=None)

    assert "Gewürfelt oder nur verschoben?" in opened.look()
    opened.hold()
    opened.hold(3.5)


def test_dice_that_have_not_moved_in_german(opened):
    before = lay((3, 3, 3, 5), y=opened.places, x=300)
    opened.read([*before, *lay((2, 4), y=990)])

    assert "Einige Würfel haben sich gar nicht bewegt. Wurden alle 6 gewürfelt?" in opened.look()
    opened.hold()


def test_readings_that_differ_in_german(opened):
    opened.press()
    for faces in (FARKLE, THOUSAND):
        opened.happen(
            opened.session.answered,
            opened.reader.requests,
            TrayReading(Reading(tuple(lay(faces, y=500))), has_tumbled=True),
        )

    assert "Zweimal gelesen, zwei Ergebnisse." in opened.look()


def test_reading_again_in_german(opened):
    opened.throw(*PAIR_OF_ONES)
    for faces in (PAIR_OF_ONES, PAIR_OF_ONES[1:], (None, 2, 3, 4, 6, 6)):
        opened.do(ReadAgain())
        opened.read(lay(faces, y=700, problem=Problem.COCKED), has_tumbled=False, press=False)

    assert "Es wurde nichts geändert. Der eingekreiste Würfel" in opened.look()
    opened.reader.has_tumbled = True
    opened.do(ReadAgain())


def test_farkles_corrections_and_manual_changes_in_german(opened):
    opened.throw(*PAIR_OF_ONES)
    opened.throw(2, 3, 4, 6)
    assert "Farkle! Anna verliert 200." in opened.look()
    opened.happen(opened.session.correct_die, 0, 5)
    opened.do(CorrectThrow((2, 3, 4, 6)))
    opened.throw(*THOUSAND)
    opened.do(Bank())
    opened.do(CorrectThrow(FARKLE, opened.session.live_match.match.last_throw.index))
    while opened.session.table.choices:
        opened.do(AnswerQuestion(opened.session.table.choices[-1].id))
    opened.do(ReadAgain())
    opened.do(InsertTurn("113335: 333 11 5 = 550, bank"))
    for event in (
        Skipped(), Joined("Dora"), Left(3), Reordered((2, 1, 0)), ScoreSet(0, 3200),
        TurnSet(1, 450, 3), ScoreSet(1, 9800),
    ):  # fmt: skip
        opened.do(RecordEvent(event))
    opened.do(DropEvents(0, 2))


def test_the_last_round_and_the_win_in_german(opened):
    opened.do(RecordEvent(ScoreSet(0, 9800)))
    opened.throw(*THOUSAND)
    opened.do(Bank())
    assert "Letzte Runde: Ben muss die 10.800 von Anna überbieten." in opened.look()
    opened.throw(*FARKLE)
    opened.throw(*THOUSAND)
    opened.do(Bank())
    assert "Anna gewinnt mit 10.800!" in opened.look()
    opened.press()
    opened.do(RecordEvent(Skipped()))
    opened.hold()
    assert "Revanche" in opened.look()


@pytest.fixture
def begun_by(page, tmp_path):
    """Begin a match with other rules."""
    with closing(Journal.open(tmp_path / "journal.db")) as journal:

        def begin(**options):
            table = page.open(journal, replace(STIRLER, **options))
            table.do(StartMatch(("Anna", "Ben")))
            return table

        yield begin


@pytest.mark.parametrize(("kept", "left"), [((1, 1, 1), 3), (HOT, 6)])
def test_piggybacking_in_german(begun_by, kept, left):
    table = begun_by(piggyback=Piggyback.YES, opening=0)
    table.throw(*(THOUSAND if left == 3 else HOT))
    table.do(Bank(kept))
    table.throw(2, 3)
    table.throw(*PAIR_OF_ONES[:left])

    assert "spielt mit" in table.look() or "zum Weiterspielen" in table.look()
    table.hold()


def test_penalties_in_german(begun_by):
    table = begun_by(triple_threes=300, three_farkles=500, four_twos_reset=True)
    table.throw(3, 3, 3, 1, 2, 6)
    table.do(Bank())
    table.throw(2, 2, 2, 2, 3, 4)
    assert "Fällt Ben auf null zurück?" in table.look()
    table.hold()
    for _ in range(6):
        table.throw(*FARKLE)

    assert "Drei hintereinander kosten 500." in table.look()


def test_overshooting_an_exact_target_in_german(begun_by):
    table = begun_by(win=Win.EXACTLY, target=900, opening=0, last_round=LastRound.NONE)
    table.throw(*THOUSAND)
    table.do(Bank((1, 1, 1)))

    assert "Anna kommt über das Ziel und bekommt null." in table.look()


def test_a_lost_camera_in_german(begun):
    begun.happen(
        begun.session.camera_lost,
        Message("the camera is not responding: Traykeeper will reopen it"),
    )
    assert "Keine Kamera (die Kamera reagiert nicht" in begun.look()
    begun.press()
    begun.do(EnterThrow(PAIR_OF_ONES))
    begun.do(EnterThrow((1, 2, 9)))
    begun.happen(begun.session.camera_found)
    begun.hold(5.5)
    begun.happen(begun.session.reload)


def test_a_called_match_in_german(table):
    question = Message(
        "%(title)s: %(names)s have been called to this tray.", title="Cleo", names="Anna"
    )
    call = CallPlayers(question, StartMatch(("Anna", "Ben")), answered=lambda _: None)
    table.do(call)
    table.do(AnswerQuestion(table.session.table.choices[1].id))
    table.do(call)
    table.hold()
    table.do(call)
