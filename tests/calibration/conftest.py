import pytest

from calibration.outline import Outline
from calibration.profile import DiceSet, HeldControls, Mat, Profile
from device.cameras.simulated.tray import SimulatedTray


@pytest.fixture
def profile() -> Profile:
    """One with everything in it."""
    return Profile(
        camera="Kamera «1»",
        made="2026-11-20T18:00:00+00:00",
        tray=Outline(((0.2, 0.1), (0.8, 0.12), (0.79, 0.9), (0.21, 0.88))),
        aside=Outline(((0.85, 0.1), (0.98, 0.1), (0.98, 0.9), (0.85, 0.9))),
        level=0.4,
        sides=((0.1, -2.0), (0.2, 1.0), (0.0, 0.5), (3.0, 0.25)),
        held=HeldControls(3.3, 10_000, 2.5, 1.8, 1.4, None),
        dice=DiceSet(0.08, 0.03, (90.0, 0.0, 5.0), (10.0, 1.0, -1.0), 4.0, 12),
        mat=Mat(250.0, 170.0, (-0.1, 0.02), 1.0),
    )


@pytest.fixture(scope="session")
def tray():
    """A simulated tray with six dice in it."""
    tray = SimulatedTray(seed=3, roll_s=0.0)
    tray.throw_all([1, 2, 3, 4, 5, 6])
    return tray


@pytest.fixture(scope="session")
def picture(tray):
    return tray.capture().image


@pytest.fixture(scope="session")
def empty():
    return SimulatedTray(seed=3, roll_s=0.0).capture().image
