"""Kills while a camera reads and a phone sends requests: each repeated request is carried out once."""

import random
import time
from contextlib import suppress
from dataclasses import dataclass
from http.client import HTTPException
from http.cookiejar import CookieJar
from pathlib import Path
from threading import Timer
from typing import Any
from urllib.error import HTTPError

import pytest

from game.journal.history import History
from game.journal.journal import JOURNAL_FILE
from game.match.events import Thrown
from game.situation import Situation
from tests.campaigns.phone import Played
from tests.campaigns.size import count

SIMULATED = ("--camera", "sim", "--still", "0.1", "--roll", "0.1", "--seed")
LIFE_S = 4.0
ROLLED_S = 0.4
STOP_S = 1.2
"""A hold of this length stops waiting."""

REFUSED = 409
ASKED = {Situation.QUESTION, Situation.ATTENTION}
"""Entered dice that cannot have been thrown are not a step yet."""


@dataclass(frozen=True)
class Wish:
    """A request of a phone, which is sent again if no answer came."""

    key: str
    path: str
    body: dict[str, object]


@dataclass
class Phone:
    """Plays, and knows what it was told.

    Attributes:
        told: the entries of the journal when the last answer came.
        waiting: for whose answer it waits.
    """

    folder: Path
    rng: random.Random
    told: tuple[object, ...] = ()
    waiting: Wish | None = None
    wishes: int = 0

    def begin(self, table: Played) -> None:
        if not self.told:
            table.post("match", "begin", names=["Anna", "Ben"])
            self.heard()

    def play(self, table: Played) -> None:
        """Send requests until the program is killed."""
        Timer(self.rng.uniform(0.02, LIFE_S), table.kill).start()
        with suppress(OSError, HTTPException):  # perhaps in the middle of an answer
            while True:
                if self.rng.random() < 0.5:
                    self._throw(table)
                else:
                    self._wish(table)

    def send_again(self, table: Played) -> None:
        """Check that the request whose answer was lost was carried out once, before or after the restart, or was refused or questioned."""
        found = self.entries()
        assert found[: len(self.told)] == self.told, "lost"
        assert len(found) <= len(self.told) + 1, "invented"
        if self.waiting and self.waiting.path == "press":
            self._press_again(table, self.waiting, done=len(found) > len(self.told))
        elif self.waiting:
            answer = self._sent(table, self.waiting)
            done = bool(answer) and answer["situation"] not in ASKED
            assert len(self.entries()) - len(self.told) == done, (self.waiting, answer)
        self.heard()

    def _press_again(self, table: Played, press: Wish, *, done: bool) -> None:
        """Check that the dice are read only if their throw was not written yet."""
        answer = self._sent(table, press)
        assert not (done and answer["situation"] == Situation.WAITING), "twice"
        end_s = time.monotonic() + LIFE_S
        while table.state()["situation"] == Situation.WAITING:
            if time.monotonic() > end_s:  # an empty tray is waited for as long as it takes
                self._sent(table, Wish("", "hold", {"seconds": STOP_S}))
            time.sleep(0.05)

    def heard(self) -> None:
        self.told, self.waiting = self.entries(), None

    def entries(self) -> tuple[object, ...]:
        return History(self.folder / JOURNAL_FILE).entries(limit=-1)

    def _wish(self, table: Played) -> None:
        self.wishes += 1
        path = self.rng.choice(("dice", "bank", "skip", "undo", "redo"))
        dice = [self.rng.randint(1, 6) for _ in range(6)]
        body: dict[str, object] = {"dice": dice} if path == "dice" else {}
        self.waiting = Wish(f"wish-{self.wishes}", path, body)
        self._sent(table, self.waiting)
        self.heard()

    def _throw(self, table: Played) -> None:
        """Throw dice for the camera, unless the match is over."""
        if not self._sent(table, Wish("", "throw", {})):
            return
        time.sleep(ROLLED_S)
        self.wishes += 1
        self.waiting = Wish(f"wish-{self.wishes}", "press", {})
        if self._sent(table, self.waiting):
            while table.state()["situation"] == Situation.WAITING:
                time.sleep(0.05)
        self.heard()

    def _sent(self, table: Played, wish: Wish) -> dict[str, Any]:
        """Return the table at that time, or nothing if the request was refused."""
        try:
            return table.post(wish.path, wish.key, **wish.body)
        except HTTPError as refused:
            if refused.code != REFUSED:
                raise AssertionError(refused) from None
            return {}


@pytest.mark.long
@pytest.mark.campaign
@pytest.mark.timeout(14_400)
@pytest.mark.parametrize("evening", range(count(1, 4)))
def test_a_request_whose_answer_was_lost_is_carried_out_once_across_a_restart(tmp_path, evening):
    kills, cookies = count(2, 500), CookieJar()
    phone, again = Phone(tmp_path, random.Random(11 + evening)), 0
    began_s = time.monotonic()
    for number in range(kills):
        table = Played(tmp_path, cookies, *SIMULATED, str(number))
        try:
            again += phone.waiting is not None
            phone.send_again(table) if phone.told else phone.begin(table)
            phone.play(table)
        finally:
            table.kill()
            table.gone()
    seen = sum(
        any(place.seen for place in action.places)
        for entry in phone.entries()
        for action in entry.actions
        if isinstance(action, Thrown)
    )
    print(
        f"\n{kills} kills in {time.monotonic() - began_s:.0f} s: {len(phone.told)} steps told, "
        f"{seen} of them read by the camera, {again} wishes sent again, 0 lost, 0 twice"
    )
