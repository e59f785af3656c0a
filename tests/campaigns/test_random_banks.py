"""Somebody taps Bank over HTTP at random moments: no other points are banked than were shown, and no farkle is escaped.

A player throws and presses, and another phone taps all the time. Afterwards the dice that really lay in
the tray are compared with the throws of the match.
"""

import json
from random import Random
from threading import Event, Thread

import pytest

from game.commands import AnswerQuestion, StartMatch
from game.match.events import Thrown
from game.situation import Situation
from tests.campaigns.size import count
from tests.device.rig import NUDGE_S, open_rig
from tests.web.conftest import HttpClient, make_app
from web.server import Server

THROWS = count(10, 500)
MIN_THROWS_FOR_A_BANK = 50
"""In fewer throws, the random taps may all come too early to bank."""

TARGET = 300_000
"""So far that nobody wins."""
LONGEST_PAUSE_S = 0.4
IGNORES_POINTS = 0.3
"""Share of the taps that name no points, as from a simple program."""


class Tapper:
    """A phone that taps Bank as it shows it, a moment later.

    Attributes:
        taps: Number of taps.
        banked: The points that were shown, the points that were banked, and the number of throws read, of each bank.
    """

    def __init__(self, port, seed):
        self._phone, self._random, self._over = HttpClient(port), Random(seed), Event()
        self.taps, self.banked = 0, []
        self._thread = Thread(target=self._run)
        self._thread.start()

    def stop(self):
        self._over.set()
        self._thread.join()

    def _run(self):
        while not self._over.is_set():
            self._tap(read(self._phone.get("/api/v1/state")))

    def _tap(self, shown):
        self._over.wait(self._random.uniform(0, LONGEST_PAUSE_S))
        bank = shown["bank"] or {}
        names_points = self._random.random() > IGNORES_POINTS and bank.get("points")
        body = {"points": bank["points"], "step": shown["step"]} if names_points else {}
        answer = self._phone.post("/api/v1/bank", **body)
        after = read(answer)
        self.taps += 1
        if answer.status == 200:
            points = after["turns"][-1]["points"]
            self.banked.append((bank["points"] if names_points else points, points, after))


def read(answer):
    return json.loads(answer.read())


def n_throws(state):
    turns = [*state["turns"], state["turn"]]
    return sum(len(turn["throws"]) for turn in turns)


def settle(rig):
    """Press, and answer what is asked, until the throw is read."""
    for _ in range(8):
        snapshot = rig.press()
        while snapshot.situation is Situation.QUESTION:
            snapshot = rig.hold()
        if snapshot.choices and "moved" in str(snapshot.message):  # the same faces fell again
            snapshot = rig.companion.do(AnswerQuestion(snapshot.choices[0].id))
        if snapshot.situation is not Situation.ATTENTION:
            return
        rig.tray.nudge(hand=True)
        rig.wait_s(NUDGE_S)
    raise AssertionError(snapshot)


@pytest.mark.long
@pytest.mark.campaign
@pytest.mark.timeout(7200)
def test_random_banks_bank_what_was_shown_and_escape_no_farkle(tmp_path):
    random = Random(45)
    with open_rig(tmp_path, seed=45) as rig:
        rig.companion.do(StartMatch(("Anna", "Ben"), target=TARGET))
        with Server(make_app(rig.companion), "127.0.0.1", 0) as server:
            tapper, player = Tapper(server.port, 7), HttpClient(server.port)
            thrown = []
            try:
                while len(thrown) < THROWS:
                    answer = player.post("/api/v1/throw")
                    assert answer.status == 200, answer.read()
                    thrown.append((read(answer)["version"], rig.tray.truth))
                    rig.wait_s(random.uniform(0, 1))
                    settle(rig)
            finally:
                tapper.stop()

        happened = [
            event.dice
            for event in rig.companion.snapshot().match.timeline
            if isinstance(event, Thrown)
        ]

    assert [tuple(sorted(dice)) for dice in happened] == [tuple(sorted(dice)) for _, dice in thrown]
    for shown, points, after in tapper.banked:
        assert points == shown
        lay = sum(version < after["version"] for version, _ in thrown)
        assert n_throws(after) == lay, "a throw that lay in the tray was not read before the bank"
    farkles = sum(turn.ending == "farkle" for turn in rig.state.turns)
    assert tapper.taps
    assert tapper.banked or len(thrown) < MIN_THROWS_FOR_A_BANK
    print(
        f"{len(thrown)} throws, {tapper.taps} taps, {len(tapper.banked)} banks, {farkles} farkles"
    )
