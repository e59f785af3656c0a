"""What tests of more than one room need."""

import pytest

from tests.clock import Clock


@pytest.fixture
def clock():
    return Clock()
