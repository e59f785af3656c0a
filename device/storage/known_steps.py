"""The steps of a damaged journal that are still known, from backups, the damaged file, its trace and memory.

The trace is the text file next to the journal that contains a second copy of every step.
"""

from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from device.storage.backup import Backup
from device.storage.daily_backup import Backups, number_of
from game.journal import trace
from game.journal.entry import Row
from game.journal.salvage import Salvaged, salvage_file
from game.journal.trace import SUFFIX, Keys, Requests, rows_by_position


@dataclass(frozen=True, slots=True)
class KnownSteps:
    """The steps of a damaged journal that are still known: a backup, and the later steps.

    Attributes:
        good: The newest valid backup of the journal; None if there is none.
        rows: The later steps, in order.
        keys: Unique ids of the matches that begin in the known steps, by match number.
        requests: Ids of the phones' requests that caused these steps.
        identity: Id of the journal; "" if it is lost.
    """

    good: Backup | None
    rows: tuple[Row, ...]
    keys: Keys
    requests: Requests
    identity: str


def known_steps(path: Path, aside: Path, backups: Backups, remembered: Salvaged) -> KnownSteps:
    """Collect the steps of a damaged journal from every source.

    Args:
        path: Original path of the journal.
        aside: Path to which the damaged file has been moved.
        backups: The automatic backups in the state folder.
        remembered: The steps that the running program still has in memory.
    """
    sources = [source for source in _sources(path, aside, remembered) if source.rows]
    if not sources:
        good = next(backups.valid(), None)
        return KnownSteps(good, (), {}, {}, good.identity if good else "")
    identity = next((source.identity for source in sources if source.identity), "")
    ours = [source for source in sources if source.identity in ("", identity)]
    ours.sort(key=lambda source: source.rows[-1][0])  # where sources differ, the longest one wins
    found = tuple(rows_by_position(chain.from_iterable(source.rows for source in ours)))
    keys = dict(chain.from_iterable(source.keys.items() for source in ours))
    requests = dict(chain.from_iterable(source.requests.items() for source in ours))
    good = _base(backups, identity, found[0][0])
    after = good.position if good else 0
    later = tuple(row for row in found if row[0] > after)
    return KnownSteps(good, later, keys, requests, identity)


def _base(backups: Backups, identity: str, first: int) -> Backup | None:
    """Return the newest backup to which the known steps, beginning at position `first`, can be added.

    A backup of another journal is used only if there is no backup of this journal and the first steps are missing.
    """
    good = next(backups.valid(identity), None)
    return good or (next(backups.valid(), None) if first > 1 else None)


def _sources(path: Path, aside: Path, remembered: Salvaged) -> list[Salvaged]:
    """Return what each source still knows, beginning with the source that identifies the journal most reliably."""
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
    """Return the paths of damaged journals that were set aside earlier, newest first.

    If a journal was missing, there may be only its trace, the second copy of its steps.
    """
    found = path.parent.glob(f"{path.stem}-damaged-*")
    whole = {one.with_suffix(path.suffix) for one in found if one.suffix in (path.suffix, SUFFIX)}
    return sorted(whole, key=number_of, reverse=True)
