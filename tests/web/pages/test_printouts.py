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
from web.pages.match_form import COMMON_RULES

SVG = "{http://www.w3.org/2000/svg}"


def test_card_shows_the_current_rules(client, table):
    assert client.get("/card.svg").text.startswith("<svg")
    table.do(StartMatch(("Anna", "Ben"), rules="zilch"))

    assert "Zilch" in client.get("/card.svg").text


def test_the_rules_use_the_word_of_the_button_for_taking_over_points(client):
    assert "may take over the points just banked" in client.get("/rules/high-stakes").text
    assert "the next player may take over" in client.get("/rules").text
    for page in ("/rules", "/rules/high-stakes", "/rules/risky-greed"):
        assert not re.search(r"\bbuild(s|ing)? on\b", client.get(page).text)


def test_pad_has_a_column_for_each_player(client, table):
    assert client.get("/pad.svg").mimetype == "image/svg+xml"
    table.do(StartMatch(("Anna", "Ben")))

    assert ">Anna<" in client.get("/pad.svg").text


@pytest.mark.parametrize("paper", ["card", "pad"])
def test_card_and_pad_have_a_page_with_a_way_back_and_a_print_button(client, paper):
    client.post("/api/v1/match", json={"names": ["Anna", "Ben"]})
    page = client.get(f"/{paper}").text

    assert f'href="/{paper}"' in client.get("/").text
    assert "data-print" in page
    assert f'src="/{paper}.svg"' in page
    assert 'href="/">Scoreboard' in page


def test_every_rule_set_has_a_page(client):
    for rules in client.get("/api/v1/rules").json:
        page = client.get(f"/rules/{rules['name']}")
        assert (page.status_code, rules["title"] in page.text) == (200, True)
    assert client.get("/rules/nothing").status_code == 404


def test_two_rule_sets_are_compared_side_by_side(client):
    page = client.get("/rules/compare?a=walnut-studiolo&b=zilch").text

    differing, _, same = page.partition("The same in both")
    assert "must bank at least 500 in one turn" in differing
    assert "must always bank at least 300" in differing
    assert "A single 1 scores 100." in same
    assert client.get("/rules/compare?a=walnut-studiolo&b=nothing").status_code == 404


def test_the_best_known_rules_are_listed_first(client):
    names = re.findall(r'data-rules="([^"]+)"', client.get("/rules").text)

    assert set(names[1 : len(COMMON_RULES) + 1]) == set(COMMON_RULES)
    assert len(names) == len(client.get("/api/v1/rules").json)


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
