"""Raspberry Pi OS bookworm has OpenCV 4: the networks must load there and give the same results."""

import json
import os
import re
import shutil
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration import tray_finder
from device.cameras.simulated.tray_geometry import LOOKS
from tests.vision.painted import Put, photograph

ROOT = Path(__file__).parents[1]
BOOKWORM = ROOT / "constraints-bookworm.txt"
ASKED = """
import json, sys, cv2
from calibration import tray_finder
from vision import read
image = cv2.imread(sys.argv[1])
found = tray_finder.find_tray([image])
values = sorted(die.value for die in read(image).dice)
print(json.dumps([cv2.__version__, values, found.tray.corners]))
"""


def lower_bound(package):
    found = re.search(rf'"{package}>=([\d.]+)[",]', (ROOT / "pyproject.toml").read_text("utf-8"))
    assert found
    return f"{package}=={found[1]}.*"


@pytest.fixture
def packages(request, wanted):
    """Return the folder of packages for it, which is kept for the next run."""
    asked = f"{wanted} {sys.version} {BOOKWORM.read_text('utf-8')}"
    kept = request.config.cache.mkdir("old_opencv") / sha256(asked.encode()).hexdigest()[:16]
    if not kept.exists():
        new = kept.with_suffix(".new")
        shutil.rmtree(new, ignore_errors=True)
        pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "install"]
        bookworm = ["--constraint", BOOKWORM, "--no-compile"]
        subprocess.run([*pip, *bookworm, "--target", new, wanted], check=True)
        new.rename(kept)
    return kept


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.skipif(sys.version_info >= (3, 13), reason="numpy 1 has no wheel for Python 3.13")
@pytest.mark.parametrize(
    "wanted", [lower_bound("opencv-python-headless"), "opencv-python-headless"]
)
def test_the_opencv_of_bookworm_reads_like_the_newest(tmp_path, packages):
    shot = photograph([Put(2, -40, 20), Put(5, 10, -20, 30), Put(6, 60, 10)], LOOKS["green"])
    picture = tmp_path / "throw.png"
    cv2.imwrite(str(picture), shot.image)

    done = subprocess.run(
        [sys.executable, "-S", "-c", ASKED, picture],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": f"{packages}:{ROOT}"},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    version, values, corners = json.loads(done.stdout)

    assert version.startswith("4.")
    assert tuple(values) == shot.values
    assert np.allclose(corners, tray_finder.find_tray([shot.image]).tray.corners, atol=0.002)
