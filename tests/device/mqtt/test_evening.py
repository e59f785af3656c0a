"""A tray, a club board and a real Mosquitto in separate processes, each killed in the middle of a turn."""

import json
import os
import signal
import subprocess
import sys
import urllib.request
from contextlib import ExitStack
from itertools import cycle
from pathlib import Path
from random import Random

import pytest

from bench.self_play import SelfPlay
from game.match.events import Undone
from game.match.match import Match
from tests.campaigns.size import count
from tests.device.mqtt.conftest import RULES
from tests.mosquitto import PASSWORD, USER, Mosquitto, mosquitto, needs_mosquitto
from tests.waiting import until

pytestmark = [needs_mosquitto, pytest.mark.slow]

ROOT = Path(__file__).parents[3]
TRAYKEEPER = str(Path(sys.executable).with_name("traykeeper"))
KILLS = 0.25
"""Share of the moves after which a process is killed."""


class Part:
    """A process that can be killed with SIGKILL and started again."""

    def __init__(self, *command: str) -> None:
        self.command = command
        self.process = None
        self.start()

    def start(self):
        environment = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}
        self.process = subprocess.Popen(
            self.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            text=True,
        )

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()

    def line(self) -> str:
        return self.process.stdout.readline()


class Tray(Part):
    """A tray in its own process."""

    def __init__(self, folder: Path, broker: Mosquitto, name: str) -> None:
        settings = broker.settings() | {"mqtt_tray": name}
        program = str(Path(__file__).with_name("tray_process.py"))
        super().__init__(sys.executable, program, str(folder), json.dumps(settings))
        self.stands = {}

    def do(self, what, *args) -> dict:
        self.process.stdin.write(json.dumps([what, *args]) + "\n")
        self.process.stdin.flush()
        self.stands = json.loads(self.line())
        return self.stands


class Board(Part):
    """`traykeeper club` in its own process."""

    def __init__(self, folder: Path, broker: Mosquitto) -> None:
        told = ["--secret", str(broker.secret), "--state", str(folder)]
        if broker.ca:
            told += ["--ca", str(broker.ca)]
        where = ["--host", "127.0.0.1", "--port", "0"]
        super().__init__(TRAYKEEPER, "club", "--broker", broker.url, *told, *where)

    def start(self):
        super().start()
        self.address = self.line().split()[-1]

    def get(self, path: str):
        with urllib.request.urlopen(f"{self.address}{path}") as answer:  # noqa: S310 - http
            return answer.read().decode()

    def shows(self, name: str) -> dict:
        trays = json.loads(self.get("api/v1/club"))["trays"]
        return next((tray for tray in trays if tray["tray"] == name), {})

    def chains(self) -> dict[str, list[str]]:
        """Return the chain of every step that the board has, by match."""
        found = {}
        for line in self.get("export/entries.jsonl").splitlines():
            entry = json.loads(line)
            assert entry["seq"] == len(found.setdefault(entry["match"], []))
            found[entry["match"]].append(entry["chain"])
        return found


@pytest.fixture
def start():
    with ExitStack() as stack:

        def started(make, *args):
            part = make(*args)
            stack.callback(part.kill)
            return part

        yield started


def moves(seed: int):
    """Yield the commands of a whole match, with an occasional undo."""
    random, played = Random(seed), SelfPlay(Match.start(RULES, ["Anna", "Ben"]), "0" * 16, 0)
    yield "new_match", ["Anna", "Ben"]
    while played.match.state.winner is None:
        if random.random() < 0.15 and played.match.can_undo and played.entries[-1].seq > 1:
            played.do(Undone())
            yield ("undo",)
        entry = played.play(random)
        for action in entry.body["actions"]:
            match action["kind"]:
                case "kept":
                    yield "keep", action["dice"]
                case "thrown":
                    yield "dice", action["dice"]
                case "banked":
                    yield ("bank",)


def agrees(board: Board, tray: Tray, name: str = "t1") -> bool:
    """Return whether the board has every step once and in order; each chain covers all steps before it."""
    chains = board.chains().get(tray.stands["match"], [])
    return len(chains) == tray.stands["seq"] + 1 and chains[-1] == tray.stands["chain"]


@pytest.mark.parametrize("tls", [True, False], ids=["tls", "plain"])
def test_the_board_agrees_with_the_tray_after_every_step_of_a_match(start, tmp_path, tls):
    with mosquitto(tmp_path / "broker", tls=tls) as broker:
        tray = start(Tray, tmp_path, broker, "t1")
        board = start(Board, tmp_path / "club", broker)
        for move in moves(seed=2):
            tray.do(*move)
            until(lambda: board.shows("t1").get("seq") == tray.stands["seq"])

            assert agrees(board, tray)
        assert board.shows("t1")["winner"] is not None


@pytest.mark.long
@pytest.mark.campaign
@pytest.mark.parametrize("seed", range(3, 3 + count(1, 20)))
def test_no_step_is_lost_when_broker_board_and_tray_are_killed_again_and_again(
    start, tmp_path, seed
):
    random = Random(seed)
    with mosquitto(tmp_path / "broker") as broker:
        tray = start(Tray, tmp_path, broker, "t1")
        board = start(Board, tmp_path / "club", broker)
        victims = cycle((broker, board, tray))
        killed = 0
        for move in moves(seed):
            tray.do(*move)
            if random.random() < KILLS:
                victim = next(victims)
                victim.kill()
                victim.start()
                killed += 1
        until(lambda: agrees(board, tray))

        assert killed >= 3
        assert len(board.chains()) == 1


def test_a_board_that_lost_its_history_receives_all_of_it_again(start, tmp_path):
    with mosquitto(tmp_path / "broker") as broker:
        tray = start(Tray, tmp_path, broker, "t1")
        for seed in (4, 5):
            for move in moves(seed):
                tray.do(*move)
        board = start(Board, tmp_path / "new", broker)
        until(lambda: agrees(board, tray))
        until(lambda: len(board.chains()) == 2)


def test_events_during_an_outage_of_the_broker_arrive_in_order(start, tmp_path):
    with mosquitto(tmp_path / "broker") as broker:
        tray = start(Tray, tmp_path, broker, "t1")
        board = start(Board, tmp_path / "club", broker)
        made = list(moves(seed=6))
        for move in made[:10]:
            tray.do(*move)
        broker.kill()
        for move in made[10:]:
            tray.do(*move)
        broker.start()
        until(lambda: agrees(board, tray))


def bridge(to: Mosquitto) -> str:
    """Return the bridge configuration in docs/scale.md, changed for a broker on the loopback interface."""
    text = (ROOT / "docs" / "scale.md").read_text("utf-8")
    lines = text.partition("    connection county\n")[2].partition("\n\n")[0]
    told = {
        "address county.example:8883": f"address 127.0.0.1:{to.port}",
        "remote_username pub": f"remote_username {USER}",
        "remote_password ...": f"remote_password {PASSWORD}",
    }
    wanted = [told.get(line.strip(), line.strip()) for line in lines.splitlines()]
    kept = [line for line in wanted if "cafile" not in line]
    return "\n".join(["connection county", *kept, "restart_timeout 1 2"])


def test_a_board_behind_a_bridge_receives_every_step(start, tmp_path):
    with (
        mosquitto(tmp_path / "county") as county,
        mosquitto(tmp_path / "pub", more=bridge(county)) as pub,
    ):
        tray = start(Tray, tmp_path, pub, "t1")
        made = list(moves(seed=7))
        half = len(made) // 2
        for move in made[:half]:
            tray.do(*move)
        board = start(Board, tmp_path / "club", county)
        until(lambda: agrees(board, tray))
        county.kill()
        for move in made[half:]:
            tray.do(*move)
        county.start()
        until(lambda: agrees(board, tray))
