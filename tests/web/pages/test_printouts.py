"""The rules, the scoring card and the score pad."""

import re
from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest

from game.commands import StartMatch
from game.rules.rule_files import load, names
from game.rules.score_card import CARD_MM, WIDTH_BOLD, WIDTH_REGULAR, card, pad
from tests.languages import OTHERS, english_left, spoken
from web.i18n import translate

SVG = "{http://www.w3.org/2000/svg}"


def test_card_shows_the_current_rules(client, table):
    assert client.get("/card.svg").text.startswith("<svg")
    table.do(StartMatch(("Anna", "Ben"), rules="zilch"))

    assert "Zilch" in client.get("/card.svg").text


def test_pad_has_a_column_for_each_player(client, table):
    assert client.get("/pad.svg").mimetype == "image/svg+xml"
    table.do(StartMatch(("Anna", "Ben")))

    assert ">Anna<" in client.get("/pad.svg").text


def test_every_rule_set_has_a_page(client):
    for rules in client.get("/api/v1/rules").json:
        page = client.get(f"/rules/{rules['name']}")
        assert (page.status_code, rules["title"] in page.text) == (200, True)
    assert client.get("/rules/nothing").status_code == 404


def texts(svg):
    return list(ET.fromstring(svg).iter(f"{SVG}text"))  # noqa: S314 - our own


@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize("name", names())
def test_text_fits_on_the_card_in_every_language(language, name):
    with spoken(language):
        found = texts(card(load(name), translate))
    for text in found:
        size = float(text.get("font-size"))
        wide = size * len(text.text) * (WIDTH_BOLD if text.get("font-weight") else WIDTH_REGULAR)
        x = float(text.get("x"))
        assert (wide if text.get("text-anchor") else x + wide) <= CARD_MM[0] - 3
        assert float(text.get("y")) <= CARD_MM[1] - 1


@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize("name", names())
def test_translated_card_and_pad_contain_no_english(language, name):
    rules = replace(load(name), title="Walnuss", nothing=500)
    with spoken(language):
        found = [*texts(card(rules, translate)), *texts(pad(rules, (), translate))]

    assert english_left(" ".join(text.text for text in found), language) == set()


def test_card_and_pad_are_in_the_language_of_the_phone(client, table):
    table.do(StartMatch(("Player 1", "Ben"), rules="zilch"))
    german = {"Accept-Language": "de"}
    printed, ruled = (client.get(f"/{name}.svg", headers=german).text for name in ("card", "pad"))

    assert "Drei Farkles hintereinander kosten 500." in re.sub(r"<[^>]+>\s*", " ", printed).replace(
        "  ", " "
    )
    assert "bis 10.000<" in ruled
    assert ">Spieler 1<" in ruled
