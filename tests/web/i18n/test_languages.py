"""English, German, French and Spanish: no sentence is missing, and each phone has its own."""

import importlib.util
import re
from dataclasses import replace
from gettext import GNUTranslations
from io import BytesIO
from pathlib import Path

import pytest
from flask_babel import gettext

from game.commands import ByHand, StartMatch, TapIn
from game.match.events import ScoreSet
from game.rules.rule_files import load, names
from game.rules.ruleset import Alike, HotDice, LastRound, Piggyback, Win
from game.rules.sentences import sentences
from game.situation import Situation
from tests.web.conftest import make_app
from web.contracts.table import Lamp
from web.i18n.languages import COOKIE, LANGUAGES
from web.i18n.translate import BOOKS, say

ROOT = Path(__file__).parents[3]
OTHERS = [language for language in LANGUAGES if language != "en"]
ENGLISH = {"the", "and", "are", "is", "of", "with", "three", "four"}
HOLE = re.compile(r"%\(\w+\)s|\{\w+\}")


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("languages", ROOT / "scripts" / "languages.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def catalogue(language):
    return ROOT / "web" / "translations" / language / "LC_MESSAGES" / "messages.po"


def words(compiled):
    """All sentences, without the header: that tells who compiled them, and when."""
    return {key: text for key, text in GNUTranslations(compiled)._catalog.items() if key}


@pytest.mark.parametrize("language", OTHERS)
def test_no_sentence_of_the_page_is_missing(script, language):
    assert script.untranslated(script.fresh(language)) == []


@pytest.mark.parametrize("language", OTHERS)
def test_the_catalogues_are_up_to_date_with_the_page(script, language):
    """If this fails: python scripts/languages.py."""
    fresh = script.fresh(language)

    assert catalogue(language).read_bytes() == script.as_po(fresh)
    with catalogue(language).with_suffix(".mo").open("rb") as compiled:
        assert words(compiled) == words(BytesIO(script.as_mo(fresh)))


@pytest.mark.parametrize("language", OTHERS)
def test_every_translation_has_the_same_holes(script, language):
    for message in script.fresh(language):
        if message.id and isinstance(message.id, str):
            assert sorted(HOLE.findall(message.id)) == sorted(HOLE.findall(message.string)), message


@pytest.mark.parametrize(
    ("header", "words"),
    [
        ("de-AT,de;q=0.9,en;q=0.5", "wirft sechs Würfel"),
        ("fr", "lance six dés"),
        ("es-MX", "tira seis dados"),
        ("pt, en;q=0.3", "throws six dice"),
        ("", "throws six dice"),
    ],
)
def test_the_browser_chooses(client, table, header, words):
    table.do(StartMatch(("Anna", "Ben")))

    assert words in client.get("/", headers={"Accept-Language": header}).text


def test_what_the_phone_was_told_goes_before_its_browser(client, table):
    table.do(StartMatch(("Anna", "Ben")))
    client.set_cookie(COOKIE, "fr")
    page = client.get("/", headers={"Accept-Language": "de"}).text

    assert '<html lang="fr"' in page
    assert "lance six dés" in page
    client.set_cookie(COOKIE, "xx")
    assert '<html lang="de"' in client.get("/", headers={"Accept-Language": "de"}).text


def test_each_phone_is_told_in_its_own_language_by_the_stream(http, table):
    table.do(StartMatch(("Anna", "Ben")))
    german, french = (http.listen("/live", language) for language in ("de", "fr"))

    assert "wirft sechs Würfel" in german
    assert "lance six dés" in french


def test_numbers_are_written_as_people_there_do(client, table):
    table.do(StartMatch(("Anna", "Ben")))
    table.do(ByHand(ScoreSet(0, 3200)))

    for language, shown in (("en", "3,200"), ("de", "3.200"), ("fr", "3\u202f200")):
        assert shown in client.get("/", headers={"Accept-Language": language}).text


@pytest.mark.parametrize(
    ("english", "german"),
    [
        ("Anna threw 1 1 5: 1,250 at risk. Hot dice!", "Anna warf 1 1 5: 1.250 im Risiko. Heiße Würfel!"),
        ("Taken back. Ben throws.", "Zurückgenommen. Ben wirft."),
        (
            "Going on where we were: Anna has 650 at risk and throws three dice.",
            "Weiter, wo wir waren: Anna riskiert 650 und wirft drei Würfel.",
        ),
        ("2 3 4: farkle! Zoë % {x} loses 300.", "2 3 4: Farkle! Zoë % {x} verliert 300."),
        ("Something that nobody foresaw.", "Something that nobody foresaw."),
        ("", ""),
    ],
)  # fmt: skip
def test_what_the_companion_says_is_said_in_german(table, english, german):
    with make_app(table).test_request_context(headers={"Accept-Language": "de"}):
        assert say(english) == german


def test_every_phrase_is_found_again_in_its_own_words(table):
    """No phrase is hidden behind a more general one that stands before it."""
    with make_app(table).test_request_context(headers={"Accept-Language": "de"}):
        for name, book in BOOKS.items():
            for phrase in book.phrases:
                filled = HOLE.sub("7", phrase)
                own = gettext(phrase, **dict.fromkeys(re.findall(r"\((\w+)\)", phrase), "7"))
                assert say(filled, name) == own


EVERY_OPTION = (
    replace(load("standard"), n_dice=5, alike=Alike.FIXED, alike_fixed=(1000, 2000, 3000)),
    replace(load("standard"), alike=Alike.ADDING, triples=(300, 0, 300, 0, 500, 700)),
    replace(load("standard"), alike_faces=(2000, 3000, 4000, *[None] * 15)),
    replace(load("standard"), low_straight=1, high_straight=2, six_as_pairs=3, nothing=400),
    replace(load("standard"), opening=500, minimum_bank=300, last_die_twice=50),
    replace(load("standard"), hot_dice=HotDice.MUST, must_bank_after_triple=True),
    replace(load("standard"), piggyback=Piggyback.YES, three_farkles=500, below_zero=False),
    *(replace(load("standard"), last_round=kind) for kind in LastRound),
    *(replace(load("standard"), win=kind) for kind in Win),
)


@pytest.mark.parametrize("language", OTHERS)
def test_every_rule_is_said_in_every_language(table, language):
    """No sentence is left as it is, and none is a mixture."""
    published = [load(name) for name in names()]
    lines = {line for rules in (*published, *EVERY_OPTION) for line in sentences(rules)}
    lines |= {line for rules in published for line in rules.assumed}
    with make_app(table).test_request_context(headers={"Accept-Language": language}):
        said = {line: say(line, "rules") for line in lines}

    assert [line for line, told in said.items() if told == line] == []
    assert [told for told in said.values() if ENGLISH & set(re.findall(r"[a-z]+", told))] == []


def test_a_player_may_be_called_like_a_word_of_another_page(table):
    with make_app(table).test_request_context(headers={"Accept-Language": "de"}):
        assert say("power throws.") == "power wirft."


def test_the_rules_are_read_in_ones_own_language(client):
    page = client.get("/rules/zilch", headers={"Accept-Language": "de"}).text

    assert "Drei Farkles hintereinander kosten 500." in page
    assert "drei 1en zählen 1.000" in page


def test_no_word_of_english_is_left_on_a_german_board(client, table):
    table.do(StartMatch(("Anna", "Ben")))
    table.do(TapIn((1, 1, 3, 3, 3, 5)))
    lamp = Lamp("#00a0a0", 0, "read: throw on and press, or hold to bank")
    table.show(lamp=lamp, message="Anna threw 1 1 3 3 3 5: 550 at risk. Hot dice!")
    text = re.sub(r"<[^>]+>", " ", client.get("/", headers={"Accept-Language": "de"}).text)
    english = {"the", "and", "throw", "keep", "left", "best", "turn", "scores", "of", "to", "this"}

    assert english & set(re.findall(r"[a-z]+", text.lower())) == set()


def test_the_board_for_all_speaks_its_language_too(client, table):
    table.do(StartMatch(("Anna", "Ben")))
    table.show(situation=Situation.ACCEPTED)

    assert "Würfel zu werfen" in client.get("/board", headers={"Accept-Language": "de"}).text
