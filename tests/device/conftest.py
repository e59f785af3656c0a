import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from game.commands import StartMatch
from tests import remembered_answers
from tests.device.rig import Rig, open_rig
from tests.patient_parts import patient_parts
from vision import networks


@pytest.fixture(scope="module", autouse=True)
def _answers_remembered():
    """Answer the frames that the simulated tray shows in many tests from memory, which saves a quarter of the time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(networks, "_load", remembered_answers.load)
        yield


@pytest.fixture(scope="session", autouse=True)
def _patient_parts():
    with patient_parts():
        yield


@pytest.fixture
def rig(tmp_path) -> Iterator[Rig]:
    """A table without a match."""
    with open_rig(tmp_path) as rig:
        yield rig


@pytest.fixture
def match_rig(rig) -> Rig:
    """Anna and Ben are about to begin."""
    rig.companion.do(StartMatch(("Anna", "Ben")))
    return rig


@pytest.fixture
def other_users_folder(public_folder) -> Path:
    """A folder that belongs to another user; only root can create one."""
    if os.geteuid() != 0:
        pytest.skip("needs root")
    folder = public_folder / "state"
    folder.mkdir()
    os.chown(folder, 1234, 1234)
    return folder


@pytest.fixture
def root_only_file(public_folder) -> Path:
    """A file that only root can read."""
    path = public_folder / "secret"
    path.write_text("root's")
    path.chmod(0o600)
    return path


@pytest.fixture
def in_1970(monkeypatch):
    """The date of a Pi whose clock was never set."""
    monkeypatch.setattr(time, "localtime", lambda *_: time.gmtime(12.0))
