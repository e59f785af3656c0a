"""The collector records a picture only if the true faces of its dice are known."""

from dataclasses import replace

import numpy as np
import pytest

from device.session.tray_reader import TrayReading
from device.storage.misreads import MisreadCollector
from device.watching.reports import CapturedReading
from game.match.match import Match
from tests.device.storage.test_misread_labels import MATCH, SEEN, accepted, reading
from vision.reading import Reading

IMAGE = np.zeros((4, 4, 3), np.uint8)


class Store:
    """A store that records the true dice of each picture."""

    def __init__(self):
        self.recorded = []

    def record(self, picture, truth):
        self.recorded.append((picture, truth.values))


@pytest.fixture
def store():
    return Store()


@pytest.fixture
def learning(store):
    return MisreadCollector(store.record)


def picture(of):
    return CapturedReading(1, TrayReading(of), IMAGE)


def test_a_throw_in_view_is_recorded_with_the_faces_in_the_match(learning, store):
    shown = picture(reading(*SEEN))
    learning.saw(shown)
    match = accepted(shown.tray_reading.reading)
    learning.learn(match)
    learning.learn(match.correct((1, 1, 3, 3, 5, 6)))

    assert store.recorded == [(shown, SEEN), (shown, (1, 1, 3, 3, 5, 6))]


def test_kept_dice_in_a_picture_of_the_next_throw_record_nothing(learning, store):
    """The kept dice are in their places, but the others were thrown again, and one of them cannot be read."""
    first = reading(*SEEN)
    match = accepted(first).keep((1, 1))
    moved = (replace(die, y=300.0) for die in reading(2, 2, 4, 4, 5, None).dice[2:])
    learning.saw(picture(Reading((*first.dice[:2], *moved))))
    learning.learn(match)

    assert store.recorded == []


def test_entered_dice_belong_to_the_picture_in_view_and_to_no_other(learning, store):
    doubtful = picture(reading(1, 1, 3, None, 4, 6))
    learning.saw(doubtful)
    match = MATCH.throw((1, 1, 3, 4, 5, 6))
    learning.learn(match)
    assert store.recorded == []
    learning.tapped_in(MATCH, match)
    learning.learn(match)

    assert store.recorded == [(doubtful, (1, 1, 3, 4, 5, 6))]
    learning.saw(picture(reading(1, 2, 2, 3, 4, 6)))
    learning.learn(match)
    assert len(store.recorded) == 1


def test_a_match_without_a_throw_records_nothing(learning, store):
    learning.learn(MATCH)
    learning.saw(picture(Reading()))
    learning.learn(MATCH)

    assert store.recorded == []


def test_entered_dice_are_forgotten_with_their_throw_and_their_match(learning, store):
    """No camera saw the dice that are entered next."""
    learning.saw(picture(reading(1, 1, 3, None, 4, 6)))
    match = MATCH.throw((1, 1, 3, 4, 5, 6))
    learning.tapped_in(MATCH, match)
    learning.learn(match.undo())
    learning.learn(MATCH.throw((2, 2, 3, 4, 5, 6)))
    learning.tapped_in(MATCH, match)
    another = Match.start(MATCH.rules, ["Cleo", "Dan"])
    learning.learn(another.throw((2, 2, 3, 4, 5, 6)))

    assert store.recorded == []
