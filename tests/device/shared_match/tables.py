"""Tables without a tray that play one match together: real journals and links, and no transport."""

from contextlib import closing, contextmanager
from threading import Condition

from device.session.live_match import LiveMatch
from device.session.session import Session
from device.shared_match.links import SHARED_FOLDER, LinkStore
from device.shared_match.shared_matches import SharedMatches
from game.commands import ShowOtherPhoto
from game.journal.entry import comparable_entries
from game.journal.history import History
from game.journal.journal import JOURNAL_FILE, Journal
from game.message import Message
from game.rules import rule_files
from tests.clock import Clock
from tests.tray_reader import FakeTrayReader
from web.contracts import Lamp, Snapshot

RULES = rule_files.with_options(rule_files.load("walnut-studiolo"), {"target": 2_000, "opening": 0})
LAMP = Lamp("#2aa866", 0.0, Message("ready"))


class Files(dict):
    """Pictures of throws in memory, by position."""

    def add(self, position, data):
        self[position] = data
        return True


class SharedTable:
    """A table whose dice are entered by hand, and its side of a shared match."""

    def __init__(self, folder, *, broker=None, clock=None):
        self.folder, self.files, self.clips, self.troubles = folder, Files(), Files(), []
        self.journal = Journal.open(folder / JOURNAL_FILE)
        self.history = History(folder / JOURNAL_FILE)
        self.clock = clock or Clock()
        self.shared = SharedMatches(
            LinkStore(folder / SHARED_FOLDER),
            self.history,
            {"photo": self.files, "clip": self.clips},
            RULES,
            broker=broker,
            warn=self.troubles.append,
            clock=self.clock,
        )
        live_match = LiveMatch(self.journal, self.shared)
        live_match.reload()
        self.session = Session(live_match, RULES, FakeTrayReader())
        self.session.camera_found()
        self.photos = []
        self._changed = Condition()
        self._version = 1

    def close(self):
        self.shared.close()
        self.journal.close()

    def do(self, command, request=""):
        with self._changed:
            if isinstance(command, ShowOtherPhoto):
                self.photos.append(command)
            else:
                with self.session.live_match.for_request(request):
                    self.session.do(command)
            self._version += 1
            self._changed.notify_all()

    def snapshot(self):
        state = self.session.table
        return Snapshot(
            self._version, state.situation, state.message, LAMP,
            match=state.match, other_tray=self.shared.view(),
        )  # fmt: skip

    def wait(self, after, timeout_s):
        with self._changed:
            self._changed.wait_for(lambda: self._version > after, timeout_s)
            return self.snapshot() if self._version > after else None

    @property
    def match(self):
        return self.session.table.match

    @property
    def is_elsewhere(self):
        return self.session.table.is_elsewhere

    def entries(self):
        """Return the entries of the match played last, in the form in which both journals must contain them."""
        newest = self.history.newest()
        return (
            comparable_entries(newest[1], self.history.match_entries(newest[0])) if newest else ()
        )


@contextmanager
def open_table(folder, **options):
    folder.mkdir(exist_ok=True)
    with closing(SharedTable(folder, **options)) as table:
        yield table
