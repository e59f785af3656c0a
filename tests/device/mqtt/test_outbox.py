"""Files with the broker's progress that have been damaged or changed."""

import pytest

from device.mqtt import publisher
from device.mqtt.publisher import PROGRESS_FILE, FormerTrays, Progress


def test_progress_reads_back(tmp_path):
    progress = Progress("mqtt://h", "t1", match="m", seq=3, chain="c")
    progress.write(tmp_path / PROGRESS_FILE)

    assert Progress.read(tmp_path / PROGRESS_FILE) == progress
    assert [each.name for each in tmp_path.iterdir()] == [PROGRESS_FILE]


@pytest.mark.parametrize("broken", ["", "[]", '{"x": 1}', "\udcff", "[" * 100_000])
def test_a_damaged_file_counts_as_none(tmp_path, broken):
    for name in (PROGRESS_FILE, publisher.PROGRESS_FILE):
        (tmp_path / name).write_bytes(broken.encode("utf-8", "surrogateescape"))

    assert Progress.read(tmp_path / PROGRESS_FILE) is None
    assert list(FormerTrays(tmp_path / publisher.PROGRESS_FILE)._trays) == []
