"""The source package of this checkout, made as `make release` makes it."""

import shutil
import subprocess
import sys
from pathlib import Path

from scripts import release

ROOT = Path(__file__).parents[1]

BUILD = Path(sys.executable).with_name("pyproject-build")


def packed(folder: Path) -> Path:
    """Build the source package in `folder`, from a copy of the committed files only."""
    checkout = folder / "checkout"
    for name in release.committed():
        (checkout / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, checkout / name)
    build = [BUILD, "--sdist", "--outdir", folder, checkout]
    subprocess.run(build, check=True, stdout=subprocess.DEVNULL)
    shutil.rmtree(checkout)
    (pack,) = folder.glob("traykeeper-*.tar.gz")
    return pack
