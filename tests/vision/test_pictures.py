"""Minimum accuracy on real and rendered dice."""

import json
from collections import Counter

import pytest

import vision
from tests.campaigns.size import count
from vision import Quad
from vision.images import load

pytestmark = [pytest.mark.pictures, pytest.mark.slow, pytest.mark.long, pytest.mark.campaign]

EVERY = count(2, 1)
"""Only every n-th suitable picture is read: half of the pictures are enough to reveal a worse reader."""


def labels(folder):
    return [json.loads(line) for line in (folder / "labels.jsonl").read_text().splitlines()]


def outcome(reading, values):
    if not reading.is_sure:
        return "asked"
    return "right" if list(reading.values) == sorted(values) else "silent"


def shares(outcomes):
    count = Counter(outcomes)
    return {name: 100 * count[name] / count.total() for name in ("right", "asked", "silent")}


def fair(row):
    """Check for one to six dice, seen from above, with certain values."""
    certain = row["verified"] and row.get("values_complete", True)
    return row["view"] == "overhead" and 1 <= row["n_dice"] <= 6 and certain


def legible(row):
    return row["all_legible"] and row["all_readable"] and not row["hand"]


def test_most_photographs_of_real_dice_are_read_correctly_and_none_is_silently_wrong(pictures):
    folder = pictures / "photos"

    share = shares(
        outcome(vision.read(load(folder / row["file"])), row["values"])
        for row in list(filter(fair, labels(folder)))[::EVERY]
    )

    assert share["right"] >= 80, share
    assert share["silent"] == 0, share


def test_most_rendered_trays_are_read_correctly_and_few_wrong_readings_are_sure(pictures):
    folder = pictures / "renders"

    share = shares(
        outcome(vision.read(load(folder / row["image"]), tray_of(row)), row["values"])
        for row in list(filter(legible, labels(folder)))[::EVERY]
    )

    assert share["right"] >= 84, share
    assert share["silent"] <= 3, share


def test_some_rendered_hands_are_noticed_without_a_known_tray(pictures):
    folder = pictures / "renders"
    hands = [row for row in labels(folder) if row["hand"]]

    readings = [vision.read(load(folder / row["image"])) for row in hands]

    assert 4 * sum(vision.Problem.HAND in r.problems for r in readings) >= len(hands)


def tray_of(row):
    return Quad(tuple(map(tuple, row["tray_corners"])))


def test_positions_match_the_labels_in_pixels_of_the_loaded_image(pictures):
    folder = pictures / "photos"
    row = next(row for row in labels(folder) if row["file"] == "tom22.jpg")

    reading = vision.read(load(folder / row["file"]))

    for x, y, w, h, _ in row["boxes"]:
        assert any(x <= die.x <= x + w and y <= die.y <= y + h for die in reading.dice)
