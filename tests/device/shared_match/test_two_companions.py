"""Two companions on one machine play a match to 2,000 points, while their connection is cut several times."""

import json
import socket
import urllib.error
import urllib.request
from contextlib import ExitStack, closing, contextmanager, suppress
from http.cookiejar import CookieJar
from pathlib import Path
from random import Random
from threading import Thread
from time import sleep

import pytest

from device.app import PlayOptions, serving
from device.cli import main
from game.journal.entry import comparable_entries
from game.journal.history import History
from game.journal.journal import JOURNAL_FILE
from tests.campaigns.size import count
from tests.mosquitto import mosquitto, needs_mosquitto
from tests.waiting import PATIENCE_S, until
from web.app import new_link

N_CUTS = count(4, 10)

LONG_MESSAGE_BYTES = 20_000
"""Only a message with a part of a picture is longer."""


class Phone:
    """The scorekeeper's phone of one companion, over HTTP."""

    def __init__(self, server, folder: Path) -> None:
        self.port, self.folder = server.port, folder
        self._opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
        self.post("scorekeeper/link", token=new_link(server.app).partition("=")[2])

    def get(self, path: str):
        return json.load(self._open(path, None))

    def download(self, path: str) -> bytes:
        return self._open(path, None).read()

    def page(self, path: str) -> str:
        """Return a page as HTML."""
        with self._opener.open(f"http://127.0.0.1:{self.port}/{path}", timeout=PATIENCE_S) as page:
            return page.read().decode()

    def post(self, path: str, **body):
        return json.load(self._open(path, json.dumps(body).encode()))

    def _open(self, path: str, data: bytes | None):
        url = f"http://127.0.0.1:{self.port}/api/v1/{path}"
        request = urllib.request.Request(url, data, {"Content-Type": "application/json"})
        return self._opener.open(request, timeout=PATIENCE_S)

    @property
    def state(self):
        return self.get("state")

    @property
    def entries(self):
        """The entries of the match in this companion's journal."""
        history = History(self.folder / JOURNAL_FILE)
        newest = history.newest()
        return comparable_entries(newest[1], history.match_entries(newest[0])) if newest else ()


class Cable:
    """A connection to a port that can be cut.

    Args:
        port: The port.

    Attributes:
        n_breaks: Number of long messages during which the connection still has to break.
    """

    def __init__(self, port: int) -> None:
        self._to, self.n_breaks = port, 0
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._open: set[socket.socket] = set()
        self.is_cut = False
        Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        """Interrupt what is being sent, and let nothing through."""
        self.is_cut = True
        for one in tuple(self._open):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def mend(self) -> None:
        self.is_cut = False

    def close(self) -> None:
        self.cut()
        self._listener.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                if self.is_cut:
                    near.close()
                    continue
                far = socket.create_connection(("127.0.0.1", self._to))
                for pair in ((near, far), (far, near)):
                    Thread(target=self._carry, args=pair, daemon=True).start()

    def _carry(self, source: socket.socket, target: socket.socket) -> None:
        self._open.add(source)
        n_bytes = 0
        with suppress(OSError):
            while data := source.recv(65_536):
                n_bytes += len(data)
                if self.is_cut:
                    break
                if self.n_breaks and n_bytes > LONG_MESSAGE_BYTES:
                    self.n_breaks -= 1
                    break
                target.sendall(data)
        self._open.discard(source)
        for each in (source, target):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
        source.close()


@contextmanager
def companion(folder: Path, camera: str = "usb:97", **settings):
    """A companion without a camera, or with a simulated one, as `traykeeper play` runs it."""
    options = PlayOptions(
        camera=camera,
        host="127.0.0.1",
        port=0,
        state=str(folder),
        mqtt_discovery=False,
        **settings,
    )
    with serving(options) as (_, server):
        yield Phone(server, folder)


def begin(host: Phone, guest: Phone, *, by_broker: bool, cable: Cable | None = None) -> None:
    host.post("shared-match/invite", names=["Anna"], target=2_000, options={"opening": 0})
    made = host.get("shared-match")
    link = made["code"] if by_broker else made["link"].replace(f":{host.port}/", f":{cable.port}/")
    guest.post("shared-match/join", invitation=link, names=["Ben"])
    until(lambda: host.state["turn"] and guest.state["turn"])


def play_turn(phone: Phone, random: Random) -> None:
    """Play one turn the way a careful player would."""
    while True:
        state = phone.state
        if state["winner"] is not None or state["other_tray"]["throws"]:
            return
        bank = state["bank"]
        if state["turn"]["throws"] and bank and not bank["refusal"] and bank["points"] >= 200:
            phone.post("bank", dice=bank["dice"], points=bank["points"])
            return
        if state["keeps"] and state["turn"]["throws"][-1]["kept"] is None:
            state = phone.post("keep", dice=state["keeps"][0]["dice"])
        dice = [random.randint(1, 6) for _ in range(state["dice_to_throw"])]
        phone.post("dice", dice=dice)


def on_turn(host: Phone, guest: Phone) -> tuple[Phone, Phone] | None:
    """Return the phone of the tray whose turn it is, and the other one, once both know it; None after a win."""

    def found():
        states = [phone.state for phone in (host, guest)]
        has_won = [state["winner"] is not None for state in states]
        if any(has_won):
            return (None,) if all(has_won) else None
        throws = tuple(state["other_tray"]["throws"] for state in states)
        return {(False, True): ((host, guest),), (True, False): ((guest, host),)}.get(throws)

    return until(found)[0]


def play_with_cuts(host: Phone, guest: Phone, cut, mend) -> int:
    """Play to the end; the connection is cut before each of the first turns, and restored after it."""
    random, n_cuts = Random(4), 0
    while pair := on_turn(host, guest):
        phone, other = pair
        if n_cuts < N_CUTS:
            cut()
            n_cuts += 1
            before = other.state["step"]
            play_turn(phone, random)
            assert other.state["step"] == before, "the connection is not cut"
            mend()
        else:
            play_turn(phone, random)
        until(lambda: host.entries == guest.entries)
    return n_cuts


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.campaign
def test_a_match_over_http_is_the_same_in_both_journals_after_several_cuts(tmp_path, capsys):
    with companion(tmp_path / "host") as host, companion(tmp_path / "guest") as guest:
        with closing(Cable(host.port)) as cable:
            begin(host, guest, by_broker=False, cable=cable)
            n_cuts = play_with_cuts(host, guest, cable.cut, cable.mend)
            until(lambda: guest.state["winner"] is not None)
        scores = [[p["score"] for p in phone.state["players"]] for phone in (host, guest)]

    assert n_cuts == N_CUTS
    assert scores[0] == scores[1]
    assert max(scores[0]) >= 2_000
    check_same(tmp_path, capsys)


@needs_mosquitto
@pytest.mark.slow
@pytest.mark.long
@pytest.mark.campaign
def test_a_match_over_a_broker_is_the_same_in_both_journals_after_several_cuts(tmp_path, capsys):
    with ExitStack() as stack:
        broker = stack.enter_context(mosquitto(tmp_path / "broker"))
        host, guest = (
            stack.enter_context(companion(tmp_path / name, mqtt_tray=name, **broker.settings()))
            for name in ("host", "guest")
        )
        begin(host, guest, by_broker=True)
        n_cuts = play_with_cuts(host, guest, broker.kill, broker.start)
        until(lambda: guest.state["winner"] is not None)

    assert n_cuts == N_CUTS
    check_same(tmp_path, capsys)


def throw_and_skip(phone: Phone) -> int | None:
    """Throw the simulated dice, and end the turn. Returns the index of the throw if its roll was recorded."""
    phone.post("throw")
    sleep(1.0)
    phone.post("press")
    until(lambda: phone.state["turn"]["throws"] and phone.state["photo"])
    state = phone.state
    phone.post("skip")
    return state["turn"]["throws"][-1]["index"] if state["photo"]["clip"] else None


def clips(phone: Phone) -> dict[int, bytes]:
    """Return the clips of the match, by the index of their throw."""
    found = phone.get("matches/last/clips")["clips"]
    return {each["throw"]: phone.download(each["url"].removeprefix("/api/v1/")) for each in found}


@pytest.mark.slow
@pytest.mark.parametrize("by_broker", [False, pytest.param(True, marks=needs_mosquitto)])
def test_both_trays_have_the_clips_of_all_throws_and_the_same_match(tmp_path, by_broker):
    with ExitStack() as stack:
        settings = {}
        if by_broker:
            broker = stack.enter_context(mosquitto(tmp_path / "broker"))
            settings = broker.settings()
        host, guest = (
            stack.enter_context(
                companion(tmp_path / name, "sim", mqtt_tray=name, seed=5, roll_s=1.2, **settings)
            )
            for name in ("host", "guest")
        )
        cable = stack.enter_context(closing(Cable(host.port)))
        begin(host, guest, by_broker=by_broker, cable=cable)
        recorded = [[], []]
        for number in range(6):
            cable.n_breaks = 0 if by_broker else 2
            index = throw_and_skip(on_turn(host, guest)[0])
            recorded[number % 2] += [index] if index is not None else []
            if by_broker and number in (2, 3):
                broker.kill()
                broker.start()
        expected = {*recorded[0], *recorded[1]}
        assert len(expected) >= 4  # on a busy machine, few frames of a roll may be seen
        until(lambda: clips(host).keys() == clips(guest).keys() == expected)

        assert clips(host) == clips(guest)
        assert cable.n_breaks == 0
        assert host.download("match.txt") == guest.download("match.txt")


def check_same(folder: Path, capsys) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["compare", str(folder / "host"), str(folder / "guest")])

    assert ended.value.code == 0
    assert "contain the same match" in capsys.readouterr().out
