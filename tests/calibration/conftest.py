import pytest

from tests.handled_tray import HandledTray


@pytest.fixture(scope="session")
def tray():
    """Return a simulated tray with six dice in it."""
    tray = HandledTray(seed=3, roll_s=0.0)
    tray.throw_all([1, 2, 3, 4, 5, 6])
    return tray


@pytest.fixture(scope="session")
def picture(tray):
    return tray.capture().image


@pytest.fixture(scope="session")
def empty():
    return HandledTray(seed=3, roll_s=0.0).capture().image
