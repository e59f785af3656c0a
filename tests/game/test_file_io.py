"""What may be read as a file."""

import os
from pathlib import Path
from threading import Thread

import pytest

from game.file_io import open_readable, read_bounded


def test_what_a_shell_hands_over_is_read_to_its_end():
    out, into = os.pipe()

    def fill():
        with os.fdopen(into, "wb") as pipe:
            pipe.write(b"1 1 5")

    Thread(target=fill).start()
    with open_readable(Path(f"/dev/fd/{out}")) as file:
        assert file.read() == b"1 1 5"
    os.close(out)


def test_a_pipe_that_nobody_may_ever_fill_is_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe")

    with pytest.raises(OSError, match="a device or a pipe"):
        open_readable(tmp_path / "pipe")


def test_a_device_has_no_end_and_is_read_only_by_who_bounds_it():
    with open_readable(Path("/dev/zero")) as file:
        assert file.read(3) == bytes(3)
    with pytest.raises(OSError, match="a device or a pipe"):
        read_bounded(Path("/dev/zero"), 3)
