"""All that people and programs hand in, mutated: it is taken, or refused in one line."""

import json
import random
import shutil
from contextlib import suppress
from io import BytesIO
from pathlib import Path

import pytest

from device import settings
from device.calibrating import profile_file
from device.errors import UsageError
from device.session.live_match import LiveMatch
from device.settings import Settings
from device.storage import backup
from device.storage.daily_backup import Backups
from device.storage.recovery import open_journal
from game.commands import EnterThrow, StartMatch
from game.errors import GameError, JournalError, RulesetError
from game.journal.history import History
from game.journal.journal import Journal
from game.match.match import Match
from game.match.match_text import from_text, inserted_turn, to_text
from game.rules import rule_files
from game.rules.ruleset import Ruleset
from tests.campaigns.evening import steps
from tests.campaigns.mutants import mutant
from tests.campaigns.size import count
from tests.device.calibrating.test_profile_file import PI
from tests.web.api.test_garbage import FIELDS, POSTS
from tests.web.conftest import MemoryTable
from web.app import create_app

pytestmark = [pytest.mark.long, pytest.mark.campaign, pytest.mark.timeout(7200)]

RULES = Path(rule_files.__file__).with_name("published")


def one_line(error):
    assert str(error)
    assert "\n" not in str(error)
    assert len(str(error)) < 1000


def try_all(what, seeds, attempt, refused, n):
    """Give `attempt` so many mutants; anything raised but `refused` is a finding."""
    rng = random.Random(1)
    taken = 0
    for number in range(n):
        data = mutant(rng.choice(seeds), rng)
        try:
            attempt(data)
            taken += 1
        except refused as error:
            one_line(error)
        except Exception as error:
            raise AssertionError(f"mutant {number} of {what}: {data!r}") from error
    print(f"\n{n:,} mutants of {what}: {taken:,} taken, {n - taken:,} refused, 0 findings")


def text(data):
    return data.decode("utf-8", "replace")


def test_mutated_rule_sets_are_read_or_refused():
    seeds = [path.read_bytes() for path in sorted(RULES.glob("*.toml"))]

    def attempt(data):
        found = rule_files.parse(text(data), name="house", where="house.toml")
        assert isinstance(found, Ruleset)

    try_all("rule sets", seeds, attempt, RulesetError, count(400, 50_000))


@pytest.fixture(scope="module")
def matches(tmp_path_factory):
    """Some evenings as they were played."""
    folder = tmp_path_factory.mktemp("matches")
    journal = _played(folder, n_steps=400)
    history = History(journal.path)
    found = [history.match(played.id) for played in history.matches()]
    journal.close()
    return found


def _played(folder, n_steps):
    journal = Journal.open(folder / "journal.db")
    live_match = LiveMatch(journal)
    evening = steps(live_match, journal, random.Random(2), lambda *_: None)
    for _ in range(n_steps):
        next(evening)
    return journal


def test_mutated_match_texts_are_read_or_refused(matches):
    seeds = [to_text(match).encode() for match in matches]

    def attempt(data):
        match = from_text(text(data))
        assert from_text(to_text(match)).state == match.state

    try_all("matches", seeds, attempt, GameError, count(50, 10_000))


def test_mutated_turns_are_read_or_refused():
    fresh = Match.start(rule_files.load("walnut-studiolo"), ["Anna", "Ben"])
    lines = [b"113335: 333 11 5 = 550, bank", b"224466", b"223346: farkle", b"skip"]

    def attempt(data):
        fresh.push(inserted_turn(fresh, text(data)))

    try_all("turns", lines, attempt, GameError, count(1000, 100_000))


def test_mutated_settings_are_read_or_refused():
    seeds = [settings.as_text(Settings(port=80, voice=True, rules="zilch")).encode()]

    def attempt(data):
        settings.parse(text(data), "settings.toml")

    try_all("settings", seeds, attempt, UsageError, count(300, 20_000))


def test_mutated_profiles_are_read_or_refused():
    seeds = [profile_file.as_text(PI).encode()]

    def attempt(data):
        profile_file.parse(text(data), "calibration.toml")

    try_all("profiles", seeds, attempt, profile_file.ProfileError, count(300, 20_000))


def test_mutated_backups_are_read_or_refused(tmp_path):
    _played(tmp_path, n_steps=60).close()
    profile_file.save(PI, tmp_path / profile_file.PROFILE_FILE)
    file = BytesIO()
    backup.pack(Backups(tmp_path).collect(), file)
    whole = file.getvalue()
    good = backup.unpack(whole, "x.zip")

    def attempt(data):
        found = backup.unpack(data, "x.zip")
        assert found.parts == good.parts

    try_all("backups", [whole], attempt, UsageError, count(300, 20_000))


def test_mutated_journals_are_opened_or_recovered(tmp_path):
    """Whatever a card makes of it: it opens, and holds nothing that was never written."""
    _played(tmp_path, n_steps=120).close()
    whole = (tmp_path / "journal.db").read_bytes()
    true = {(e.match_id, e.seq): e.actions for e in History(tmp_path / "journal.db").entries()}
    folder = tmp_path / "damaged"

    def attempt(data):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        (folder / "journal.db").write_bytes(data)
        journal, _ = open_journal(folder, Backups(folder))
        with suppress(JournalError):
            journal.newest()
        found = History(journal.path).entries(limit=-1)
        journal.close()
        assert all(true[e.match_id, e.seq] == e.actions for e in found)

    try_all("journals", [whole], attempt, JournalError, count(15, 1000))


def test_mutated_requests_are_answered():
    table = MemoryTable()
    client = create_app(table).test_client()
    table.do(StartMatch(("Anna", "Ben")))
    table.do(EnterThrow((1, 1, 3, 3, 3, 5)))
    seeds = [
        f"{path} {json.dumps({k: json.loads(v) for k, v in fields.items()})}".encode()
        for path in POSTS
        for fields in [FIELDS.get(path.rpartition("/")[2], {})]
    ]

    def attempt(data):
        path, _, body = data.partition(b" ")
        path = "/" + path.decode("latin-1").lstrip("/")  # as WSGI hands it on
        if path == "/api/v1/hold":
            body = body.replace(b"10", b"0")
        answer = client.post(
            "/", data=body, content_type="application/json", environ_overrides={"PATH_INFO": path}
        )
        assert answer.status_code < 500, answer.text

    try_all("requests", seeds, attempt, (), count(1000, 100_000))
