"""Which picture belongs to what is in view: to the open question, or to the throw as it stands."""

from dataclasses import replace

from device.session.session import Session
from device.session.table_state import NeedsAttention, OpenQuestion, Overlay, TableState
from device.session.tray_reader import TrayReading
from device.storage.photo_album import AlbumPicture, PhotoAlbum
from device.watching.reports import CapturedReading
from game.match.rolloff import RollOff
from web.contracts.table import Photo


class PicturesInView:
    """The pictures that were read, each shown only with what was made of it.

    Attributes:
        newest: the last picture that was read, all of it; None before the first.
        picture: the same, cut to the tray: anybody in the network may see that.
    """

    def __init__(self, album: PhotoAlbum) -> None:
        self._album = album
        self.newest: CapturedReading | None = None
        self.picture: AlbumPicture | None = None
        self._asked: tuple[Overlay, AlbumPicture] | None = None
        self._rolled: tuple[RollOff, AlbumPicture] | None = None

    def see(self, seen: CapturedReading) -> None:
        """The camera read this."""
        self.newest = seen
        self.picture = self._album.add(seen.image, seen.reading, seen.zones, seen.offset_px)

    def judged(self, table: TableState) -> None:
        """What lies over the match now, and the last roll, came of the newest picture."""
        if self.picture is None:
            return
        if isinstance(table.overlay, OpenQuestion | NeedsAttention):
            self._asked = table.overlay, self.picture
        if table.match is None:
            self._rolled = table.rolloff, self.picture

    def told(self, session: Session, die: int, face: int) -> None:
        """A person says what a die of the newest picture shows, which is in question."""
        if self.newest:
            tray_reading = self.newest.tray_reading.with_face(die, face)
            session.results.correct(tray_reading)
            self._see_anew(session, self.newest, tray_reading)

    def left_out(self, session: Session, die: int) -> None:
        """A person says that this of the newest picture, which is in question, is no die."""
        if self.newest:
            tray_reading = self.newest.tray_reading.without(die)
            session.results.ignore(tray_reading)
            self._see_anew(session, self.newest, tray_reading)

    def _see_anew(self, session: Session, seen: CapturedReading, tray_reading: TrayReading) -> None:
        self.see(replace(seen, tray_reading=tray_reading))
        self.judged(session.table)

    def photo(self, table: TableState) -> Photo | None:
        """The one to show; a throw without a picture shows none, never another's."""
        throw = table.last_throw
        if self._asked and self._asked[0] is table.overlay:
            return self._album.as_read(self._asked[1], throw)
        if throw:
            return self._album.of(throw)
        if table.match is not None or table.dice_log is not None:
            return None
        if self._rolled and self._rolled[0] is table.rolloff:
            return self._album.as_read(self._rolled[1])
        return None
