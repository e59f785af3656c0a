"""Worlds to look at, from a handful of throws made here."""

import importlib.util

import pytest

MISSING = [name for name in ("numba", "mujoco") if importlib.util.find_spec(name) is None]
ANYWHERE = ("test_curves.py", "test_teach_all.py")
"""They ask for files and programs alone."""


def pytest_collection_modifyitems(items):
    """Teaching has an environment of its own; elsewhere its tests are skipped."""
    if MISSING:
        skip = pytest.mark.skip(
            reason=f"teaching needs {' and '.join(MISSING)}: see training/README.md"
        )
        for item in items:
            if "tests/training" in str(item.path) and item.path.name not in ANYWHERE:
                item.add_marker(skip)


@pytest.fixture(scope="session")
def rests():
    """A library of a few tables and fields."""
    from training.scenes.throws.rest_library import library, made

    found = (made(seed, kept_out=False, field_share=0.15) for seed in range(40))
    return library([rest for rest in found if rest is not None])
