"""The announcement to Home Assistant, compared with the keys in its documentation."""

import json

import pytest
from jinja2 import Environment

from device.mqtt.client import Topics
from device.mqtt.tray_messages import discovery, tray_state_json
from game.commands import EnterThrow, StartMatch
from game.journal.entry import WireEntry
from game.journal.history import FeedLine
from tests.mosquitto import needs_mosquitto
from tests.waiting import until

CONFIG = "homeassistant/device/traykeeper_t1/config"

SHARED = {
    "availability",
    "availability_mode",
    "availability_template",
    "availability_topic",
    "payload_available",
    "payload_not_available",
    "state_topic",
    "command_topic",
    "qos",
    "encoding",
}
DEVICE = {
    "identifiers",
    "connections",
    "configuration_url",
    "hw_version",
    "manufacturer",
    "model",
    "model_id",
    "name",
    "serial_number",
    "suggested_area",
    "sw_version",
    "via_device",
}
ENTITY = SHARED | {
    "platform",
    "name",
    "unique_id",
    "default_entity_id",
    "enabled_by_default",
    "entity_category",
    "entity_picture",
    "icon",
    "json_attributes_template",
    "json_attributes_topic",
    "value_template",
    "device_class",
}
OF_PLATFORM = {
    "sensor": {
        "expire_after",
        "force_update",
        "last_reset_value_template",
        "options",
        "state_class",
        "suggested_display_precision",
        "unit_of_measurement",
    },
    "binary_sensor": {"expire_after", "force_update", "off_delay", "payload_off", "payload_on"},
    "event": {"event_types"},
}
CLASSES = {"enum", "connectivity", "problem"}


@pytest.fixture
def payload():
    return discovery(Topics("t1"), "http://tray.local:8000/")


def rendered(template, state):
    return Environment(autoescape=True).from_string(template).render(value_json=state)


def test_every_key_is_one_that_home_assistant_documents(payload):
    assert set(payload) <= SHARED | {"device", "origin", "components"}
    assert set(payload["device"]) <= DEVICE
    assert set(payload["origin"]) <= {"name", "sw_version", "support_url"}
    for component in payload["components"].values():
        assert set(component) <= ENTITY | OF_PLATFORM[component["platform"]]
        assert component.get("device_class", "enum") in CLASSES


def test_the_ids_of_entities_never_change(payload):
    assert sorted(c["unique_id"] for c in payload["components"].values()) == [
        "traykeeper_t1_camera",
        "traykeeper_t1_dice",
        "traykeeper_t1_happened",
        "traykeeper_t1_health",
        "traykeeper_t1_lamp",
        "traykeeper_t1_message",
        "traykeeper_t1_points",
        "traykeeper_t1_scores",
        "traykeeper_t1_series",
        "traykeeper_t1_situation",
        "traykeeper_t1_throw",
        "traykeeper_t1_turn",
        "traykeeper_t1_winner",
    ]
    assert payload["device"]["identifiers"] == ["traykeeper_t1"]


def test_every_template_renders_every_state(payload, table):
    states = [tray_state_json(table.snapshot(), None)]
    table.do(StartMatch(["Anna", *(f"{'W' * 22}{n}" for n in range(10, 29))]))
    table.do(EnterThrow((1, 1, 2, 3, 4, 6)))
    entry = WireEntry.first("0" * 16, table.match, 0)
    states.append(tray_state_json(table.snapshot(), FeedLine(1, entry, None, table.match)))
    table.do(StartMatch(("Anna", "Ben"), best_of=3))
    entry = WireEntry.first("1" * 16, table.match, 0)
    states.append(tray_state_json(table.snapshot(), FeedLine(2, entry, None, table.match)))
    for component in payload["components"].values():
        for state in states:
            if template := component.get("value_template"):
                assert 1 <= len(rendered(template, state)) <= 255
            if template := component.get("json_attributes_template"):
                assert json.loads(rendered(template, state).replace("&#34;", '"'))

    values = {
        k: rendered(c["value_template"], states[1])
        for k, c in payload["components"].items()
        if "value_template" in c
    }
    assert values["turn"] == "Anna"
    assert values["points"] == "200"
    assert values["throw"] == "1 1 2 3 4 6"
    assert values["scores"].startswith("Anna 0, WWW")
    assert values["camera"] == "OFF"
    series = [rendered(payload["components"]["series"]["value_template"], each) for each in states]
    assert series == ["no series", "no series", "Anna 0, Ben 0"]


@needs_mosquitto
def test_the_tray_is_announced_again_when_home_assistant_starts(table, join, listener):
    join.stay()
    until(lambda: len(listener.on(CONFIG)) == 1)
    listener.say("homeassistant/status", "online")
    until(lambda: len(listener.on(CONFIG)) == 2)

    assert listener.on(CONFIG)[0] == listener.on(CONFIG)[1]


@needs_mosquitto
def test_the_device_disappears_when_discovery_is_switched_off(table, join, listener):
    with join():
        until(lambda: listener.on(CONFIG))
    with join(mqtt_discovery=False):
        until(lambda: listener.on(CONFIG)[-1] == b"")
