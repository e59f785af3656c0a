"""The exchange of throw pictures between two trays: each side requests the pictures that it lacks, part by part."""

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from device.shared_match.sync import MAX_FILE_BYTES, PART_BYTES, FilePart

MAX_WANTED = 6
"""Number of the latest throws whose pictures are fetched, so that few are transferred after a long outage."""

MAX_TRIES = 12
"""Number of requests for a picture that the other tray does not have (yet): pictures are stored after their throws."""


class ThrowFiles(Protocol):
    """A store of throw pictures of one kind, addressed by the position of the throw in the journal."""

    def get(self, position: int) -> bytes | None:
        """Return the picture of the throw at this position, or None if there is none."""

    def add(self, position: int, data: bytes) -> bool:
        """Store a picture from the other tray; return False if it is not valid.

        Args:
            position: Position of the throw in this tray's journal.
            data: The bytes of the picture.
        """


@dataclass(frozen=True, slots=True)
class FetchedFiles:
    """The pictures of one throw at the other tray that have arrived so far.

    Attributes:
        index: Index of the throw in the match's timeline.
        files: The pictures by kind.
    """

    index: int
    files: Mapping[str, bytes]


@dataclass(slots=True)
class _Fetch:
    """A picture that is being fetched from the other tray."""

    position: int
    index: int
    data: bytearray
    tries: int = 0


class FileFetcher:
    """An exchange of throw pictures with the other tray: fetches its pictures, and sends it this tray's pictures.

    Args:
        files: The stores of this tray's pictures, by kind. The kind named first is fetched first.
    """

    def __init__(self, files: Mapping[str, ThrowFiles]) -> None:
        self._files = files
        self._own: dict[int, int] = {}
        self._wanted: OrderedDict[tuple[int, str], _Fetch] = OrderedDict()
        self._answer: FilePart | None = None
        self._has_advanced = False
        self._arrived = FetchedFiles(-1, {})

    def __repr__(self) -> str:
        return f"<FileFetcher: {len(self._wanted)} wanted>"

    @property
    def is_urgent(self) -> bool:
        """Whether an answer is waiting to be sent, or the next part can be requested at once."""
        return self._answer is not None or self._has_advanced

    def note_throw(self, seq: int, position: int, index: int, *, is_own: bool) -> None:
        """Record a throw, so that its pictures can be fetched from the other tray, or sent to it.

        Args:
            seq: Number of the throw's entry in the match.
            position: Position of the entry in this tray's journal.
            index: Index of the throw in the match's timeline.
            is_own: Whether the throw was made at this tray, so that its pictures are sent and not fetched.
        """
        if is_own:
            self._own[seq] = position
            return
        for kind in reversed(list(self._files)):  # the kind that is named first is fetched first
            if self._files[kind].get(position) is None:
                self._wanted[seq, kind] = _Fetch(position, index, bytearray())
        while len(self._wanted) > MAX_WANTED * len(self._files):
            self._wanted.popitem(last=False)

    def forget(self) -> None:
        """Forget all recorded throws, because the journal has been replaced."""
        self._own.clear()
        self._wanted.clear()

    def want(self) -> FilePart | None:
        """Return the request for the next part of a picture, for the latest throw first; None if nothing is missing."""
        self._has_advanced = False
        for (seq, kind), fetch in reversed(self._wanted.items()):
            return FilePart(seq, kind, len(fetch.data))
        return None

    def answer(self, want: FilePart) -> None:
        """Prepare the answer to a request from the other tray."""
        files, position = self._files.get(want.kind), self._own.get(want.seq)
        data = (files.get(position) if files and position is not None else None) or b""
        part = data[want.at : want.at + PART_BYTES]
        self._answer = FilePart(want.seq, want.kind, want.at, len(data), part)

    def take_answer(self) -> FilePart | None:
        """Return the prepared answer and forget it; None if there is none."""
        answer, self._answer = self._answer, None
        return answer

    def add(self, part: FilePart) -> FetchedFiles | None:
        """Add a part of a picture that has arrived; if that completes it, return the pictures of its throw."""
        name = (part.seq, part.kind)
        fetch = self._wanted.get(name)
        if fetch is None or part.at != len(fetch.data):
            return None
        fetch.data += part.data
        if not part.data or part.size > MAX_FILE_BYTES or len(fetch.data) > part.size:
            self._try_later(name, fetch)
            return None
        self._has_advanced = True
        if len(fetch.data) < part.size:
            return None
        del self._wanted[name]
        data = bytes(fetch.data)
        if not self._files[part.kind].add(fetch.position, data):
            return None
        before = self._arrived.files if self._arrived.index == fetch.index else {}
        self._arrived = FetchedFiles(fetch.index, {**before, part.kind: data})
        return self._arrived

    def _try_later(self, name: tuple[int, str], fetch: _Fetch) -> None:
        """Request other pictures before this one, named by entry number and kind; after `MAX_TRIES` attempts, give up."""
        fetch.data.clear()
        fetch.tries += 1
        self._wanted.move_to_end(name, last=False)
        if fetch.tries >= MAX_TRIES:
            del self._wanted[name]
