"""Whatever call fails, or is the last one: nothing told is lost, and damage is told."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.campaigns.size import count

HERE = Path(__file__).parent
WAYS = ("write", "rescue", "backup", "restore", "checkpoint")
GOOD = re.compile(r"(\w+): \d+ calls, \d+ faults, .*: 0 lost, 0 untold, 0 twice, 0 tracebacks")


@pytest.fixture(scope="session")
def faults(tmp_path_factory):
    """The library that makes calls fail."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler: apt install gcc")
    library = tmp_path_factory.mktemp("faults") / "faults.so"
    command = [compiler, "-shared", "-fPIC", "-O1", "-o", library, HERE / "faults.c", "-ldl"]
    subprocess.run(command, check=True)
    return library


@pytest.mark.long
@pytest.mark.campaign
@pytest.mark.timeout(7200)
def test_no_confirmed_step_is_lost_if_any_file_call_fails_or_kills(faults, tmp_path):
    most = count(10, 1_000_000)
    done = subprocess.run(
        [sys.executable, "-m", "tests.campaigns.failing", tmp_path, str(most), "9"],
        cwd=HERE.parents[1],
        env=os.environ | {"LD_PRELOAD": str(faults), "FAULT_ROOT": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    print(f"\n{done.stdout}", end="")

    assert done.returncode == 0, done.stderr
    assert tuple(GOOD.findall(done.stdout)) == WAYS, done.stdout
