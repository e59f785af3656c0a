import pytest

from device.cameras import SimulatedTray


class Clock:
    """A clock that goes on when told to."""

    def __init__(self):
        self.now_s = 100.0

    def __call__(self):
        return self.now_s


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def tray(clock):
    return SimulatedTray(seed=1, clock=clock)


@pytest.fixture
def rest(tray, clock):
    """Let a second and a bit go by: thrown dice lie then."""

    def pass_time():
        clock.now_s += 1.1
        return tray.lying

    return pass_time
