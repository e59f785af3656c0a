import pytest

from tests.handled_tray import HandledTray


@pytest.fixture
def tray(clock):
    return HandledTray(seed=1, clock=clock)


@pytest.fixture
def rest(tray, clock):
    """Let enough time pass for thrown dice to come to rest."""

    def pass_time():
        clock.now_s += 1.1
        return tray.visible_dice

    return pass_time
