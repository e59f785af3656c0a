"""What is still known of a journal that was damaged: from backups, its file, its trace, memory."""

from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from device.storage.backup import Backup
from device.storage.daily_backup import Backups
from game.journal import trace
from game.journal.entry import Row
from game.journal.salvage import Salvaged, salvage_file
from game.journal.trace import SUFFIX, Keys, Requests, rows_by_position


@dataclass(frozen=True, slots=True)
class KnownSteps:
    """A backup, and the steps that came after it.

    Attributes:
        good: the newest that holds and belongs to the journal; None where there is none.
        rows: later steps, in order.
        keys: of the matches that begin in them.
        requests: that asked for them.
        identity: of the journal.
    """

    good: Backup | None
    rows: tuple[Row, ...]
    keys: Keys
    requests: Requests
    identity: str


def known_steps(path: Path, aside: Path, backups: Backups, remembered: Salvaged) -> KnownSteps:
    """All of the journal that was in `path` and lies in `aside`, as far as anything knows it."""
    sources = [source for source in _sources(path, aside, remembered) if source.rows]
    if not sources:
        good = next(backups.valid(), None)
        return KnownSteps(good, (), {}, {}, good.identity if good else "")
    identity = next((source.identity for source in sources if source.identity), "")
    ours = [source for source in sources if source.identity in ("", identity)]
    ours.sort(key=lambda source: source.rows[-1][0])  # the longest truth wins
    found = tuple(rows_by_position(chain.from_iterable(source.rows for source in ours)))
    keys = dict(chain.from_iterable(source.keys.items() for source in ours))
    requests = dict(chain.from_iterable(source.requests.items() for source in ours))
    good = _base(backups, identity, found[0][0])
    after = good.position if good else 0
    later = tuple(row for row in found if row[0] > after)
    return KnownSteps(good, later, keys, requests, identity)


def _base(backups: Backups, identity: str, first: int) -> Backup | None:
    """What steps from the `first` on stand on; one of another journal only where they need one."""
    good = next(backups.valid(identity), None)
    return good or (next(backups.valid(), None) if first > 1 else None)


def _sources(path: Path, aside: Path, remembered: Salvaged) -> list[Salvaged]:
    """The one that says best which journal it was comes first."""
    traces = (path.with_suffix(SUFFIX), aside.with_suffix(SUFFIX))
    found = [salvage_file(aside), remembered, *map(_of_trace, traces)]
    if any(source.rows for source in found):
        return found
    return [source for one in damaged_earlier(path) for source in _kept(one)]


def _kept(aside: Path) -> list[Salvaged]:
    return [salvage_file(aside), _of_trace(aside.with_suffix(SUFFIX))]


def _of_trace(path: Path) -> Salvaged:
    found = trace.read(path)
    return Salvaged(found.identity, found.rows, found.keys, found.requests) if found else Salvaged()


def damaged_earlier(path: Path) -> list[Path]:
    """Damaged journals of former days, the newest first; of one that was gone there may be but the trace."""
    found = path.parent.glob(f"{path.stem}-damaged-*")
    whole = {one.with_suffix(path.suffix) for one in found if one.suffix in (path.suffix, SUFFIX)}
    return sorted(whole, key=_number, reverse=True)


def _number(path: Path) -> int:
    digits = path.stem.rpartition("-")[2]
    return int(digits) if digits.isascii() and digits.isdigit() else 0
