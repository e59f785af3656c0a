"""Kills and power cuts at every moment: each confirmed step is there once, and nothing else is."""

import os
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests.campaigns.account import Account, read_again
from tests.campaigns.playing import TOLD
from tests.campaigns.power import Deed, Disk, deeds, witness
from tests.campaigns.size import count

ROOT = Path(__file__).parents[2]


def python(*words, **environ):
    done = subprocess.run(
        [sys.executable, "-m", *map(str, words)],
        cwd=ROOT,
        env=os.environ | {key: str(value) for key, value in environ.items()},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.long
@pytest.mark.campaign
@pytest.mark.timeout(3600)
def test_no_confirmed_step_is_lost_by_a_kill_at_any_moment(tmp_path):
    said = python("tests.campaigns.killing", tmp_path, count(15, 2000), 7)

    print(f"\n{said}", end="")
    assert "0 lost, 0 twice, 0 invented" in said


@pytest.fixture
def watched(tmp_path):
    """Plays an evening; gives all that was done to the disk meanwhile."""

    def watched(steps, seed, *more):
        folder, log = tmp_path / "state", tmp_path / "log"
        folder.mkdir()
        python(
            *("tests.campaigns.playing", folder, steps, seed, *more),
            LD_PRELOAD=witness(tmp_path),
            WITNESS_ROOT=folder,
            WITNESS_LOG=log,
        )
        return list(deeds(log))

    return watched


def cut_everywhere(done: list[Deed], cuts: int, seed: int) -> tuple[int, int]:
    """Cut the power at so many moments; gives the steps told by the end, and those found untold."""
    rng = random.Random(seed)
    moments = sorted(rng.choices(range(len(done) + 1), k=cuts))
    disk, account, more, at = Disk(), Account(), 0, 0
    with tempfile.TemporaryDirectory(dir="/dev/shm") as memory:
        for number, moment in enumerate(moments):
            for deed in done[at:moment]:
                if Path(deed.path).name == TOLD:
                    _note(account, deed)
                else:
                    disk.take(deed)
            at = moment
            folder = Path(memory) / str(number)
            folder.mkdir()
            disk.cut(folder, rng)
            more += account.check(read_again(folder))
            shutil.rmtree(folder)
    return len(account.order), more


def _note(account: Account, deed: Deed) -> None:
    if deed.kind == "w":
        word, match_id = deed.data.split()
        account.note(word.decode(), int(match_id))


@pytest.mark.long
@pytest.mark.campaign
@pytest.mark.timeout(3600)
def test_no_confirmed_step_is_lost_by_a_power_cut_at_any_moment(watched):
    cuts = count(60, 2000)
    told, more = cut_everywhere(watched(count(400, 1500), seed=3), cuts, seed=5)

    print(f"\n{cuts} power cuts over {told} steps, {more} written but not told, 0 lost, 0 invented")
    assert told > 200


@pytest.mark.long
@pytest.mark.campaign
def test_a_journal_that_does_not_sync_would_be_noticed(watched):
    done = watched(150, 3, "NORMAL")
    with pytest.raises(AssertionError, match="there"):
        cut_everywhere(done, 200, seed=5)
