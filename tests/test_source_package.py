"""What goes onto a card is all of a checkout."""

import io
import tarfile

import pytest

from scripts import release
from tests.source_package import BUILD, ROOT, packed

pytestmark = pytest.mark.skipif(
    not (ROOT / ".git").exists(), reason="what is committed is not known here: no git"
)


@pytest.mark.slow
@pytest.mark.skipif(not BUILD.exists(), reason="pip install build")
def test_it_holds_every_committed_file_and_programs_stay_programs(tmp_path):
    assert release.lacking(packed(tmp_path), release.committed()) == []


def test_what_it_lacks_and_what_is_no_program_any_more_is_named(tmp_path):
    with tarfile.open(tmp_path / "pack.tar.gz", "w:gz") as pack:
        for name in ("systemd/install", "docs/play.md"):
            pack.addfile(tarfile.TarInfo(f"traykeeper-1.0/{name}"), io.BytesIO())
    wanted = {"systemd/install": True, "docs/play.md": False, "docs/api.md": False}

    assert release.lacking(tmp_path / "pack.tar.gz", wanted) == ["docs/api.md", "systemd/install"]


def test_what_is_committed_is_told_with_its_programs():
    committed = release.committed()

    assert committed["systemd/install"] is True
    assert committed["docs/play.md"] is False
