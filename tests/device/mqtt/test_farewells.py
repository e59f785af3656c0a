"""A tray leaves nothing behind where it is not any more."""

import json
from contextlib import closing
from itertools import pairwise

import pytest

from device.mqtt.farewells import LEFT_FILE, Farewells
from device.mqtt.outbox import Note
from tests.mosquitto import Listener, needs_mosquitto, until

KEPT = (
    "homeassistant/device/traykeeper_t1/config",
    "traykeeper/t1/state",
    "traykeeper/t1/availability",
)
"""What a broker keeps of the tray t1."""


def is_gone(listener):
    return all(listener.on(topic)[-1:] == [b""] for topic in KEPT)


@needs_mosquitto
def test_a_tray_taken_off_the_broker_leaves_nothing_there(table, join, listener, tmp_path):
    with join():
        until(lambda: listener.on("traykeeper/t1/state"))
    with join(mqtt=""):
        until(lambda: not (tmp_path / LEFT_FILE).exists())
    until(lambda: is_gone(listener))


@needs_mosquitto
def test_a_tray_with_a_new_name_takes_the_old_one_off(table, join, listener):
    with join():
        until(lambda: listener.on("traykeeper/t1/state"))
    with join(mqtt_tray="t2"):
        until(lambda: listener.on("traykeeper/t1/state")[-1] == b"")
        until(lambda: listener.on("traykeeper/t2/state"))


@needs_mosquitto
def test_what_was_left_under_an_old_name_is_taken_back_once_the_broker_is_there(
    table, join, broker, listener, tmp_path
):
    with join():
        until(lambda: listener.on("traykeeper/t1/state"))
    broker.kill()
    for _ in range(2):
        with join(mqtt_tray="t2"):
            pass
    broker.start()
    with closing(Listener(broker)) as later, join(mqtt_tray="t2"):
        until(lambda: is_gone(later))
        until(lambda: not (tmp_path / LEFT_FILE).exists())


@needs_mosquitto
def test_who_cannot_be_told_any_more_keeps_nobody_from_the_broker(
    table, join, listener, troubles, tmp_path
):
    Note("mqtts://old.local:8883", "t1", ca="/nowhere/ca.crt").write(tmp_path / "mqtt.json")
    for _ in range(2):
        with join(mqtt_tray="t2"):
            until(lambda: listener.on("traykeeper/t2/state"))

    assert len(troubles) == 2
    assert all("t1 cannot be taken off mqtts://old.local:8883: /nowhere" in t for t in troubles)


A, B = Note("mqtt://a.local:1883", "t1", match="m", seq=3), Note("mqtt://b.local:1883", "t1")


@pytest.fixture
def left(tmp_path):
    """What is still to be told in a folder in which these settings followed each other."""

    def left(*notes):
        file = tmp_path / LEFT_FILE
        for before, now in pairwise(notes):
            Farewells(file).settle(before, now)
        return [there["url"] for there in json.loads(file.read_text())] if file.exists() else []

    return left


def test_each_that_was_left_is_to_be_told_once(left):
    assert left(A, B, A, B, None) == [A.url, B.url]


def test_where_the_tray_is_again_it_is_not_left(left):
    assert left(A, B, A) == [B.url]
    assert left(A, A, B) == [A.url]
