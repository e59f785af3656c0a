"""Photos of throws, drawn with the current faces."""

from dataclasses import replace
from itertools import combinations_with_replacement
from weakref import ref

import cv2
import numpy as np
import pytest

from device.session.placement import place_of
from device.session.tray_reader import TrayReading
from device.storage.photo_album import MAX_PHOTOS, MAX_PICTURES, PhotoAlbum
from game.match.events import Skipped, Thrown
from game.match.match import Match
from game.rules import rule_files
from vision.reading import Die, Quad, Reading, Zone

RULES = rule_files.load("walnut-studiolo")
WIDTH, HEIGHT = 1280, 720


def die(face, x, zone=Zone.TRAY, y=100):
    return Die(face, x, y, 50, 50, 0, 0.99, zone)


READING = Reading(tuple(die(face, 100 + 100 * i) for i, face in enumerate((6, 2, 1, 2, 3, 4))))
MOVED = replace(READING, dice=tuple(replace(die, y=400) for die in READING.dice))


def picture(shade=0):
    return np.full((HEIGHT, WIDTH, 3), shade, np.uint8)


def album_of(*readings):
    album = PhotoAlbum()
    for i, reading in enumerate(readings):
        album.add(picture(10 * i), TrayReading(reading))
    return album


def accepted(reading=READING, match=None):
    places = tuple(map(place_of, reading.dice_in_tray))
    match = match or Match.start(RULES, ["Anna", "Ben"])
    return match.push(Thrown(tuple(sorted(place.face for place in places)), places))


def values(photo):
    return [die.value for die in photo.dice]


def slots(photo):
    return [die.slot for die in photo.dice]


def test_each_die_in_the_photo_belongs_to_the_throw():
    shown = album_of(READING).of(accepted().last_throw)

    assert (shown.index, slots(shown)) == (0, [5, 1, 0, 2, 3, 4])


def test_a_photo_follows_a_correction_and_its_undo():
    album = album_of(READING)
    match = accepted()
    before = album.of(match.last_throw)
    corrected = match.correct((1, 1, 2, 2, 3, 4), 0)
    after = album.of(corrected.last_throw)

    assert values(after) == [1, 2, 1, 2, 3, 4]
    assert sorted(slots(after)) == [0, 1, 2, 3, 4, 5]
    assert album.photo(before.id) != album.photo(after.id)
    assert album.of(corrected.undo().last_throw) == before


def test_a_throw_that_no_camera_saw_has_no_photo():
    tapped = Match.start(RULES, ["Anna", "Ben"]).throw((1, 2, 2, 3, 4, 6))

    assert album_of(READING).of(tapped.last_throw) is None


def test_undo_shows_the_photo_of_the_previous_throw():
    album = album_of(READING, MOVED)
    first = accepted()
    second = accepted(MOVED, first.push(Skipped()))

    old, new = album.of(first.last_throw), album.of(second.last_throw)
    assert old.id != new.id
    assert album.of(second.undo().last_throw) == old


def test_a_picture_with_only_some_dice_of_a_throw_is_not_its_photo():
    stayed = Reading((READING.dice[2], die(None, 900)))
    album = PhotoAlbum()
    seen = album.add(picture(), TrayReading(stayed))
    shown = album.as_read(seen.id, accepted().last_throw)

    assert album.of(accepted().last_throw) is None
    assert (shown.index, slots(shown)) == (None, [0, None])


def test_the_name_of_a_photo_depends_only_on_its_contents():
    throw = accepted().last_throw
    one, same, other = (
        album.of(throw).id
        for album in (album_of(READING), album_of(READING), album_of(MOVED, READING))
    )

    assert one == same
    assert one != other


def test_old_pictures_are_dropped():
    album = album_of(READING, *[MOVED] * MAX_PICTURES)

    assert album.of(accepted().last_throw) is None


def test_a_drawn_photo_keeps_no_picture_in_memory():
    album, pictures, photos = PhotoAlbum(), [], []
    for shade in range(MAX_PHOTOS):
        added = album.add(picture(10 * shade), TrayReading(READING))
        photos.append(album.as_read(added.id))
        pictures.append(ref(added))
    del added

    assert sum(added() is not None for added in pictures) == MAX_PICTURES
    assert all(album.photo(photo.id) for photo in photos)
    assert [bool(album.die(photo.id, 0)) for photo in photos] == [
        number >= MAX_PHOTOS - MAX_PICTURES for number in range(MAX_PHOTOS)
    ]


def test_a_dropped_photo_is_drawn_again():
    album, match = album_of(READING), accepted()
    before = album.of(match.last_throw)
    for faces in combinations_with_replacement(range(1, 7), 2):
        album.of(match.correct((*faces, 2, 2, 3, 4), 0).last_throw)
    assert album.photo(before.id) is None

    assert album.of(match.last_throw) == before
    assert album.photo(before.id)


def test_a_die_is_cut_out_at_full_resolution_with_some_margin():
    image = picture()
    image[75:125, 175:225] = 255
    album = PhotoAlbum()
    zone = Quad(((60, 40), (1000, 40), (1000, 600), (60, 600)))
    album.add(image, TrayReading(READING), (zone,))
    shown = album.of(accepted().last_throw)

    found = cv2.imdecode(np.frombuffer(album.die(shown.id, 1), np.uint8), cv2.IMREAD_GRAYSCALE)
    assert found.shape == (130, 130)
    assert found[65, 65] > 200
    assert found[10, 10] < 50


def test_the_set_aside_area_is_shown_only_if_it_contains_dice():
    tray, aside = (Quad(((x, 40), (x + 300, 40), (x + 300, 600), (x, 600))) for x in (60, 700))
    widths = []
    for dice in (READING.dice, (*READING.dice, die(5, 800, Zone.ASIDE))):
        album = PhotoAlbum()
        album.add(picture(), TrayReading(replace(READING, dice=dice)), (tray, aside))
        widths.append(album.of(accepted().last_throw).width)

    assert widths[0] < 450
    assert widths[1] > 900


@pytest.mark.parametrize("number", [6, 10**9])
def test_a_missing_die_cannot_be_cut_out(number):
    album = album_of(READING)
    shown = album.of(accepted().last_throw)

    assert album.die(shown.id, number) is None
    assert album.die("unknown", 0) is None
