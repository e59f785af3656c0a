"""Every message of the companion is translated completely."""

from dataclasses import replace

import pytest

from calibration.outline import OutlineFault
from device import maintenance
from device.calibrating import draft, drift_watch, wizard, wizard_camera
from device.doctor import problems
from device.doctor.problems import Trouble, failed
from device.hardware.outputs import LAMPS, MEANINGS
from device.session import messages
from device.storage.backup import Backup
from device.storage.recovery import RescueState
from game.errors import GameError
from game.match.events import Corrected
from game.match.match import Match
from game.match.match_text import inserted_turn
from game.match.repair import repairs
from game.message import Message
from game.rules import rule_files
from game.rules.scoring import find_keep
from tests.device.calibrating.test_picture_advice import checks
from tests.languages import OTHERS, english_left, spoken
from vision.reading import Die, Problem, Reading
from web.i18n import translate, translate_text

RULES = replace(rule_files.load("walnut-studiolo"), title="Walnut")
GOOD = Backup(1.8e9, 7, 3, {"journal.db": b"", "settings.toml": b""})


def held_in(*modules):
    """Yield the messages that are constants of these modules, or in tables of constants."""
    for module in modules:
        for value in vars(module).values():
            if isinstance(value, Message):
                yield value
            elif isinstance(value, dict):
                yield from (each for each in value.values() if isinstance(each, Message))


def troubles():
    """Return every problem that a check can report."""
    found = [value for value in vars(problems).values() if isinstance(value, Trouble)]
    return [each for t in found for each in (t.remedy, failed(t, "x").line)]


def of_the_camera():
    """Return the advice about pictures, corners and unreadable dice."""
    dice = [Die(None, 0, 0, 9, 9, 0, 0.9, problem=problem) for problem in Problem]
    return [
        *map(wizard.verdict, checks()),
        *map(wizard.describe_fault, OutlineFault),
        *messages.advice(Reading(tuple(dice), tuple(Problem))),
        *messages.advice(Reading(tuple(dice[:1]))),
        *(wizard.colour_name(colour) for colour in ((20, 0, 0), (60, 0, 0), (90, 0, 0))),
        *(wizard.colour_name((50, x, y)) for x in (-60, 0, 60) for y in (-60, 60)),
    ]


def refusals():
    """Return refusals of rules, names and text written by hand."""
    match = Match.start(RULES, ["Anna", "Ben"]).throw([1, 1, 2, 3, 4, 6])
    hot = Match.start(RULES, ["Anna", "Ben"]).throw([1, 1, 3, 3, 3, 5]).bank()
    attempts = (
        *(lambda kept=kept: match.keep(kept) for kept in ((4,), (1, 4), (1, 2, 2), (5,), (1, 1, 1))),
        *(lambda dice=dice: match.throw(dice) for dice in ((1,), (9,), (1,) * 9)),
        lambda: find_keep((2, 2, 3), (2, 2), RULES),
        lambda: hot.throw([1, 1, 1, 2, 3, 4]).bank().push(Corrected(0, (2, 3, 3, 4, 6, 6))),
        *(
            lambda line=line: inserted_turn(match, line)
            for line in ("x", "113335: y", "113335: 333 = 7", "113335: farkle", "!join")
        ),
        *(
            lambda options=options: rule_files.with_options(RULES, options)
            for options in (
                {"opening": -1}, {"n_dice": 7}, {"triples": 3}, {"below_zero": 1},
                {"targt": 1}, {"title": "x"}, {"alike": "fixed"}, {"target": 0},
            )
        ),
        lambda: rule_files.published("stirlr"),
        lambda: Match.start(RULES, ["Anna"]),
        lambda: Match.start(RULES, ["Anna", "\x00"]),
    )  # fmt: skip
    return [*map(refusal, attempts)]


def refusal(attempt):
    with pytest.raises(GameError) as refused:
        attempt()
    return refused.value.message


def mended():
    """Return the repairs offered after a correction."""
    match = Match.start(RULES, ["Anna", "Ben"])
    match = match.throw([1, 1, 1, 2, 3, 4]).keep([1, 1, 1]).throw([1, 2, 3]).bank()
    for dice in ((1, 1, 2, 3, 4, 6), (2, 3, 3, 4, 6, 6)):
        yield from (way.label for way in repairs(match, Corrected(0, dice)))


def notices():
    return [
        RescueState(1, "journal-damaged-1.db", gone).with_result(good, n, n).notice
        for good in (None, GOOD)
        for n in (1, 4)
        for gone in (False, True)
    ]


CALIBRATING = (draft, drift_watch, wizard, wizard_camera)
FAMILIES = {
    "constants": lambda: [*held_in(*CALIBRATING, messages)],
    "lamps": lambda: [*(lamp.meaning for lamp in LAMPS.values()), *MEANINGS.values()],
    "troubles": troubles,
    "checks": lambda: [name for name, _ in maintenance.MACHINE],
    "camera": of_the_camera,
    "refusals": refusals,
    "mended": lambda: [*mended()],
    "notices": notices,
}
NAMES = {
    "anna",
    "ben",
    "walnut",
    "studiolo",
    "journal",
    "settings",
    "damaged",
    "options",
    "rename",
    "score",
}
RULE_NAMES = {word for name in rule_files.names() for word in name.split("-")}
OPTIONS = {word for name in rule_files.defaults() for word in name.split("_")}


@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize("family", FAMILIES)
def test_every_kind_of_message_is_translated(language, family):
    told = FAMILIES[family]()
    with spoken(language):
        said = [*map(translate, told)]

    assert len(told) >= 3
    assert [line for line in said if "%(" in line] == []
    left = {line: english_left(line, language) - NAMES - RULE_NAMES - OPTIONS for line in said}
    assert {line: words for line, words in left.items() if words} == {}


@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize("problem", Problem)
def test_every_problem_has_a_label_on_the_photo(language, problem):
    with spoken(language):
        assert translate_text(problem) != problem


def test_the_notice_of_a_damaged_journal_is_translated_completely():
    notice = RescueState(1, "journal-damaged-1.db").with_result(GOOD, 1250, 3).notice
    with spoken("de"):
        told = translate(notice).replace(str(dict(GOOD.contents.values)["when"]), "gestern")

    assert told == (
        "Das Spielprotokoll war beschädigt. Es wurde durch eine Datensicherung ersetzt "
        "(3 Partien und settings.toml, erstellt gestern), noch lesbar außerdem: 1.250 spätere "
        "Schritte; insgesamt 3 Partien. Prüft die Punktestände, bevor ihr weiterspielt. Die "
        "beschädigte Datei bleibt als journal-damaged-1.db erhalten."
    )
