"""The line of status says something in every state of the table and in every language."""

import re
from contextlib import suppress
from html import unescape
from random import Random

import pytest

from game.commands import (
    AnswerQuestion,
    Bank,
    CorrectThrow,
    EnterThrow,
    KeepDice,
    Rematch,
    SetJustDice,
    StartMatch,
    Undo,
)
from game.errors import GameError
from game.message import Message, Paragraph
from game.situation import Situation, TableError
from tests.device.session.sessions import row
from tests.web.conftest import MemoryTable, make_app
from tests.web.screens import asked, farkled
from web.app import create_app
from web.i18n import LANGUAGES
from web.pages.scoreboard import Sections

STEPS = 1500
LINE = re.compile(r'<p data-mood="[^"]*"[^>]* class="([^"]*)"[^>]*>(.*?)</p>', re.DOTALL)
DRAWN_DICE = re.compile(
    r'<span class="in-text"><svg[^>]* aria-label="([^"]*)".*?</svg>([^<]*)</span>'
)


@pytest.fixture(scope="module")
def visited():
    """Return the snapshots of a random evening: one for each state of the table and message."""
    table, random, found = MemoryTable(), Random(3), {}
    table.show(camera="picamera2: imx708")
    for _ in range(STEPS):
        with suppress(TableError, GameError):
            walk(table, random)
        snapshot = table._drawn()
        sentences = tuple(getattr(each, "template", "") for each in snapshot.message.sentences)
        found.setdefault((snapshot.situation, sentences), snapshot)
    return list(found.values())


def walk(table, random):
    """Do one random thing at the table or on a phone."""
    session = table._session
    match = session.table.match
    dice = tuple(random.choices(range(1, 7), k=match.state.dice_in_hand if match else 1))
    kind = random.randrange(14)
    if kind <= 5:
        session.release_button(0.1)
        faces = random.choice([dice, (*dice[:-1], None), dice, (), (*dice, 1, 2), dice])
        for _ in range(random.randrange(3)):  # or nobody waits for the reading
            session.answered(session.tray_reader.requests, row(faces, y=random.randrange(900)))
    elif kind <= 7:
        session.release_button(1.2)
    else:
        table.do(_command(random, table, dice)) if kind > 8 else session.timed_out(
            session.tray_reader.requests
        )


def _command(random, table, dice):
    choices = table._session.table.choices
    match = table._session.table.match
    keeps = match.state.keeps if match else ()
    if random.random() < (0.2 if match is None else 0.02):
        return StartMatch(("Anna", "Ben"), target=600)
    return random.choice(
        [
            Bank(), Undo(), EnterThrow(dice), Rematch(),
            SetJustDice(random.random() < 0.3), CorrectThrow(dice), EnterThrow((1,) * len(dice)),
            AnswerQuestion(random.choice(choices).id if choices else "0"),
            KeepDice(random.choice(keeps).dice if keeps else (1,)),
        ]
    )  # fmt: skip


def test_the_evening_has_come_to_every_state(visited):
    everything = set(Situation) - {Situation.BOT}  # bots are played by the companion

    assert {snapshot.situation for snapshot in visited} == everything


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_line_of_status_is_never_empty(table, visited, language):
    board = Sections(create_app(table), ("message",), language)
    for snapshot in visited:
        html = board.html(snapshot)
        if snapshot.situation is Situation.NO_MATCH and not snapshot.rolloff.rolls:
            continue
        classes, words = LINE.search(html).groups()
        assert "unseen" not in classes.split()
        assert re.search(r"\w", unescape(words)), (snapshot.situation, str(snapshot.message))


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("Ben", "2 3 4 6: farkle! Ben loses 200."),
        ("Hannelore-Sophie", "Farkle! Hannelore-Sophie loses 200"),
    ],
)
def test_a_farkle_after_an_assumed_keep_is_reported_rather_than_the_keep(table, name, line):
    table.do(StartMatch((name, "Wilhelmina-Konstantina W")))
    table.do(EnterThrow((1, 1, 3, 3, 3, 5)))
    table.do(KeepDice((1, 1)))
    told = table.do(EnterThrow((2, 3, 4, 6))).message
    kept = Message("%(name)s kept %(dice)s = %(score)s.", name=name, dice=(1, 1), score=200)
    snapshot = table.show(message=Paragraph(kept, told))

    html = Sections(create_app(table), ("message",)).html(snapshot)

    words = DRAWN_DICE.sub(r"\1\2", LINE.search(html)[2])
    assert unescape(words) == line


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("Ben", "Ben may take over 1,050 with two dice."),
        ("Hannelore-Sophie", "May take over 1,050 with two dice"),
    ],
)
def test_the_next_player_is_told_what_can_be_taken_over_however_long_the_name(table, name, line):
    table.do(StartMatch(("Wilhelmina-Konstantina W", name), rules="high-stakes"))
    table.do(EnterThrow((1, 1, 1, 2, 3, 5)))

    html = Sections(create_app(table), ("message",)).html(table.do(Bank((1, 1, 1, 5))))

    assert LINE.search(html)[2] == line


def test_the_reason_why_nothing_was_read_is_not_replaced_by_an_earlier_farkle(table):
    farkled(table, ("Hannelore-Sophie", "Ben"))
    reason = "The other dice have not moved since the last throw was read here."
    snapshot = table.show(message=Paragraph(Message("Not thrown yet."), Message(reason)))

    html = Sections(create_app(table), ("message",)).html(snapshot)

    assert "farkle" not in LINE.search(html)[2].lower()


def test_a_question_says_how_to_answer_it(table, visited):
    board = Sections(create_app(table), ("message",))
    asked = next(each for each in visited if each.situation is Situation.QUESTION)

    assert "Hold for yes, press to read again" in board.html(asked)


def test_page_promises_a_hold_only_where_there_is_a_button(table):
    asked(table)
    snapshot = table.snapshot()
    has, lacks = (
        Sections(make_app(table, has_button=each)).html(snapshot) for each in (True, False)
    )

    assert "or hold the button" in has
    assert "Please answer the question" in lacks
    assert "old the button" not in lacks
    assert "Hold for yes" not in lacks
