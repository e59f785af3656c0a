"""The lists of packages with hashes that the installer uses, made by `make locks`."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
LOCKS = sorted((ROOT / "systemd" / "locks").glob("*.txt"))
SYSTEMS = [
    f"{name}-{kind}.txt" for name in ("bookworm", "trixie") for kind in ("aarch64", "x86_64")
]
PINNED = re.compile(r"^([\w.-]+)==(\S+) \\$", re.MULTILINE)


def wanted():
    project = PYPROJECT["project"]
    needs = (*project["dependencies"], *project["optional-dependencies"]["mqtt"])
    return [Requirement(need) for need in (*needs, *PYPROJECT["build-system"]["requires"])]


def pinned(lock):
    found = PINNED.findall(lock.read_text("utf-8"))
    return {canonicalize_name(name): version for name, version in found}


def test_there_is_a_list_for_each_supported_system():
    assert [lock.name for lock in LOCKS] == SYSTEMS


@pytest.mark.parametrize("lock", LOCKS, ids=lambda path: path.stem)
def test_a_list_has_a_version_with_hashes_of_every_dependency(lock):
    versions = pinned(lock)

    for need in wanted():
        assert versions[canonicalize_name(need.name)] in need.specifier, need
    for entry in re.split(r"\n(?=\w)", lock.read_text("utf-8"))[1:]:
        assert "--hash=sha256:" in entry


@pytest.mark.parametrize("lock", LOCKS, ids=lambda path: path.stem)
def test_a_system_with_picamera2_for_numpy_1_gets_numpy_1(lock):
    major = int(pinned(lock)["numpy"].split(".")[0])

    assert major == (1 if lock.name.startswith("bookworm") else 2)
