"""picamera2 over libcamera's virtual camera, and every test on Python 3.13, in trixie's own world.

They run in a folder with Debian trixie: `chroot.sh` makes it, `inside.sh` runs a command there.
"""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
PROJECT = HERE.parents[1]
NEEDS_DISPLAY = (
    "tests/systemd/test_install.py::test_the_check_finds_nothing_missing_after_an_install"
)
"""It imports picamera2, which needs the Pi's display library; only the checks of the camera have a stand-in for it."""

CHECKS = "tests/virtual_pi/camera_checks.py"
FOLDER = Path(os.environ.get("TRAYKEEPER_CHROOT", "/var/cache/traykeeper/trixie"))


@pytest.fixture(scope="module")
def trixie():
    if os.geteuid() != 0:
        pytest.skip("a chroot needs root: sudo make test-pi")
    if shutil.which("debootstrap") is None:
        pytest.skip("debootstrap is missing: sudo apt install debootstrap")
    FOLDER.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run([HERE / "chroot.sh", FOLDER], check=True)

    def run(*command):
        return subprocess.run(
            [HERE / "inside.sh", FOLDER, *command], check=False, capture_output=True, text=True
        )

    return run


@pytest.mark.timeout(1200)
def test_our_camera_works_with_the_real_picamera2_and_libcamera(trixie):
    """Report each check of `camera_checks.py`."""
    # picamera2 leaves pipes open; pytest would tell of them at its very end.
    quiet = ("-W", "ignore::ResourceWarning", "-p", "no:unraisableexception")
    done = trixie("python", "-m", "pytest", "-q", "-p", "no:cacheprovider", *quiet, CHECKS)

    assert done.returncode == 0, done.stdout[-4000:]


@pytest.mark.timeout(3600)
def test_every_test_passes_on_python_3_13(trixie):
    """Run two workers as in `make test`; tests on labelled pictures are skipped."""
    command = ("python", "-m", "pytest", "-q", "-n", "2", "-p", "no:cacheprovider")
    done = trixie(*command, "-m", "not slow", "--deselect", NEEDS_DISPLAY)
    file, _, name = NEEDS_DISPLAY.rpartition("::")

    assert f"def {name}(" in (PROJECT / file).read_text("utf-8")
    assert done.returncode == 0, done.stdout[-4000:]
