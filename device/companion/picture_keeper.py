"""The pictures that were read, and the choice of the picture that phones show."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from device.cameras.base import Image
from device.session.session import Session
from device.session.table_state import NeedsAttention, OpenQuestion, TableState
from device.session.tray_reader import TrayReading
from device.storage.misreads import MisreadCollector, MisreadStore, ReadPicture, Truth
from device.storage.photo_album import AlbumPicture, PhotoAlbum, ThrowInView, shows
from device.storage.throw_pictures import ThrowPictures
from device.watching.reports import CapturedReading
from game.commands import CorrectDie, EnterThrow, MarkForeignObject, ShowOtherPhoto
from game.match.match import Match
from game.message import Message
from game.situation import TableError
from vision import Problem, Reading, read
from vision.images import ImageError, decode
from vision.reading import Die
from web.contracts import Photo
from web.picture_check import DAMAGED

LONG_SIDE_PX = 2048
"""Largest length of a photo's longer side. With half a metre in view, a die of 16 mm is then 80 pixels wide.

The reader needs a third of that."""

MARGIN = 1.6
"""Margin around the outermost dice, in die edges: enough to see a wall of the tray, but not people's faces."""

NO_DICE = Message(
    "There are no dice in that photo: take another one from above, closer up and in good light."
)


def read_phone_picture(picture: bytes, time_s: float) -> CapturedReading:
    """Read the dice in a photo from a phone.

    Args:
        picture: A JPEG or PNG whose size has already been checked.
        time_s: When the photo arrived, in seconds on the tray watch's clock.

    Raises:
        TableError: If the photo cannot be decoded or shows no dice.
    """
    try:
        image = decode(picture, LONG_SIDE_PX)
    except ImageError:
        raise TableError(DAMAGED) from None
    reading = read(image)
    if not reading.dice and Problem.DARK not in reading.problems:
        raise TableError(NO_DICE)
    part, offset_px = _crop_to_dice(image, reading)
    return CapturedReading(0, TrayReading(reading, None, time_s), part, offset_px=offset_px)


def _crop_to_dice(image: Image, reading: Reading) -> tuple[Image, tuple[int, int]]:
    """Return a photo cropped to the dice, and the left and top edges of the crop in pixels of the photo.

    The rest of the photo is private.
    """
    if not reading.dice:
        return image, (0, 0)
    height, width = image.shape[:2]
    margin = MARGIN * max(die.size for die in reading.dice)
    xs, ys = [die.x for die in reading.dice], [die.y for die in reading.dice]
    left, top = max(0, int(min(xs) - margin)), max(0, int(min(ys) - margin))
    right, bottom = min(width, int(max(xs) + margin)), min(height, int(max(ys) + margin))
    return np.ascontiguousarray(image[top:bottom, left:right]), (left, top)


NoteFaces = Callable[[float, Sequence[Die], Sequence[int | None]], None]
"""A function that takes the time of a reading in seconds, its dice, and the face of each die (None if unknown)."""


class PictureKeeper:
    """Keeps the pictures that were read, and what people said about their dice.

    Args:
        throw_pictures: Stores one picture of each throw on disk; None means that none are stored.
        misreads: Stores pictures that were read wrongly; None means that none are stored.
        note_faces: Receives the time of a reading, its dice and their true faces.

    Attributes:
        album: The last few pictures, for the phones.
    """

    def __init__(
        self,
        throw_pictures: ThrowPictures | None,
        misreads: MisreadStore | None,
        note_faces: NoteFaces,
    ) -> None:
        self.album = PhotoAlbum()
        self._throw_pictures = throw_pictures
        self._note_faces = note_faces
        stores = [misreads.record] if misreads else []
        self._misreads = MisreadCollector(self._pass_on_faces, *stores)
        self._saved_position = 0
        self._newest: CapturedReading | None = None
        self._cropped: AlbumPicture | None = None
        self._without_reading: tuple[Match, Photo] | None = None

    def add(self, captured: CapturedReading) -> None:
        """Keep a picture together with its reading, before people correct it."""
        self._misreads.saw(captured)
        self._show(captured)

    def photo(self, table: TableState) -> Photo | None:
        """Return the photo of the open question, the last throw or the last die of the roll-off.

        Return None if there is no such photo. The photo of another throw is never shown instead.
        """
        throw, overlay = table.last_throw, table.overlay
        in_question = isinstance(overlay, OpenQuestion | NeedsAttention) and overlay.reading
        if in_question and (photo := self.album.as_read(in_question, throw)):
            return photo
        if throw:
            return self.album.of(throw) or self._other_photo(table, throw)
        if table.match is not None or table.dice_log is not None:
            return None
        return self.album.as_read(table.rolloff_reading)

    def correct(
        self, session: Session, command: CorrectDie | MarkForeignObject, photo: Photo | None
    ) -> CapturedReading | None:
        """Apply what somebody said about a die in the photo.

        Args:
            session: The session, which applies the correction.
            command: What somebody said: the true face of a die, or that an object is not a die.
            photo: The photo that the phones are showing; None if there is none.

        Returns:
            The uncorrected reading if one of its objects turned out not to be a die, otherwise None.

        Raises:
            TableError, GameError: If the correction is refused.
        """
        slot = _slot(command, photo)
        before = self._newest
        match command:
            case CorrectDie() if slot is not None:
                session.correct_die(slot, command.face)
            case CorrectDie() if before:
                tray_reading = before.tray_reading.with_face(command.die, command.face)
                session.correct_reading(tray_reading)
                self._show(replace(before, tray_reading=tray_reading))
            case MarkForeignObject() if before:
                tray_reading = before.tray_reading.without(command.die)
                session.ignore_object(tray_reading)
                self._show(replace(before, tray_reading=tray_reading))
                return before
        return None

    def enter(self, session: Session, command: EnterThrow) -> None:
        """Accept a throw that was entered on a phone.

        If somebody entered it because a reading needs attention, the entered faces are stored as the
        true faces of the dice in the picture of that reading, unless dice have been thrown since.

        Args:
            session: The session, which accepts the throw.
            command: The throw that somebody entered.

        Raises:
            TableError, GameError: If the throw is refused.
        """
        before, newest = session.table.match, self._newest
        needs_attention = isinstance(session.table.overlay, NeedsAttention)
        # Dice that were thrown again no longer show the faces in the picture.
        shows_throw = newest and not session.tray_reader.surely_tumbled_since(
            newest.tray_reading.time_s
        )
        session.do(command)
        after = session.table.match
        if before and after and needs_attention and shows_throw and after is not before:
            self._misreads.tapped_in(before, after)

    def save(self, table: TableState, position: int) -> None:
        """Store the picture of a throw that has just been read, and pictures whose dice have been corrected.

        Args:
            table: The state of the table.
            position: Position in the journal of the newest throw that a camera saw; 0 if there is none.
        """
        if self._throw_pictures and position != self._saved_position:
            self._saved_position = position  # 0 after a restore: positions are then used again
            throw, picture = table.last_throw, self._cropped
            if position and throw and picture and shows(picture.reading, throw):
                cut = (*picture.corner, picture.image.shape[1])
                self._throw_pictures.keep(position, picture.image, picture.clip, cut)
        if table.match:
            self._misreads.learn(table.match)

    def restore(self, table: TableState, stored: ShowOtherPhoto) -> None:
        """Show the picture of the last throw, which was read before a restart.

        The dice in it can be tapped if the picture says which part of the frame it shows.

        Args:
            table: The state of the table.
            stored: The picture, and the index of its throw.
        """
        throw = table.last_throw
        if not throw or not self.album.restore(stored.picture, throw, stored.clip):
            self.show_other(table, stored)

    def show_other(self, table: TableState, command: ShowOtherPhoto) -> None:
        """Show the picture of a throw made at the other tray or, without its reading, before a restart.

        Args:
            table: The state of the table.
            command: The picture, and the index of its throw.
        """
        photo = self.album.from_other_tray(command.picture, command.index, command.clip)
        self._without_reading = (table.current_match, photo)

    def _other_photo(self, table: TableState, throw: ThrowInView) -> Photo | None:
        """Return the picture of a throw made at the other tray or before a restart, if it is the newest one."""
        if self._without_reading is None or table.match is None:
            return None
        match, photo = self._without_reading
        last = match.last_throw
        is_same = match.start_state is table.match.start_state and photo.index == throw.index
        was_replaced = last and last.index == throw.index and last.places != throw.places
        return photo if is_same and not was_replaced else None

    def _pass_on_faces(self, picture: ReadPicture, truth: Truth | None) -> None:
        """Pass on the true faces in a picture of the tray, so that later readings recognise them."""
        if truth and isinstance(picture, CapturedReading):
            tray_reading = picture.tray_reading
            self._note_faces(tray_reading.time_s, tray_reading.reading.dice, truth.faces)

    def _show(self, captured: CapturedReading) -> None:
        """Add a picture to the album, cropped to the tray because everybody on the network may see it."""
        self._newest = captured
        self._cropped = self.album.add(
            captured.image,
            captured.tray_reading,
            captured.zones,
            captured.offset_px,
            captured.clip,
        )


def _slot(command: CorrectDie | MarkForeignObject, photo: Photo | None) -> int | None:
    """Return the index, in the last throw, of the die in a command; None if the die was not part of that throw."""
    if photo is None or photo.id != command.photo:
        raise TableError(Message("That photo is out of date: use the newest one."))
    if command.die >= len(photo.dice):
        raise TableError(
            Message("There is no die %(n)s in that photo: dice are numbered from 0.", n=command.die)
        )
    return photo.dice[command.die].slot
