"""The blueprint in a real Home Assistant, whose lamp is on the broker: from a throw at the table to the colour of the lamp."""

import json
import shutil
import subprocess
from contextlib import contextmanager

import pytest

from game.commands import Bank, EnterThrow, KeepDice, StartMatch
from scripts.release import BLUEPRINT
from tests.mosquitto import PASSWORD, USER, needs_mosquitto
from tests.waiting import until

PROGRAM = shutil.which("hass")
SETTINGS = """
homeassistant: {name: Test}
automation:
  - use_blueprint:
      path: traykeeper/dice_tray.yaml
      input: {tray: t1, seconds: 1, lamps: [light.lamp]}
"""
LAMP = {
    "name": "lamp", "unique_id": "lamp", "command_topic": "lamp/set", "rgb_command_topic": "lamp/rgb",
    "state_topic": "lamp/state", "optimistic": True,
}  # fmt: skip
HOT, FARKLE, WIN = b"255,140,0", b"220,0,0", b"0,200,80"

pytestmark = [
    needs_mosquitto,
    pytest.mark.long,
    pytest.mark.skipif(PROGRAM is None, reason="needs Home Assistant: see CONTRIBUTING.md"),
]


@contextmanager
def home_assistant(folder, broker):
    """Run Home Assistant with the blueprint and with a connection to the broker."""
    for name in ("blueprints/automation/traykeeper", ".storage"):
        (folder / name).mkdir(parents=True)
    shutil.copy(BLUEPRINT, folder / "blueprints/automation/traykeeper")
    (folder / "configuration.yaml").write_text(SETTINGS)
    data = {"broker": "127.0.0.1", "port": broker.port, "username": USER, "password": PASSWORD}
    entry = {
        "entry_id": "1", "version": 1, "minor_version": 1, "domain": "mqtt", "title": "mqtt", "data": data,
        "options": {}, "pref_disable_new_entities": False, "pref_disable_polling": False, "source": "user",
        "unique_id": None, "disabled_by": None, "discovery_keys": {}, "subentries": [],
        "created_at": "2025-01-01T00:00:00+00:00", "modified_at": "2025-01-01T00:00:00+00:00",
    }  # fmt: skip
    stored = {
        "version": 1,
        "minor_version": 5,
        "key": "core.config_entries",
        "data": {"entries": [entry]},
    }
    (folder / ".storage/core.config_entries").write_text(json.dumps(stored))
    with (folder / "log").open("w") as log:
        process = subprocess.Popen([PROGRAM, "-c", folder], stdout=log, stderr=log)
        try:
            yield
        finally:
            process.terminate()
            process.wait()


def test_lamp_changes_for_hot_dice_a_farkle_and_a_win_and_goes_out_afterwards(
    table, join, broker, listener, tmp_path
):
    def shown():
        return [
            what
            for where, what, _ in list(listener.heard)
            if where in {"lamp/rgb", "lamp/set"} and what != b"ON"
        ]

    listener.say("homeassistant/light/lamp/config", json.dumps(LAMP), retain=True)
    listener.say("lamp/state", "OFF", retain=True)
    join.stay()
    with home_assistant(tmp_path / "home", broker):
        until(lambda: b"online" in listener.on("homeassistant/status"))
        table.do(StartMatch(("Anna", "Ben")))
        table.do(EnterThrow((1, 1, 1, 5, 5, 5)))
        until(lambda: shown() == [HOT, b"OFF"], said=lambda: listener.heard)
        table.do(KeepDice((1, 1, 1, 5, 5, 5)))
        table.do(EnterThrow((2, 2, 3, 4, 6, 6)))
        until(lambda: shown()[2:] == [FARKLE, b"OFF"])
        table.do(EnterThrow((1, 1, 1, 1, 1, 1)))
        table.do(Bank())
        table.do(EnterThrow((2, 2, 3, 4, 6, 6)))
        until(lambda: shown()[4:] == [HOT, b"OFF", FARKLE, b"OFF", WIN, b"OFF"])
