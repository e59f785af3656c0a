"""Solved matches on the disk: those installed with the program, and those solved on this computer.

This is the only module of the odds that reads or writes files. A table of chances is found by the
digest of its rules and target, so it is never used for other rules. A file that is
damaged, or has another number of positions than the match, counts as missing.
"""

import io
import zipfile
import zlib
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

import numpy as np

from game.errors import OddsError
from game.file_io import write_atomically
from game.odds.compiled_rules import Floats
from game.odds.match_odds import MatchOdds, rules_digest
from game.odds.rounds_odds import RoundsOdds
from game.rules.ruleset import Ruleset

_UNITS = 2**24
"""Chances are stored as whole multiples of 1 / _UNITS, which is about 0.00000006."""

_UNSOLVED = -1


@dataclass(frozen=True, slots=True)
class TableStore:
    """Solved matches in a folder, together with those that are installed with the program."""

    folder: Path

    def find(self, rules: Ruleset, target: int | None = None) -> MatchOdds | None:
        """Return the stored odds of a match, which may be incomplete, or None if there are none.

        Args:
            rules: The rules.
            target: Points to play for. None means the target given in the rules.
        """
        target = target or rules.target
        key = rules_digest(rules, target)
        try:
            data = _installed_table(key) or self._path(key).read_bytes()
            wins = solution_type(rules)(rules, target, _unpack(data))
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error):
            return None
        return wins if wins.has_right_shape else None

    def begin(self, rules: Ruleset, target: int | None = None) -> MatchOdds:
        """Return the stored odds of a match or, if there are none, new odds that still have to be worked out.

        Args:
            rules: The rules.
            target: Points to play for. None means the target given in the rules.

        Raises:
            OddsError: If the match cannot be solved.
        """
        return self.find(rules, target) or solution_type(rules).unsolved(
            rules, target or rules.target
        )

    def save(self, wins: MatchOdds) -> Path:
        """Save the chances that are known so far, and return the path of the file.

        Programs that read the file at the same time see the old or the new content, never a
        mixture.

        Raises:
            OddsError: If the file cannot be written.
        """
        path = self._path(rules_digest(wins.rules, wins.target))
        try:
            write_atomically(path, pack(wins.chances))
        except OSError as error:
            raise OddsError(
                "%(file)s: the file cannot be written (%(why)s)",
                file=str(path),
                why=str(error.strerror),
            ) from None
        return path

    def _path(self, key: str) -> Path:
        return self.folder / f"{key}.npz"


def solution_type(rules: Ruleset) -> type[MatchOdds]:
    """Return the kind of solution of a match: one by scores, or one by the turns that are left."""
    return RoundsOdds if rules.rounds else MatchOdds


def _installed_table(key: str) -> bytes | None:
    tables = resources.files("game").joinpath("odds", "tables")
    for file in tables.iterdir() if tables.is_dir() else ():
        if file.name.endswith(f"{key}.npz"):
            return file.read_bytes()
    return None


def pack(chances: Floats) -> bytes:
    """Return chances as compressed bytes.

    Neighbouring chances are similar, so only the differences along both axes are stored.
    """
    whole = np.where(np.isnan(chances), _UNSOLVED, np.rint(np.nan_to_num(chances) * _UNITS))
    change = np.diff(np.diff(whole.astype(np.int64), axis=1, prepend=0), axis=2, prepend=0)
    unsigned = np.where(change < 0, -2 * change - 1, 2 * change).astype("<u4")
    planes = unsigned.reshape(-1, 1).view(np.uint8).T
    file = io.BytesIO()
    np.savez_compressed(file, planes=np.ascontiguousarray(planes), shape=np.array(chances.shape))
    return file.getvalue()


def _unpack(data: bytes) -> Floats:
    with np.load(io.BytesIO(data), allow_pickle=False) as file:
        planes, shape = file["planes"], tuple(int(n) for n in file["shape"])
    unsigned = np.ascontiguousarray(planes.T).view("<u4").astype(np.int64).reshape(shape)
    change = np.where(unsigned % 2, -(unsigned + 1) // 2, unsigned // 2)
    whole = change.cumsum(axis=1).cumsum(axis=2)
    return np.where(whole == _UNSOLVED, np.nan, whole / _UNITS)
