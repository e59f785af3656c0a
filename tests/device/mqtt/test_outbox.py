"""How far the broker had it stands in a small file, which anything may have happened to."""

import pytest

from device.mqtt.farewells import LEFT_FILE, Farewells
from device.mqtt.outbox import FILE, Note


def test_a_note_reads_back(tmp_path):
    note = Note("mqtt://h", "t1", match="m", seq=3, chain="c")
    note.write(tmp_path / FILE)

    assert Note.read(tmp_path / FILE) == note
    assert [each.name for each in tmp_path.iterdir()] == [FILE]


@pytest.mark.parametrize("broken", ["", "[]", '{"x": 1}', "\udcff", "[" * 100_000])
def test_a_broken_note_is_as_none(tmp_path, broken):
    for name in (FILE, LEFT_FILE):
        (tmp_path / name).write_bytes(broken.encode("utf-8", "surrogateescape"))

    assert Note.read(tmp_path / FILE) is None
    assert list(Farewells(tmp_path / LEFT_FILE)._open) == []
