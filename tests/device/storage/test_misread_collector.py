"""Which throw the picture in view shows: only what is known of its dice is learnt."""

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
    """Notes what it is told of each picture."""

    def __init__(self):
        self.told = []

    def see(self, picture, truth):
        self.told.append((picture, truth.values))


@pytest.fixture
def store():
    return Store()


@pytest.fixture
def learning(store):
    return MisreadCollector(store)


def picture(of):
    return CapturedReading(1, TrayReading(of), IMAGE)


def test_a_throw_in_view_is_told_as_the_match_has_it(learning, store):
    shown = picture(reading(*SEEN))
    learning.saw(shown)
    match = accepted(shown.tray_reading.reading)
    learning.learn(match)
    learning.learn(match.correct((1, 1, 3, 3, 5, 6)))

    assert store.told == [(shown, SEEN), (shown, (1, 1, 3, 3, 5, 6))]


def test_kept_dice_in_a_picture_of_the_next_throw_say_nothing_of_the_last(learning, store):
    """They lie where they lay, but the others were thrown, and one of them cannot be read."""
    first = reading(*SEEN)
    match = accepted(first).keep((1, 1))
    moved = (replace(die, y=300.0) for die in reading(2, 2, 4, 4, 5, None).dice[2:])
    learning.saw(picture(Reading((*first.dice[:2], *moved))))
    learning.learn(match)

    assert store.told == []


def test_dice_tapped_in_are_what_the_picture_in_view_shows_and_no_other(learning, store):
    doubtful = picture(reading(1, 1, 3, None, 4, 6))
    learning.saw(doubtful)
    match = MATCH.throw((1, 1, 3, 4, 5, 6))
    learning.learn(match)
    assert store.told == []
    learning.tapped_in(MATCH, match)
    learning.learn(match)

    assert store.told == [(doubtful, (1, 1, 3, 4, 5, 6))]
    learning.saw(picture(reading(1, 2, 2, 3, 4, 6)))
    learning.learn(match)
    assert len(store.told) == 1


def test_nothing_to_learn_is_no_fault(learning, store):
    learning.learn(MATCH)
    learning.saw(picture(Reading()))
    learning.learn(MATCH)

    assert store.told == []


def test_what_was_tapped_in_is_forgotten_with_its_throw_and_its_match(learning, store):
    """The next dice that are tapped in are none that a camera saw."""
    learning.saw(picture(reading(1, 1, 3, None, 4, 6)))
    match = MATCH.throw((1, 1, 3, 4, 5, 6))
    learning.tapped_in(MATCH, match)
    learning.learn(match.undo())
    learning.learn(MATCH.throw((2, 2, 3, 4, 5, 6)))
    learning.tapped_in(MATCH, match)
    another = Match.start(MATCH.rules, ["Cleo", "Dan"])
    learning.learn(another.throw((2, 2, 3, 4, 5, 6)))

    assert store.told == []
