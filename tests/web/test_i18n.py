"""English, German, French and Spanish: complete catalogues, and a language for each phone."""

import re
import struct
from dataclasses import replace
from gettext import GNUTranslations
from io import BytesIO
from itertools import combinations

import pytest
from babel.support import Translations

from game.commands import EnterThrow, RecordEvent, StartMatch
from game.match.events import ScoreSet
from game.message import Message, Paragraph, Percentage, Plural, Sentence, join_with_and
from game.rules.rule_files import load, names
from game.rules.rule_options import sentences
from game.rules.ruleset import Alike, HotDice, LastRound, Piggyback, Win
from game.situation import Situation
from tests.languages import (
    HOLE,
    OTHERS,
    catalogue,
    english_left,
    po,
    script,
    sentences_of,
    spoken,
    texts,
    words,
)
from web.app import create_app
from web.contracts import Lamp
from web.i18n import COOKIE, player_name, translate, translate_text


def placeholders(template):
    return sorted(HOLE.findall(template))


def compiled(file):
    """Return all texts without the header, which contains a date."""
    return {key: text for key, text in GNUTranslations(file)._catalog.items() if key}


@pytest.mark.parametrize("language", OTHERS)
def test_no_translation_is_missing(language):
    assert script().untranslated(script().fresh(language)) == []


@pytest.mark.parametrize("language", OTHERS)
def test_catalogues_match_the_source(language):
    """Run .venv/bin/python scripts/languages.py to fix a failure."""
    fresh = script().fresh(language)

    assert po(language).read_bytes() == script().as_po(fresh)
    with po(language).with_suffix(".mo").open("rb") as file:
        assert compiled(file) == compiled(BytesIO(script().as_mo(fresh)))


@pytest.mark.parametrize("language", OTHERS)
def test_every_translation_has_the_same_placeholders(language):
    for each in sentences_of(language):
        english, told = ([*map(placeholders, texts(of))] for of in (each.id, each.string))

        assert english[-1] == told[-1], each.id
        assert all(form in (english[0], english[-1]) for form in told), each.id


SAME = {
    "de": {"Coach", "Farkle, %(name)s!", "Team", "Test", "Text", "Vibration", "orange"},
    "fr": {
        "Coach",
        "Photo",
        "Points",
        "point",
        "points",
        "Scores",
        "Vibration",
        "broker",
        "farkle",
        "farkle %(chance)s",
        "Menu",
        "journal",
        "orange",
        "six",
    },
    "es": {"No", "farkle", "farkle %(chance)s", "no"},
}
"""Texts that are the same in both languages, apart from signs and units."""

SHARED_BY_FRENCH_AND_SPANISH = {"Un farkle", "Farkle de %(name)s", "Un iPhone"}


@pytest.mark.parametrize("language", OTHERS)
def test_no_translation_equals_the_english_text(language):
    same = {english for english, told in catalogue(language).items() if english == told}

    assert {each for each in same if words(each) - {"mb", "in"}} == SAME[language]


@pytest.mark.parametrize(("one", "other"), [*combinations(OTHERS, 2)])
def test_no_translation_equals_that_of_another_language(one, other):
    told, there = catalogue(one), catalogue(other)
    same = {told[each] for each in told if told[each] == there[each] and len(words(told[each])) > 1}

    assert same <= SHARED_BY_FRENCH_AND_SPANISH


@pytest.mark.parametrize("language", OTHERS)
def test_every_template_renders_in_every_language(language):
    """Fill every placeholder with a 7: none may stay open, and no English may be left."""
    for template in script().in_python():
        forms = texts(template)
        holes = dict.fromkeys(re.findall(r"%\((\w+)\)s", " ".join(forms)), 7)
        message = (
            Message(*forms, **holes) if len(forms) == 1 else Plural(*forms, **{"n": 7} | holes)
        )
        with spoken(language):
            said = translate(message)

        assert "%(" not in said
        assert english_left(said, language) == set(), said


@pytest.mark.parametrize(
    ("header", "words"),
    [
        ("de-AT,de;q=0.9,en;q=0.5", "6 Würfel"),
        ("fr", "lance six dés"),
        ("es-MX", "tira seis dados"),
        ("pt, en;q=0.3", "throws six dice"),
        ("", "throws six dice"),
    ],
)
def test_browser_chooses_the_language(client, table, header, words):
    table.do(StartMatch(("Anna", "Ben")))

    assert words in client.get("/", headers={"Accept-Language": header}).text


def test_language_picked_on_the_phone_overrides_the_browser(client, table):
    table.do(StartMatch(("Anna", "Ben")))
    client.set_cookie(COOKIE, "fr")
    page = client.get("/", headers={"Accept-Language": "de"}).text

    assert '<html lang="fr"' in page
    assert "lance six dés" in page
    client.set_cookie(COOKIE, "xx")
    assert '<html lang="de"' in client.get("/", headers={"Accept-Language": "de"}).text


def test_stream_is_in_the_language_of_each_phone(http, table):
    table.do(StartMatch(("Anna", "Ben")))
    german, french = (http.listen("/live", language) for language in ("de", "fr"))

    assert "6 Würfel" in german
    assert "lance six dés" in french


def test_numbers_are_formatted_for_the_language(client, table):
    table.do(StartMatch(("Anna", "Ben")))
    table.do(RecordEvent(ScoreSet(0, 3200)))

    for language, shown in (("en", "3,200"), ("de", "3.200"), ("fr", "3\u202f200")):
        assert shown in client.get("/", headers={"Accept-Language": language}).text


RISK = Message(
    "%(name)s threw %(dice)s: %(points)s at risk.", name="Anna", dice=(1, 1, 5), points=1250
)


@pytest.mark.parametrize(
    ("message", "german"),
    [
        (
            Paragraph(RISK, Message("Hot dice!")),
            "Anna würfelt 1 1 5: 1.250 auf dem Spiel. Heiße Würfel!",
        ),
        (
            Paragraph(Message("Picking up where we left off."), RISK),
            "Weiter geht es, wo wir aufgehört haben. Anna würfelt 1 1 5: 1.250 auf dem Spiel.",
        ),
        (
            Message(
                "%(dice)s: farkle! %(name)s loses %(points)s.",
                dice=(2, 3, 4),
                name="Zoë % {x} %(y)s",
                points=300,
            ),
            "2 3 4: Farkle! Zoë % {x} %(y)s verliert 300.",
        ),
        (Plural("1 match", "%(n)s matches", n=1), "1 Partie"),
        (Plural("1 match", "%(n)s matches", n=1250), "1.250 Partien"),
        (Message("%(size)s GB free in %(folder)s", size=3.14, folder="/x"), "3,1 GB frei in /x"),
        (
            Message("A lamp is reflected in %(share)s of the tray.", share=Percentage(0.012, 1)),
            "Eine Lampe spiegelt sich in 1,2\u00a0% des Würfelbretts.",
        ),
        (
            Sentence(Message("there is nothing to undo")),
            "Es gibt nichts rückgängig zu machen.",
        ),
        (
            join_with_and([Message("left"), Message("right"), Message("top")]),
            "links, rechts und oben",
        ),
        (Message("Something that nobody foresaw."), "Something that nobody foresaw."),
    ],
)
def test_message_is_translated_to_german(message, german):
    with spoken("de"):
        assert translate(message) == german


def test_plural_forms_follow_each_language():
    none = Plural("1 match", "%(n)s matches", n=0)

    for language, told in (("de", "0 Partien"), ("fr", "0 partie"), ("es", "0 partidas")):
        with spoken(language):
            assert translate(none) == told


def test_unnamed_player_is_translated():
    with spoken("de"):
        assert player_name("Player 3") == "Spieler 3"
        assert player_name("power") == "power"


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
def test_every_rule_is_translated(language):
    """No sentence may stay English, in whole or in part."""
    published = [load(name) for name in names()]
    lines = {line for rules in (*published, *EVERY_OPTION) for line in sentences(rules)}
    assumed = {line for rules in published for line in rules.assumed}
    with spoken(language):
        said = {str(line): translate(line) for line in lines}
        said |= {line: translate_text(line) for line in assumed}

    assert [line for line, told in said.items() if told == line] == []
    assert [told for told in said.values() if english_left(told, language)] == []


def test_text_of_a_house_rule_file_stays_unchanged():
    with spoken("de"):
        assert translate_text("100% of us agreed to %(this)s") == "100% of us agreed to %(this)s"


def test_rules_are_translated(client):
    page = client.get("/rules/zilch", headers={"Accept-Language": "de"}).text

    assert "Drei Farkles hintereinander kosten 500." in page
    assert "drei 1er zählen 1.000" in page


def test_german_board_contains_no_english(client, table):
    table.do(StartMatch(("Anna", "Ben")))
    table.do(EnterThrow((1, 1, 3, 3, 3, 5)))
    lamp = Lamp("#00a0a0", 0, Message("read: throw again and press, or hold to bank"))
    table.show(lamp=lamp, message=Paragraph(RISK, Message("Hot dice!")))
    text = re.sub(r"<[^>]+>", " ", client.get("/", headers={"Accept-Language": "de"}).text)

    assert english_left(text, "de") - {"by", "walnut", "traykeeper"} == set()


def test_television_board_is_translated(client, table):
    table.do(StartMatch(("Anna", "Ben")))
    table.show(situation=Situation.ACCEPTED)

    assert "Würfel in der Hand" in client.get("/board", headers={"Accept-Language": "de"}).text


def test_a_language_with_a_damaged_catalogue_is_left_out(table, monkeypatch, caplog):
    load = Translations.load

    def damaged(folder, locales, domain="messages"):
        if [*map(str, locales)] == ["de"]:
            raise struct.error("unpack requires a buffer of 20 bytes")
        return load(folder, locales, domain)

    monkeypatch.setattr(Translations, "load", damaged)
    client = create_app(table).test_client()
    page = client.get("/", headers={"Accept-Language": "de"})

    assert '<html lang="en"' in page.text
    assert "Deutsch" not in page.text
    assert "the catalogue of de cannot be read" in caplog.text


def test_french_has_the_apostrophe_of_print():
    straight = re.compile(r"[^\W\d_]'[^\W\d_]")

    assert [text for text in catalogue("fr").values() if straight.search(text)] == []
