"""What the companion can say of itself on a page is said in every language."""

import ast
import inspect
import re

import pytest

from calibration import picture_checks
from calibration.outline import Outline
from device import maintenance
from device.calibrating import draft, drift_watch, wizard
from device.doctor import check_pi
from device.doctor.findings import Trouble, failed, ok
from device.storage import recovery
from tests.web.conftest import MemoryTable, make_app
from web.i18n.languages import LANGUAGES
from web.i18n.translate import say

OTHERS = [language for language in LANGUAGES if language != "en"]
PLAIN = re.compile(r'(?:ok|skipped|warning|failed)\((?:\w+, )?f?"([^"]+)"\)')
CHECKS = (check_pi, maintenance)


@pytest.fixture(params=OTHERS)
def spoken(request):
    """As a page is asked for in this language."""
    headers = {"Accept-Language": request.param}
    with make_app(MemoryTable()).test_request_context(headers=headers):
        yield request.param


def unsaid(lines, about):
    return [line for line in lines if say(line, about) == line]


def troubles():
    """All that the health page can complain of."""
    return [t for room in CHECKS for t in vars(room).values() if isinstance(t, Trouble)]


def test_every_check_has_a_name(spoken):
    names = [name for name, _ in maintenance.MACHINE] + ["camera", "journal", "backup", "lamp"]
    same = {"fr": ["journal"]}

    assert len(names) == 9
    assert unsaid(names, "health") == same.get(spoken, [])


@pytest.mark.usefixtures("spoken")
def test_every_trouble_and_its_remedy_is_said():
    assert len(troubles()) == 11
    assert unsaid([t.says for t in troubles()], "health") == []
    assert unsaid([t.remedy for t in troubles()], "health") == []
    assert unsaid([failed(t, "x").line for t in troubles()], "health") == []


@pytest.mark.usefixtures("spoken")
def test_every_good_line_is_said():
    """Those in the source; what stands in their holes is a number or a place."""
    lines = {
        re.sub(r"\{.*?\}", "7", line)
        for room in CHECKS
        for line in PLAIN.findall(inspect.getsource(room))
        if "{counted" not in line
    }

    assert "never too low since the start" in lines
    assert len(lines) >= 10
    assert unsaid(lines, "health") == []


def test_numbers_and_parts_of_a_line_are_said_too():
    with make_app(MemoryTable()).test_request_context(headers={"Accept-Language": "de"}):
        said = [
            say(line, "health")
            for line in (
                ok("12 matches, 3.1 MB, in /var/lib/traykeeper").line,
                "1 match and calibration.toml and settings.toml, made 2026-11-21 18:30",
                "the power supply is too weak (at least once since the start)",
            )
        ]

    assert said == [
        "12 Partien, 3,1 MB, in /var/lib/traykeeper",
        "1 Partie und calibration.toml und settings.toml, gemacht 2026-11-21 18:30",
        "das Netzteil ist zu schwach (mindestens einmal seit dem Start)",
    ]


def test_a_damaged_journal_is_told_whole():
    notice = (
        "The journal was damaged. In its place: a backup (3 matches, made 2026-11-21 18:30), and "
        "1,250 later steps that could still be read; 3 matches in all. Look at the scores before "
        "you play on. The damaged one is kept as journal-damaged-1.db."
    )
    assert notice.split(":", maxsplit=1)[0] in inspect.getsource(recovery)
    with make_app(MemoryTable()).test_request_context(headers={"Accept-Language": "de"}):
        assert say(notice) == (
            "Das Journal war beschädigt. An seiner Stelle: eine Sicherung (3 Partien, gemacht "
            "2026-11-21 18:30) und 1.250 spätere Schritte, noch lesbar; insgesamt 3 Partien. "
            "Schaut auf die Punktestände, bevor ihr weiterspielt. Das beschädigte bleibt als "
            "journal-damaged-1.db erhalten."
        )


TELLING = {"PictureCheck", "TableError", "_set", "Trial", "cls", "ValueError"}
"""What takes a sentence in the source of the calibration."""


def sentences_of(room):
    """What is handed to those, a 7 in each hole; and the constants that are sentences."""
    tree = ast.parse(inspect.getsource(room).lstrip())
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    given = [
        text(argument)
        for call in calls
        if getattr(call.func, "id", getattr(call.func, "attr", "")) in TELLING
        for argument in (*call.args, *(keyword.value for keyword in call.keywords))
    ]
    constants = [text(node.value) for node in tree.body if isinstance(node, ast.Assign)]
    return [line for line in (*given, *constants) if line and " " in line]


def text(node):
    if isinstance(node, ast.JoinedStr):
        return "".join(text(part) or "7" for part in node.values)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


@pytest.mark.usefixtures("spoken")
@pytest.mark.parametrize(
    ("room", "about", "least"),
    [
        (picture_checks, "fitting", 20),
        (wizard, "fitting", 9),
        (draft, "fitting", 3),
        (drift_watch, "table", 3),
    ],
)
def test_every_sentence_of_the_calibration_is_said(room, about, least):
    lines = sentences_of(room)

    assert len(lines) >= least, lines
    assert unsaid(lines, about) == []


@pytest.mark.usefixtures("spoken")
def test_why_corners_are_refused_is_said():
    whys = sentences_of(Outline)

    assert len(whys) == 3
    assert unsaid(whys, "fitting") == []
