"""The blueprint for Home Assistant, with the moments that a tray publishes.

Home Assistant is too large to install for the tests, so Jinja renders the templates here.
"""

import json
import re
from pathlib import Path

import pytest
import yaml
from jinja2 import Environment

from device.mqtt.client import Topics
from device.mqtt.tray_messages import compact_json
from game.commands import EnterThrow, KeepDice, StartMatch
from game.stats.announcements import AnnouncementKind, announcements
from tests.web.conftest import MemoryTable

FILE = Path(__file__).parents[2] / "integrations" / "home-assistant" / "dice_tray.yaml"


class _Inputs(yaml.SafeLoader):
    """Reads `!input tray` as the text "!tray"."""


_Inputs.add_constructor("!input", lambda loader, node: f"!{loader.construct_scalar(node)}")


@pytest.fixture
def blueprint():
    return yaml.load(FILE.read_text("utf-8"), _Inputs)  # noqa: S506 - a SafeLoader


def rendered(template, **values):
    return Environment(autoescape=True).from_string(template).render(values)


def moments(table, *commands):
    """Carry out commands, and return the moments of the last one."""
    for command in commands:
        before = table.snapshot().match
        table.do(command)
    return [
        json.loads(compact_json(moment)) for moment in announcements(before, table.snapshot().match)
    ]


def test_blueprint_uses_every_input_that_it_offers(blueprint):
    used = re.findall(r"!input (\w+)", FILE.read_text("utf-8"))

    assert set(used) == set(blueprint["blueprint"]["input"])
    assert [
        key for key, each in blueprint["blueprint"]["input"].items() if "default" not in each
    ] == ["tray"]


def test_blueprint_listens_to_the_moments_of_its_tray(blueprint):
    (trigger,) = blueprint["triggers"]

    assert rendered(trigger["topic"], tray="den") == Topics("den").moment
    assert set(blueprint["variables"]["colours"]) <= {kind.value for kind in AnnouncementKind}
    assert set(blueprint["variables"]["texts"]) == set(blueprint["variables"]["colours"])


@pytest.mark.parametrize(
    ("commands", "kind", "said"),
    [
        ([EnterThrow((1, 1, 1, 5, 5, 5))], "hot_dice", "Hot dice! Anna has 1500 points and throws all dice again."),
        ([EnterThrow((1, 1, 2, 3, 4, 6)), KeepDice((1, 1)), EnterThrow((2, 3, 4, 6))], "farkled", "Farkle for Anna!"),
    ],
)  # fmt: skip
def test_blueprint_speaks_about_what_happened_at_the_table(blueprint, commands, kind, said):
    table = MemoryTable()
    (moment,) = moments(table, StartMatch(("Anna", "Ben")), *commands)
    names = blueprint["variables"]
    trigger = {"payload_json": moment}
    text = blueprint["blueprint"]["input"][names["texts"][kind].removeprefix("!")]["default"]
    values = {name: rendered(names[name], trigger=trigger) for name in ("kind", "player", "points")}

    assert values["kind"] == kind
    assert rendered(text, **values) == said
