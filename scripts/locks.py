"""Update the lists of packages, with hashes, that the installer installs: `make locks`.

There is one file in `systemd/locks` for each supported system. Packages without a wheel are refused,
because nothing is compiled on a Pi. docs/decisions/locks.md explains the choice of the tool.
"""

import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[1]
LOCKS = ROOT / "systemd" / "locks"
ARCHITECTURES = ("aarch64", "x86_64")
HEAD = "# Made by `make locks`; the install uses exactly these packages.\n"


@dataclass(frozen=True)
class Release:
    """A release of Debian.

    Attributes:
        codename: Codename of the release, such as "trixie".
        python: Version of its Python.
        manylinux: Newest platform tag of wheels that its C library supports.
    """

    codename: str
    python: str
    manylinux: str

    @property
    def constraints(self) -> tuple[str, ...]:
        """The command-line option for the constraints file of this release, or nothing if there is none."""
        file = f"constraints-{self.codename}.txt"
        return ("--constraints", file) if (ROOT / file).exists() else ()


RELEASES = (
    Release("trixie", "3.13", "manylinux_2_40"),
    Release("bookworm", "3.11", "manylinux_2_36"),
)


def main() -> None:
    """Update all packages in the lists, or only those that are named on the command line."""
    names = sys.argv[1:]
    upgrade = [f"--upgrade-package={name}" for name in names] or ["--upgrade"]
    LOCKS.mkdir(exist_ok=True)
    with TemporaryDirectory() as folder:
        builder = Path(folder) / "build.in"
        builder.write_text("\n".join(_build_needs()))
        for release in RELEASES:
            for architecture in ARCHITECTURES:
                print(_write(release, architecture, builder, upgrade).relative_to(ROOT))


def _build_needs() -> list[str]:
    """Return the packages needed to build the wheel. The installer takes them from the list as well."""
    needs: list[str] = _pyproject()["build-system"]["requires"]
    return needs


def _pyproject() -> dict:
    return tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def _write(release: Release, architecture: str, builder: Path, upgrade: list[str]) -> Path:
    path = LOCKS / f"{release.codename}-{architecture}.txt"
    command = [
        *(Path(sys.executable).with_name("uv"), "pip", "compile", "--quiet", "--no-config"),
        *("pyproject.toml", builder, "--extra", "mqtt", *release.constraints),
        *("--generate-hashes", "--only-binary", ":all:", "--no-header", "--no-annotate"),
        *("--python-version", release.python),
        *("--python-platform", f"{architecture}-{release.manylinux}"),
        *("--index-url", "https://pypi.org/simple", "--output-file", path, *upgrade),
    ]
    subprocess.run(command, cwd=ROOT, check=True)
    path.write_text(HEAD + path.read_text("utf-8").removeprefix(HEAD), "utf-8")
    return path


if __name__ == "__main__":
    main()
