"""Clients that are generated from the OpenAPI document play a whole match over HTTP."""

import shutil
import subprocess
import urllib.request
from pathlib import Path

import pytest

from device.app import PlayOptions, serving
from game.journal.history import History
from game.journal.journal import JOURNAL_FILE
from tests.waiting import PATIENCE_S
from web.app import new_link

pytestmark = [pytest.mark.slow, pytest.mark.long, pytest.mark.campaign]

PLAYERS = Path(__file__).parent / "clients"


def tool(name: str, install: str) -> str:
    """Return the path of a program, or skip the test."""
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"needs {name}: {install}")
    return found


def run(*command: str | Path, folder: Path) -> str:
    done = subprocess.run(
        command, check=False, cwd=folder, capture_output=True, text=True, timeout=10 * PATIENCE_S
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture
def companion(tmp_path):
    """Run a companion, save its document as openapi.json, and return its address and a link for the scorekeeper."""
    options = PlayOptions(camera="usb:97", host="127.0.0.1", port=0, state=str(tmp_path / "state"))
    with serving(options) as (_, server):
        url = f"http://127.0.0.1:{server.port}"
        with urllib.request.urlopen(f"{url}/api/v1/openapi.json", timeout=PATIENCE_S) as answer:  # noqa: S310
            (tmp_path / "openapi.json").write_bytes(answer.read())
        yield url, new_link(server.app).partition("=")[2]


def check_match(folder: Path, printed: str) -> None:
    """Check that the client has seen the match that is in the journal."""
    (played,) = History(folder / "state" / JOURNAL_FILE).matches()

    assert played.ended
    assert printed.split() == [str(score) for score in played.result.scores]


def test_a_generated_python_client_plays_a_match(companion, tmp_path):
    generator = tool("openapi-python-client", "pipx install openapi-python-client")
    url, token = companion
    run(
        generator, "generate", "--path", "openapi.json", "--meta", "none", "--output-path", "client",
        folder=tmp_path,
    )  # fmt: skip
    shutil.copy(PLAYERS / "play.py", tmp_path)
    python = Path(generator).resolve().with_name("python")  # has the packages that the client needs

    check_match(tmp_path, run(python, "play.py", url, token, folder=tmp_path))


def test_a_generated_typescript_client_plays_a_match(companion, tmp_path):
    generator = tool("openapi-typescript", "npm install -g openapi-typescript typescript@5")
    compiler = tool("tsc", "npm install -g typescript@5")
    node = tool("node", "apt install nodejs")
    url, token = companion
    run(generator, "openapi.json", "--output", "api.d.ts", folder=tmp_path)
    shutil.copy(PLAYERS / "play.ts", tmp_path)
    options = ("--strict", "--target", "es2022", "--module", "es2022", "--lib", "es2022,dom")
    run(compiler, *options, "play.ts", folder=tmp_path)
    (tmp_path / "play.js").rename(tmp_path / "play.mjs")

    check_match(tmp_path, run(node, "play.mjs", url, token, folder=tmp_path))
