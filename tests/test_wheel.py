"""The built wheel, installed outside the checkout."""

import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.slow
@pytest.mark.long
def test_the_wheel_has_its_data_and_runs_outside_the_checkout(tmp_path):
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    subprocess.run(
        [*pip, "wheel", "--no-deps", "--wheel-dir", str(tmp_path), str(ROOT)], check=True
    )
    (wheel,) = tmp_path.glob("*.whl")
    home = tmp_path / "venv"
    venv.create(home, with_pip=False)
    (site,) = home.glob("lib/*/site-packages")
    here = Path(next(p for p in sys.path if p.endswith("site-packages")))
    (site / "others.pth").write_text(f"{here}\n")
    target = ["--no-deps", "--target", str(site), str(wheel)]
    subprocess.run([*pip, "install", *target], check=True)
    code = (
        "import game, web, vision, sys\n"
        "assert game.__file__.startswith(sys.argv[1]), game.__file__\n"
        "from device.cli import main\n"
        "main(['keeps', '1', '1', '3', '3', '3', '5'])\n"
    )
    python = home / "bin" / "python"
    done = subprocess.run(
        [python, "-I", "-c", code, str(site)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )

    assert "550" in done.stdout
    assert not (site / "bench").exists()
