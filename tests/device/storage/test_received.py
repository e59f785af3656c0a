"""A backup comes in parts, and what nobody goes on sending takes no memory for ever."""

import time

import pytest

from device.storage import backup
from device.storage.received import ReceivedParts
from game.situation import TableError


def test_parts_come_one_after_the_other():
    received = ReceivedParts()

    assert received.take(0, b"PK") == 2
    assert received.take(2, b"zip") == 5
    assert received.all() == b"PKzip"
    assert len(received) == 0


def test_a_part_that_does_not_follow_is_refused_and_the_first_begins_anew():
    received = ReceivedParts()
    received.take(0, b"PK")
    with pytest.raises(TableError, match="begin again"):
        received.take(3, b"zip")

    assert received.take(0, b"P") == 1


def test_what_is_too_long_is_refused(monkeypatch):
    monkeypatch.setattr(backup, "MAX_PACKED", 4)
    with pytest.raises(TableError, match="too long"):
        ReceivedParts().take(0, b"PKzip")


def test_what_nobody_goes_on_sending_is_let_go():
    received = ReceivedParts(abandoned_s=0.2)
    received.take(0, b"P")
    time.sleep(0.15)
    received.take(1, b"K")  # goes on in time
    time.sleep(0.1)
    assert len(received) == 2

    until_s = time.monotonic() + 5
    while len(received) and time.monotonic() < until_s:
        time.sleep(0.02)
    assert len(received) == 0
    with pytest.raises(TableError, match="begin again"):
        received.take(2, b"zip")
