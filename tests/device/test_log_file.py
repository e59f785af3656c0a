"""The log file in the state folder, which a power cut does not erase."""

import logging
import subprocess
import sys
from threading import Thread

import pytest

from device import log_file
from device.log_file import keep_log


def text_of(folder):
    return "".join(path.read_text() for path in log_file.files(folder))


def test_starts_stops_and_warnings_are_kept(tmp_path):
    with keep_log(tmp_path):
        logging.getLogger("device.camera").warning("the camera is gone")
    lines = text_of(tmp_path).splitlines()

    assert [line.split(maxsplit=3)[2] for line in lines] == ["INFO", "WARNING", "INFO"]
    assert "started, version" in lines[0]
    assert lines[1].endswith("WARNING device.camera: the camera is gone")
    assert lines[2].endswith("stopped")


def test_an_error_that_ends_the_program_is_kept(tmp_path):
    with pytest.raises(RuntimeError), keep_log(tmp_path):
        raise RuntimeError("the lamp is on fire")

    assert "RuntimeError: the lamp is on fire" in text_of(tmp_path)
    assert not text_of(tmp_path).endswith("stopped\n")


def test_an_error_that_ends_a_thread_is_kept(tmp_path):
    with keep_log(tmp_path):
        thread = Thread(target=lambda: 1 / 0, name="watch")
        thread.start()
        thread.join()

    assert "the thread watch ended with an error" in text_of(tmp_path)
    assert "ZeroDivisionError" in text_of(tmp_path)


def test_the_stack_of_a_crash_in_a_library_is_kept(tmp_path):
    crash = (
        "import sys, ctypes; from pathlib import Path; from device.log_file import keep_log\n"
        "with keep_log(Path(sys.argv[1])): ctypes.string_at(0)"
    )
    subprocess.run([sys.executable, "-c", crash, str(tmp_path)], check=False)

    assert "Fatal Python error: Segmentation fault" in text_of(tmp_path)
    assert "string_at" in text_of(tmp_path)


def test_the_log_does_not_grow_without_limit(tmp_path):
    with keep_log(tmp_path):
        for _ in range(600):
            logging.getLogger("device").warning("x" * 1000)

    assert sum(path.stat().st_size for path in log_file.files(tmp_path)) < 2.1 * log_file.MAX_BYTES


def test_the_file_of_crashes_does_not_grow_without_limit(tmp_path):
    crashes, old = tmp_path / log_file.CRASHES, tmp_path / f"{log_file.CRASHES}.1"
    for number in range(3):
        with crashes.open("ab") as file:
            file.write(b"%d" % number * log_file.MAX_BYTES)
        with keep_log(tmp_path):
            assert crashes.stat().st_size <= log_file.MAX_BYTES
        crashes.write_bytes(b"x")

    assert old.read_bytes() == b"x" + b"2" * log_file.MAX_BYTES
    assert old in log_file.files(tmp_path)


def test_a_folder_that_cannot_be_written_does_not_prevent_a_match(tmp_path, caplog):
    with keep_log(tmp_path / "gone"):
        pass

    assert "the log cannot be written (No such file or directory)" in caplog.text
