"""The coach: has figures worked out aside, and remembers them until the match moves on.

Solving goes on in slices of a fraction of a second, so that a question of the table never waits long.
"""

import logging
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from threading import RLock
from typing import Any, Protocol

from device.notebook import Notebook
from game.counts import Counts, DiceSet
from game.errors import GameError
from game.history import History
from game.match import Match
from game.odds.figures import Figures
from game.odds.review import Review
from game.ruleset import Ruleset
from web.coaching import Coaching, LookedBack, Mode

log = logging.getLogger(__name__)

TABLES = "odds"
"""The folder of solved matches, in the state folder."""

SLICE_S = 0.25
REMEMBERED = 8
"""Matches looked back on: some hundred kB each."""

AT_ONCE = 2
"""However many phones ask for however many matches: the table's own questions come first."""

Seen = tuple[str, int, int]
"""Identity of the journal, number of the match, steps in it: what a review is of."""


class Asked(Protocol):
    """Answers the questions of `device.thinking.Thinker`, some time later: `device.aside.Aside`."""

    def ask(self, question: str, *args: object) -> Future[Any]: ...

    def close(self) -> None: ...


class Coach:
    """What the page can be told beyond the match itself; see `web.coaching.Coach`.

    Args:
        aside: works things out.
        history: all matches of the journal.
        notebook: keeps how much the coach says, and which dice are thrown.

    Attributes:
        changed: called whenever phones must be told, from any thread.
    """

    def __init__(self, aside: Asked, history: History, notebook: Notebook) -> None:
        self.changed: Callable[[], object] = lambda: None
        self._aside, self._history, self._notebook = aside, history, notebook
        self._lock = RLock()
        self._wanted: Match | None = None
        self._asked: Match | None = None
        self._figures: tuple[Match, Figures] | None = None
        self._solving: Ruleset | None = None
        self._share = 0.0
        self._troubles: dict[Ruleset, str] = {}
        self._looked: OrderedDict[Seen, LookedBack | None] = OrderedDict()
        self._counts: Counts | None = None
        self._counted: tuple[str, int, tuple[DiceSet, ...]] | None = None

    def close(self) -> None:
        self._aside.close()

    # At the table

    def switch(self, mode: Mode) -> None:
        """From now on it says so much.

        Raises:
            TableError: that cannot be kept over a restart.
        """
        self._notebook.change(lambda notes: replace(notes, mode=mode))
        if mode is Mode.OFF:
            with self._lock:
                self._wanted = self._solving = None

    @property
    def _mode(self) -> Mode:
        return self._notebook.notes.mode

    def coaching(self, match: Match | None) -> Coaching:
        """What it says of this match now; what is not known yet comes with a later `changed`."""
        with self._lock:
            if self._mode is Mode.OFF or match is None:
                return Coaching(self._mode)
            self._want(match)
            rules = match.rules
            solving = self._share if self._solving == rules else None
            return Coaching(self._mode, self._shown(match), solving, self._troubles.get(rules, ""))

    def _shown(self, match: Match) -> Figures | None:
        """Those of this match; while they are worked out, of the turn before alone."""
        if self._figures is None:
            return None
        of, found = self._figures
        if of.state is match.state and self._mode is Mode.LIVE:
            return found
        same_turn = len(of.state.turns) == len(match.state.turns)
        return replace(found, keeps=(), before=None, turn=found.turn if same_turn else ())

    def _want(self, match: Match) -> None:
        self._wanted = match
        known = self._figures is not None and self._figures[0].state is match.state
        if self._asked is None and not known:
            self._asked = match
            bare = replace(match, before=None, after=())
            self._aside.ask("figures", bare).add_done_callback(self._take_figures)

    def _take_figures(self, future: "Future[Figures]") -> None:
        with self._lock:
            of, self._asked = self._asked, None
            found = _result(future)
            if of is None or found is None:
                return
            self._figures = of, found
            if not found.solved and self._mode is not Mode.OFF:
                self._begin_to_solve(of.rules)
            if self._wanted is not None:
                self._want(self._wanted)
        self.changed()

    # Solving

    def solve(self, match_id: int) -> None:
        rules = self._history.match(match_id).rules
        with self._lock:
            self._begin_to_solve(rules)
        self.changed()

    def _begin_to_solve(self, rules: Ruleset) -> None:
        if rules in self._troubles or self._solving == rules:
            return
        waiting = self._solving is not None
        self._solving, self._share = rules, 0.0
        if not waiting:
            self._go_on(rules)

    def _go_on(self, rules: Ruleset) -> None:
        future = self._aside.ask("solve", rules, SLICE_S)
        future.add_done_callback(lambda done: self._take_share(rules, done))

    def _take_share(self, rules: Ruleset, future: "Future[float]") -> None:
        """Phones are told of every hundredth."""
        with self._lock:
            before, error = self._share, future.exception()
            if isinstance(error, GameError):
                self._troubles[rules] = str(error)
            if self._solving == rules:
                self._share = 0.0 if error else future.result()
                if error or self._share == 1.0:
                    self._solving = None
                if not error and self._solving is None:
                    self._forget_points_alone()
            if self._solving:
                self._go_on(self._solving)
            news = int(self._share * 100) != int(before * 100) or self._solving is None
        if news:
            self.changed()

    def _forget_points_alone(self) -> None:
        """What was said without chances to win is out of date."""
        self._figures = None
        self._looked.clear()

    # Matches looked back on

    def look_back(self, match_id: int, steps: int) -> LookedBack | None:
        key = self._history.identity, match_id, steps
        with self._lock:
            if key not in self._looked and self._under_way < AT_ONCE:
                self._ask_for_review(key)
            found = self._looked.get(key)
        if found is None or found.solved:
            return found
        rules = self._history.match(match_id).rules
        with self._lock:
            solving = self._share if self._solving == rules else None
            return replace(found, solving=solving, trouble=self._troubles.get(rules, ""))

    @property
    def _under_way(self) -> int:
        return sum(found is None for found in self._looked.values())

    def _ask_for_review(self, key: Seen) -> None:
        self._looked[key] = None
        while len(self._looked) > REMEMBERED:
            self._looked.popitem(last=False)
        future = self._aside.ask("look_back", key[1])
        future.add_done_callback(lambda done: self._take_review(key, done))

    def _take_review(self, key: Seen, future: "Future[tuple[Review, bool]]") -> None:
        with self._lock:
            found = _result(future)
            if found is None:
                self._looked.pop(key, None)
            elif key in self._looked:
                self._looked[key] = LookedBack(*found)

    # All matches together

    def counts(self) -> Counts | None:
        identity, newest = self._history.identity, self._newest()
        with self._lock:
            asked = identity, newest, self._notebook.notes.dice
            if asked != self._counted:
                self._counted, self._counts = asked, None
                self._count(asked[2])
            return self._counts

    def _count(self, sets: tuple[DiceSet, ...]) -> None:
        self._aside.ask("count", sets, SLICE_S).add_done_callback(
            lambda done: self._take_counts(sets, done)
        )

    def _take_counts(self, sets: tuple[DiceSet, ...], future: "Future[Counts | None]") -> None:
        with self._lock:
            if future.exception() is not None:
                _result(future)
                self._counted = None
            elif (found := future.result()) is None:
                self._count(sets)
            elif self._notebook.notes.dice == sets:
                self._counts = found

    def new_dice(self, name: str) -> None:
        newest = self._newest()
        self._notebook.change(lambda notes: notes.with_dice(DiceSet(name, newest)))

    def _newest(self) -> int:
        """The position of the last entry there is."""
        return next((played.position for played in self._history.matches(limit=1)), 0)


def _result(future: "Future[Any]") -> Any:
    """What was answered; None where that went wrong, which the log tells."""
    error = future.exception()
    if error is not None:
        log.warning("the coach has no answer: %s", error)
        return None
    return future.result()
