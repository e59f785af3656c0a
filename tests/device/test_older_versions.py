"""This version continues in a state folder of the version of November 2026."""

import shutil
from pathlib import Path

import pytest

from device.app import PlayOptions, open_maintenance
from device.calibrating.profile_file import FILE as PROFILE
from device.calibrating.profile_file import load as load_profile
from device.coach.coach import TABLES
from device.settings import load
from device.storage.scorekeeper_file import SCOREKEEPER_FILE, ScorekeeperFile
from game.commands import Bank, EnterThrow, Undo
from game.odds.table_store import TableStore
from game.rules.rule_files import load as load_rules
from game.situation import Situation
from web.contracts import CoachMode

LEFT = Path(__file__).parent / "data" / "0.1-november"


@pytest.fixture
def state(tmp_path):
    """A copy of the folder."""
    return Path(shutil.copytree(LEFT / "state", tmp_path / "state"))


def test_a_match_from_an_older_version_continues_in_mid_turn(state):
    with open_maintenance(PlayOptions(camera="usb:97", state=str(state))) as maintenance:
        companion = maintenance.companion
        found = companion.snapshot()
        assert [player.score for player in found.match.state.players] == [1000, 500]
        assert found.match.state.turn.last.dice == (1, 2, 3)
        assert found.situation is Situation.ACCEPTED
        assert found.coach.mode is CoachMode.AFTER
        assert companion.do(EnterThrow((2, 3))).match.state.turns[-1].points == 0
        companion.do(Undo())

        banked = companion.do(Bank())
        assert [player.score for player in banked.match.state.players] == [1350, 500]


def test_settings_profile_scorekeeper_and_tables_from_an_older_version_are_read(state):
    assert load(LEFT / "settings.toml").port == 8123
    profile = load_profile(state / PROFILE)
    assert profile is not None
    assert profile.camera == "simulated tray"
    scorekeeper = ScorekeeperFile(state / SCOREKEEPER_FILE)
    assert (scorekeeper.record.holder, scorekeeper.record.players) == ("a1b2c3", {"a1b2c3": "Anna"})
    # Rules whose meaning may have changed are solved again; their old solutions are left where they are.
    store = TableStore(state / TABLES)
    assert store.find(load_rules("walnut-studiolo"), 1000) is None
    assert list((state / TABLES).iterdir())
