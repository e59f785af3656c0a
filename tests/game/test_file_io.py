"""Which files may be read."""

import os
from pathlib import Path
from threading import Thread

import pytest

from game.file_io import open_readable, read_bounded, write_atomically


def test_a_pipe_filled_by_a_shell_is_read_to_its_end():
    out, into = os.pipe()

    def fill():
        with os.fdopen(into, "wb") as pipe:
            pipe.write(b"1 1 5")

    Thread(target=fill).start()
    with open_readable(Path(f"/dev/fd/{out}")) as file:
        assert file.read() == b"1 1 5"
    os.close(out)


def test_a_named_pipe_is_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe")

    with pytest.raises(OSError, match="a device or a pipe"):
        open_readable(tmp_path / "pipe")


def test_a_device_is_only_read_by_a_caller_that_limits_the_size():
    with open_readable(Path("/dev/zero")) as file:
        assert file.read(3) == bytes(3)
    with pytest.raises(OSError, match="a device or a pipe"):
        read_bounded(Path("/dev/zero"), 3)


def test_a_file_that_was_written_is_closed_with_its_folder(tmp_path):
    before = len(list(Path("/proc/self/fd").iterdir()))
    write_atomically(tmp_path / "file", "text")

    assert len(list(Path("/proc/self/fd").iterdir())) == before
