"""A tray leaves no retained messages behind when it moves to another broker or gets another name."""

import json
from contextlib import closing
from itertools import pairwise

import pytest

from device.mqtt import publisher
from device.mqtt.publisher import FormerTrays, Progress
from tests.mosquitto import Listener, needs_mosquitto
from tests.waiting import until

RETAINED = (
    "homeassistant/device/traykeeper_t1/config",
    "traykeeper/t1/state",
    "traykeeper/t1/availability",
)
"""Topics in which a broker retains messages of the tray t1."""


def is_gone(listener):
    return all(listener.on(topic)[-1:] == [b""] for topic in RETAINED)


@needs_mosquitto
def test_a_tray_that_leaves_its_broker_leaves_nothing_there(table, join, listener, tmp_path):
    with join():
        until(lambda: listener.on("traykeeper/t1/state"))
    with join(mqtt=""):
        until(lambda: not (tmp_path / publisher.FORMER_TRAYS_FILE).exists())
    until(lambda: is_gone(listener))


@needs_mosquitto
def test_a_tray_with_a_new_name_removes_the_old_one(table, join, listener):
    with join():
        until(lambda: listener.on("traykeeper/t1/state"))
    with join(mqtt_tray="t2"):
        until(lambda: listener.on("traykeeper/t1/state")[-1] == b"")
        until(lambda: listener.on("traykeeper/t2/state"))


@needs_mosquitto
def test_an_old_name_is_removed_once_the_broker_is_back(table, join, broker, listener, tmp_path):
    with join():
        until(lambda: listener.on("traykeeper/t1/state"))
    broker.kill()
    for _ in range(2):
        with join(mqtt_tray="t2"):
            pass
    broker.start()
    with closing(Listener(broker)) as later, join(mqtt_tray="t2"):
        until(lambda: is_gone(later))
        until(lambda: not (tmp_path / publisher.FORMER_TRAYS_FILE).exists())


@needs_mosquitto
def test_a_former_broker_that_cannot_be_reached_does_not_keep_the_tray_from_the_new_one(
    table, join, listener, troubles, tmp_path
):
    Progress("mqtts://old.local:8883", "t1", ca="/nowhere/ca.crt").write(tmp_path / "mqtt.json")
    for _ in range(2):
        with join(mqtt_tray="t2"):
            until(lambda: listener.on("traykeeper/t2/state"))

    assert len(troubles) == 2
    assert all("t1 cannot be removed from mqtts://old.local:8883: /nowhere" in t for t in troubles)


A = Progress("mqtt://a.local:1883", "t1", match="m", seq=3)
B = Progress("mqtt://b.local:1883", "t1")


@pytest.fixture
def left(tmp_path):
    """The URLs that remain in the list after the tray had these settings one after the other."""

    def left(*settings):
        file = tmp_path / publisher.FORMER_TRAYS_FILE
        for before, now in pairwise(settings):
            FormerTrays(file).update(before, now)
        return [tray["url"] for tray in json.loads(file.read_text())] if file.exists() else []

    return left


def test_each_former_broker_is_listed_once(left):
    assert left(A, B, A, B, None) == [A.url, B.url]


def test_the_broker_in_use_is_not_listed(left):
    assert left(A, B, A) == [B.url]
    assert left(A, A, B) == [A.url]
