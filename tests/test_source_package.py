"""The source package, which is copied to cards, is a complete checkout."""

import io
import tarfile

import pytest

from scripts import release
from tests.source_package import BUILD, ROOT, packed

pytestmark = pytest.mark.skipif(
    not (ROOT / ".git").exists(), reason="what is committed is not known here: no git"
)


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.skipif(not BUILD.exists(), reason="pip install build")
def test_the_source_package_has_every_committed_file_with_its_executable_bit(tmp_path):
    assert release.lacking(packed(tmp_path), release.committed()) == []


def test_missing_files_and_lost_executable_bits_are_listed(tmp_path):
    with tarfile.open(tmp_path / "pack.tar.gz", "w:gz") as pack:
        for name in ("systemd/install", "docs/play.md"):
            pack.addfile(tarfile.TarInfo(f"traykeeper-1.0/{name}"), io.BytesIO())
    wanted = {"systemd/install": True, "docs/play.md": False, "docs/api.md": False}

    assert release.lacking(tmp_path / "pack.tar.gz", wanted) == ["docs/api.md", "systemd/install"]


def test_committed_files_are_listed_with_their_executable_bit():
    committed = release.committed()

    assert committed["systemd/install"] is True
    assert committed["docs/play.md"] is False
