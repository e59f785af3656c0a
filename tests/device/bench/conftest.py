"""What the tests of the benchmarks need."""

import pytest


@pytest.fixture(scope="module", autouse=True)
def _answers_remembered():
    """Run the networks for every input, because benchmarks time them."""
