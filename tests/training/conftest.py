"""A small library of simulated throws for the tests of training."""

import importlib.util

import pytest

MISSING = [name for name in ("numba", "mujoco") if importlib.util.find_spec(name) is None]
ANYWHERE = ("test_curves.py", "test_teach_all.py")
"""Files with tests that run without the packages that training needs."""


def pytest_collection_modifyitems(items):
    """Skip the tests of training if a package that training needs is missing."""
    if MISSING:
        skip = pytest.mark.skip(
            reason=f"training needs {' and '.join(MISSING)}: see training/README.md"
        )
        for item in items:
            if "tests/training" in str(item.path) and item.path.name not in ANYWHERE:
                item.add_marker(skip)


@pytest.fixture(scope="session")
def rests():
    """Return a library of a few simulated throws: tables, with few dice, and fields, with dozens."""
    from training.scenes.throws.rest_library import group_rests, make_rest

    found = (make_rest(seed, kept_out=False, field_share=0.15) for seed in range(40))
    return group_rests([rest for rest in found if rest is not None])
