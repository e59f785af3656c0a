"""Build a release, try it in an empty environment, and print what to upload: `make release`.

`dist/` then contains the wheel, the source package, the module for Foundry, the release notes, and SHA-256 checksums.
Foundry installs the module from the project's page, whose address is that of the remote `origin`, or the argument:
`make release ARGS=https://github.com/OWNER/traykeeper`.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import time
import tomllib
import urllib.request
import venv
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

ROOT = Path(__file__).parents[1]
DIST = ROOT / "dist"
SOURCES = {".py", ".po", ".pot"}
"""Suffixes of files that a wheel always contains, or contains in compiled form."""

CARD = "vendor-data"
BLUEPRINT = ROOT / "integrations" / "home-assistant" / "dice_tray.yaml"
MODULE = ROOT / "integrations" / "foundry"
STARTS_S = 60.0
PLAYS = """
from device.cameras import SimulatedTray
from vision import read
tray = SimulatedTray(seed=5, roll_s=0)
tray.throw_all((1, 2, 3, 4, 5, 6))
assert tuple(read(tray.capture().image, tray.tray).values) == (1, 2, 3, 4, 5, 6)
"""


class ReleaseError(Exception):
    """An error that prevents the release. The message names the reason and the remedy."""


def main() -> None:
    """Build the packages, check and try them, and print what to do next."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    version = project["version"]
    try:
        page = _page(sys.argv[1:])
        _clean_checkout()
        notes, dated = notes_of((ROOT / "CHANGELOG.md").read_text("utf-8"), version)
        wheel, source = _build(version)
        _holds_everything(wheel)
        _is_a_checkout(source)
        with TemporaryDirectory() as folder:
            _plays(Path(folder), wheel, version)
    except ReleaseError as error:
        sys.exit(f"release: {error}")
    module = foundry_module(DIST, version, page)
    (DIST / "notes.md").write_text(notes, "utf-8")
    shutil.copy(ROOT / "systemd" / "cloud-init" / CARD, DIST)
    shutil.copy(BLUEPRINT, DIST)
    sums = [
        f"{hashlib.sha256(f.read_bytes()).hexdigest()}  {f.name}" for f in (wheel, source, *module)
    ]
    (DIST / "SHA256SUMS").write_text("\n".join(sums) + "\n", "utf-8")
    _tell(version, wheel, source, module, dated=dated, page=page)


def notes_of(changelog: str, version: str) -> tuple[str, bool]:
    r"""Return the release notes of a version, and whether they have a date.

    Args:
        changelog: Text of CHANGELOG.md.
        version: The version, such as "1.1".

    >>> notes_of("# Changes\n\n## 1.1 (2026-12-01)\n\n- New.\n\n## 1.0 (2026-11-01)\n", "1.1")
    ('- New.\n', True)
    """
    found = re.search(
        rf"^## {re.escape(version)} \((.*?)\)\n(.*?)(?=^## |\Z)",
        changelog,
        re.MULTILINE | re.DOTALL,
    )
    if found is None:
        raise ReleaseError(
            f"CHANGELOG.md has no '## {version} (date)': add the notes of this version"
        )
    return found[2].strip() + "\n", re.fullmatch(r"\d{4}-\d\d-\d\d", found[1]) is not None


def foundry_module(folder: Path, version: str, page: str) -> tuple[Path, Path]:
    """Write the manifest of the module for Foundry and the archive that it names.

    The manifest is always that of the newest release, and names the archive of its own version.

    Args:
        folder: Where to write both files.
        version: Version of the module.
        page: Address of the project's page, with releases as GitHub and Forgejo have them. If it is empty, the module
            has no addresses and can only be copied.

    Returns:
        The manifest and the archive.
    """
    manifest, archive = folder / "module.json", folder / "traykeeper-foundry.zip"
    described = json.loads((MODULE / manifest.name).read_text("utf-8")) | {"version": version}
    if page:
        described |= {
            "url": page,
            "manifest": f"{page}/releases/latest/download/{manifest.name}",
            "download": f"{page}/releases/download/v{version}/{archive.name}",
        }
    manifest.write_text(json.dumps(described, indent=2) + "\n", "utf-8")
    files = {f.relative_to(MODULE): f for f in sorted(MODULE.rglob("*")) if f.is_file()}
    files |= {Path("LICENSE"): ROOT / "LICENSE", Path(manifest.name): manifest}
    with ZipFile(archive, "w", ZIP_DEFLATED) as pack:
        for name, file in files.items():
            entry = ZipInfo(name.as_posix())
            entry.external_attr = 0o644 << 16
            pack.writestr(entry, file.read_bytes(), ZIP_DEFLATED)
    return manifest, archive


def page_of(address: str) -> str:
    """Return the address of the page of a repository, or an empty string if it has none.

    A user name and a password in the address are left out.

    Args:
        address: Where git finds the repository.

    >>> page_of("git@github.com:somebody/traykeeper.git")
    'https://github.com/somebody/traykeeper'
    """
    found = re.fullmatch(
        r"(?:https://(?:[^/@]*@)?([^/@]+)|(?:ssh://)?git@([^/:]+)(?::\d+)?)[:/](.+?)(?:\.git)?/*",
        address,
    )
    return f"https://{found[1] or found[2]}/{found[3]}" if found else ""


def _page(words: list[str]) -> str:
    """Return the address of the project's page, from the command line or from git; empty if nobody names it."""
    page = page_of(words[0] if words else _git("config", "--default", "", "remote.origin.url"))
    if words and not page:
        raise ReleaseError(
            f"{words[0]!r} is not the address of a page: write one such as https://github.com/OWNER/traykeeper"
        )
    return page


def _clean_checkout() -> None:
    if changed := _git("status", "--porcelain"):
        raise ReleaseError(f"not everything is committed: git status\n{changed}")


def _build(version: str) -> tuple[Path, Path]:
    """Build the wheel and the source package, and return their paths. The same commit gives the same bytes."""
    for old in DIST.glob("*"):
        old.unlink()
    dated = os.environ | {"SOURCE_DATE_EPOCH": _git("log", "-1", "--format=%ct")}
    subprocess.run(
        [sys.executable, "-m", "build", "--outdir", DIST, ROOT],
        check=True, env=dated, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    return DIST / f"traykeeper-{version}-py3-none-any.whl", DIST / f"traykeeper-{version}.tar.gz"


def _holds_everything(wheel: Path) -> None:
    """Check that the wheel contains the docs and all files of the packages that are not Python code."""
    packages = ("game", "vision", "calibration", "device", "web")
    wanted = {f for f in _git("ls-files", *packages).split("\n") if Path(f).suffix not in SOURCES}
    docs = {f"share/doc/traykeeper/{f.name}" for f in (ROOT / "docs").glob("*.md")}
    with ZipFile(wheel) as pack:
        names = {re.sub(r"^.*\.data/data/", "", name) for name in pack.namelist()}
    if missing := (wanted | docs) - names:
        raise ReleaseError(f"the wheel lacks {', '.join(sorted(missing))}: see package-data")


def _is_a_checkout(source: Path) -> None:
    """Check that the source package contains all committed files, because an SD card is installed from it."""
    if missing := lacking(source, committed()):
        raise ReleaseError(f"the source package lacks {', '.join(missing)}: see MANIFEST.in")


def committed() -> dict[str, bool]:
    """Return the committed files, except those whose names begin with a dot, and whether each is executable."""
    rows = (line.split("\t") for line in _git("ls-files", "--stage").split("\n"))
    return {name: kind.startswith("100755") for kind, name in rows if not name.startswith(".")}


def lacking(source: Path, files: dict[str, bool]) -> list[str]:
    """Return the files that a source package lacks, or that have the wrong executable bit in it.

    Args:
        source: The source package, a tar file.
        files: Names of the files to look for, and whether each is executable.
    """
    with tarfile.open(source) as pack:
        held = {
            file.name.partition("/")[2]: bool(file.mode & 0o100) for file in pack if file.isfile()
        }
    return sorted(name for name, program in files.items() if held.get(name) is not program)


def _plays(folder: Path, wheel: Path, version: str) -> None:
    """Install the wheel in a fresh environment, as pipx does, and check that its commands and its page work."""
    print("Trying the wheel in its own environment")
    home = folder / "venv"
    venv.create(home, with_pip=True)
    pip = [home / "bin" / "pip", "install", "-q", "--disable-pip-version-check"]
    subprocess.run([*pip, wheel], check=True)
    command = home / "bin" / "traykeeper"
    _says(folder, f"version {version}", command, "--version")
    _says(folder, "550", command, "keeps", "1", "1", "3", "3", "3", "5")
    _says(folder, "walnut-studiolo", command, "rules", "list")
    _says(folder, "%", command, "odds", "--rules", "zilch")
    _says(folder, "", home / "bin" / "python", "-I", "-c", PLAYS)
    with _playing(folder, command) as address:
        health = json.loads(_fetch(f"{address}healthz"))
        if health["version"] != version or health["status"] == "failed":
            raise ReleaseError(f"the companion runs, but its health check fails: {health}")
        for language in ("de", "es", "fr"):
            if f'lang="{language}"' not in _fetch(address, language):
                raise ReleaseError(f"the page has no language {language!r}: check the catalogues")


def _says(folder: Path, wanted: str, *command: str | Path) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0 or wanted not in done.stdout:
        raise ReleaseError(f"{command[1:]} fails with the wheel: {done.stdout}{done.stderr}")


@contextmanager
def _playing(folder: Path, command: Path) -> Iterator[str]:
    """Run `traykeeper play` in a fresh home folder; yield the address of the page."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith("XDG_")} | {
        "HOME": str(folder)
    }
    words = [command, "play", "--host", "127.0.0.1", "--port", "0"]
    with (folder / "said.txt").open("w+") as said:
        process = subprocess.Popen(words, cwd=folder, env=clean, stdout=said, stderr=said)
        try:
            yield _address(folder / "said.txt")
        finally:
            process.terminate()
            process.wait()


def _address(said: Path) -> str:
    end_s = time.monotonic() + STARTS_S
    while time.monotonic() < end_s:
        if found := re.search(r"http://127\.0\.0\.1:\d+/", said.read_text("utf-8")):
            with suppress(OSError):
                _fetch(f"{found[0]}healthz")
                return found[0]
        time.sleep(0.2)
    raise ReleaseError(f"`traykeeper play` does not start: {said.read_text('utf-8')}")


def _fetch(address: str, language: str = "en") -> str:
    asked = urllib.request.Request(address, headers={"Accept-Language": language})  # noqa: S310 - our own page
    with urllib.request.urlopen(asked, timeout=10) as answer:  # noqa: S310
        text: str = answer.read().decode()
    return text


def _git(*words: str) -> str:
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def _tell(
    version: str, wheel: Path, source: Path, module: tuple[Path, Path], *, dated: bool, page: str
) -> None:
    print(f"Traykeeper {version} is built and works.")
    if not dated:
        print("CHANGELOG.md has no date for it yet: add it, commit, and run this again.")
    if not page:
        print(
            "Foundry cannot install the module by address, because the address of the project's page is unknown: "
            "run `make release ARGS=https://github.com/OWNER/traykeeper`."
        )
    print("\nUpload:")
    for file in (wheel, source):
        print(f"  dist/{file.name}  {file.stat().st_size / 1024**2:.1f} MB")
    print(f"  dist/SHA256SUMS\n  dist/{CARD}  goes onto a card next to the source package")
    print(f"  dist/{module[0].name} and dist/{module[1].name}  the module for Foundry")
    print(f"  dist/{BLUEPRINT.name}  the blueprint for Home Assistant")
    print(f"\n  git tag -a v{version} -F dist/notes.md && git push origin v{version}")
    print(f"  python -m twine upload dist/{wheel.name} dist/{source.name}")
    print(
        "  a release of that tag on the project's page, with all of dist/; its text: dist/notes.md"
    )


if __name__ == "__main__":
    main()
