"""The folder of labelled pictures."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def pictures() -> Path:
    """Return the folder of real and rendered pictures with labels."""
    folder = Path(os.environ.get("TRAYKEEPER_PICTURES", ""))
    if not (folder / "photos" / "labels.jsonl").is_file():
        pytest.skip("no pictures: set TRAYKEEPER_PICTURES to the folder of photos/ and renders/")
    return folder
