from collections.abc import Iterator

import pytest

from game.commands import StartMatch
from tests.device.rig import Rig, open_rig


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
