"""Ctrl-C at any moment of a start: one line, exit code 130."""

import signal
import subprocess
import sys

import pytest

PRESS = """
import os, signal, sys

def press():
    os.kill(os.getpid(), signal.SIGINT)

class PressAtImport:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            press()

def press_in(frame, event, arg):
    if event == "call" and frame.f_code.co_name == {function!r} and "/device/" in frame.f_code.co_filename:
        sys.setprofile(None)
        press()

signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job ignores Ctrl-C
sys.meta_path.insert(0, PressAtImport())
if {function!r}:
    sys.setprofile(press_in)
{before}
from device.cli import entry_point
sys.argv = ["traykeeper", "play", "--camera", "sim", "--port", "0", "--host", "127.0.0.1", "--state", {state!r}]
entry_point()
"""


def start(state, module="", function="", before=""):
    """Start the companion, and press Ctrl-C when it imports a module or calls a function."""
    program = PRESS.format(module=module, function=function, state=str(state), before=before)
    return subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=False
    )


@pytest.mark.parametrize(
    "module", ["click", "device.files", "device.commands.play", "numpy", "cv2", "flask", "gpiozero"]
)
def test_ctrl_c_during_an_import_is_one_line(tmp_path, module):
    done = start(tmp_path, module=module)

    assert (done.returncode, done.stdout, done.stderr) == (130, "", "stopped\n")


@pytest.mark.parametrize("function", ["run", "open_maintenance", "_camera", "start", "announce"])
def test_ctrl_c_while_the_companion_starts_is_one_line(tmp_path, function):
    done = start(tmp_path / "state", function=function)

    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr.strip() == "stopped"


def test_ctrl_c_after_the_greeting_stops_the_companion_in_order(tmp_path):
    done = start(tmp_path, function="_is_logged")

    assert done.returncode == 0
    assert done.stdout.endswith("Stopped. The match is saved and continues at the next start.\n")
    assert done.stderr == ""


WAITING = """
import sys, threading

class Unwound:
    def __del__(self):
        print("Python was shut down")

kept = Unwound()
if {is_left!r}:
    threading.Thread(target=threading.Event().wait, daemon=True).start()
from device.cli import entry_point
sys.argv = ["traykeeper", "settings", "--get", {name!r}, "/dev/null"]
entry_point()
"""


@pytest.mark.parametrize(("name", "code"), [("port", 0), ("prot", 2)])
def test_a_thread_that_still_waits_in_a_library_is_left_behind_at_the_end(name, code):
    """Otherwise OpenCV would abort the process if a network camera answers at this moment."""
    ends = [
        subprocess.run(
            [sys.executable, "-c", WAITING.format(is_left=is_left, name=name)],
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        for is_left in (True, False)
    ]

    assert [done.returncode for done in ends] == [code, code]
    assert ends[1].stdout == ends[0].stdout + "Python was shut down\n"
    assert ends[1].stderr == ends[0].stderr


def test_a_start_that_ignores_ctrl_c_continues(tmp_path):
    """A shell starts background jobs like this."""
    ignored = "signal.signal(signal.SIGINT, signal.SIG_IGN)"
    done = start(tmp_path / "x", module="cv2", before=ignored + "\nsys.modules['segno'] = None")

    assert done.returncode not in (130, -signal.SIGINT)
    assert "stopped" not in done.stderr
