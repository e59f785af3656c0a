import pytest

from device.cameras import SimulatedTray


@pytest.fixture
def tray(clock):
    return SimulatedTray(seed=1, clock=clock)


@pytest.fixture
def rest(tray, clock):
    """Let a second and a bit go by: thrown dice lie then."""

    def pass_time():
        clock.now_s += 1.1
        return tray.visible_dice

    return pass_time
