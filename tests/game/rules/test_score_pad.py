"""The score pad: names stay readable, and the page is full of lines."""

from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest

from game.rules import rule_files
from game.rules.score_pad import NAME_SIZES, PAD_MM, pad

SVG = "{http://www.w3.org/2000/svg}"


def test_the_pad_fills_its_page():
    svg = ET.fromstring(pad(rule_files.load("walnut-studiolo"), ["Anna", "Bartholomäus"]))  # noqa: S314
    lowest = max(float(path.get("d").split()[-1]) for path in svg.iter(f"{SVG}path"))

    assert (svg.get("width"), svg.get("height")) == ("100%", "100%")
    assert lowest == PAD_MM[1] - 5


def test_the_pad_shows_the_length_of_the_match():
    standard = rule_files.load("standard")

    assert "to 10,000<" in pad(standard)
    assert ">one turn each<" in pad(replace(standard, rounds=1))
    assert ">10 turns each<" in pad(rule_files.load("farkle-ten"))
    assert "to 10,000<" not in pad(rule_files.load("farkle-ten"))


def test_names_on_the_pad_are_escaped():
    assert "A&amp;B" in pad(rule_files.load("standard"), ["A&B"])


CROWD = tuple(f"Hannelore-Sophie {n}" for n in range(20))


@pytest.mark.parametrize(
    "names",
    [
        ("Anna", "Bartholomäus"),
        ("Mama", "Papa", "Bartholomäus", "Emil", "Hannelore-Sophie", "Wilhelmina-Konstantina W"),
        ("Anna + Bartholomäus + Cleo + Hannelore-Sophie", "Dan + Emil"),
        CROWD,
    ],
    ids=["two", "six", "teams", "twenty"],
)
def test_names_on_the_pad_are_readable_and_in_one_size(names):
    svg = ET.fromstring(pad(rule_files.load("walnut-studiolo"), names))  # noqa: S314 - our own
    heads = [text for text in svg.iter(f"{SVG}text") if any(text.text in name for name in names)]

    assert sorted("".join(text.text for text in heads).replace(" ", "")) == sorted(
        "".join(names).replace(" ", "")
    )
    assert len({text.get("font-size") for text in heads}) == 1
    assert float(heads[0].get("font-size")) >= min(NAME_SIZES)
    assert not any(text.text.endswith("+") for text in heads)
    assert all(0 < float(text.get("x")) < PAD_MM[0] for text in heads)
    assert pad(rule_files.load("walnut-studiolo"), names).count("L100.00") >= 18  # lines for turns
