"""The pencil: who may change anything at this table. Everybody may watch.

Pressing the tray's own button is proof of standing there, and so is the PIN. Proof gives the pencil
to the phone that asks, unless somebody holds it who is here: then that person is asked.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from threading import Lock
from time import monotonic

from game.message import Message
from game.names import called
from game.situation import TableError
from web.contracts.table import ScorekeeperView

ASK_S = 30.0
"""How long a phone that asked waits for the button, or for the holder's answer."""

UNSEEN_S = 120.0
"""A holder whose phone was not heard of for so long has gone, or the phone sleeps in a pocket."""

MAX_SEATS = 40
"""Phones that said who plays on them: twice the players there can be."""


@dataclass(frozen=True, slots=True)
class ScorekeeperRecord:
    """What outlives a restart; phones are known by the badge that all may see.

    Attributes:
        holder: the phone that holds the pencil, "" if none does.
        own_turn: whether a player's own phone may keep, bank and correct in that player's turn.
        players: phone -> the name of who plays on it.
    """

    holder: str = ""
    own_turn: bool = False
    players: dict[str, str] = field(default_factory=dict)


class Scorekeeper:
    """The one pencil of this table. Every method may be called from any thread.

    >>> pencil = Scorekeeper()
    >>> pencil.ask("anna's phone")
    >>> pencil.press()
    True
    >>> pencil.holds("anna's phone")
    True

    Args:
        kept: what was so before a restart; a holder who comes back still has the pencil.
        keep: called with what must outlive a restart, whenever that changes.
        changed: called whenever phones must be told.
        by_button: whether the tray has a real button, whose press gives the pencil.
        clock: seconds that never run backwards.
    """

    def __init__(
        self,
        kept: ScorekeeperRecord | None = None,
        *,
        keep: Callable[[ScorekeeperRecord], object] = lambda _: None,
        changed: Callable[[], object] = lambda: None,
        by_button: bool = True,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._changed, self.by_button = changed, by_button
        self._kept = self._written = kept or ScorekeeperRecord()
        self._keep = keep
        self._clock = clock
        self._lock, self._writing = Lock(), Lock()
        self._seen_s: float | None = None
        self._asking = ""
        self._asked_s = 0.0

    def __repr__(self) -> str:
        return f"<web.Scorekeeper {self.view()}>"

    def view(self) -> ScorekeeperView:
        """What every phone may know."""
        with self._lock:
            asking, here = self._asking if self._waits else "", self._holder_is_here
            return ScorekeeperView(
                holder=self._kept.holder,
                asking=asking,
                by_button=bool(asking) and self.by_button and not here,
                by_holder=bool(asking) and here,
                own_turn=self._kept.own_turn,
                players=tuple(sorted(self._kept.players.items())),
                asker=self._called(asking) if asking else "",
            )

    def holds(self, phone: str) -> bool:
        return bool(phone) and self._kept.holder == phone

    def plays(self, phone: str, name: str) -> bool:
        """Whether this is the own phone of the player of that name, and may act as such."""
        return self._kept.own_turn and self._kept.players.get(phone) == name

    def seen(self, phone: str) -> None:
        """This phone was heard of just now."""
        with self._lock:
            if self.holds(phone):
                self._seen_s = self._clock()

    def ask(self, phone: str) -> None:
        """From now on this phone waits for the button, or for the holder's answer.

        Raises:
            TableError: another phone is asking.
        """
        with self._changing():
            if self.holds(phone):
                return
            if self._waits and self._asking != phone:
                raise TableError(
                    Message("another phone is asking just now: try again in half a minute")
                )
            if not self._waits:  # who asks again waits no longer for it
                self._asking, self._asked_s = phone, self._clock()

    def press(self) -> bool:
        """The real button was pressed: whether that gave the pencil, and so reads nothing."""
        with self._changing():
            given = self._waits and not self._holder_is_here
            if given:
                self._give(self._asking)
        return given

    def prove(self, phone: str) -> bool:
        """The phone knows the PIN: it gets the pencil, or the holder who is here is asked."""
        with self._changing():
            given = self.holds(phone) or not self._holder_is_here
            if given:
                self._give(phone)
        if not given:
            self.ask(phone)
        return given

    def answer(self, *, give: bool) -> None:
        """The holder hands the pencil to the phone that asks, or says no.

        Raises:
            TableError: nobody asks any more.
        """
        with self._changing():
            if not self._waits:
                raise TableError(Message("nobody asks for the pencil any more"))
            if give:
                self._give(self._asking)
            self._asking = ""

    def lay_down(self) -> None:
        """The holder lays it down: the next who asks and proves it gets it."""
        with self._changing():
            self._kept = replace(self._kept, holder="")

    def let_own_turns(self, *, on: bool) -> None:
        """Whether each player's own phone may act in that player's turn."""
        with self._changing():
            self._kept = replace(self._kept, own_turn=on)

    def sit(self, phone: str, name: str) -> None:
        """This is the phone of the player of that name; "" for nobody's.

        Raises:
            TableError: another phone is that player's, or too many have a player.
        """
        with self._changing():
            others = {p: n for p, n in self._kept.players.items() if p != phone}
            if name and name in others.values():
                raise TableError(
                    Message(
                        "another phone is %(name)s's: whoever holds the pencil can clear that",
                        name=called(name),
                    )
                )
            if name and len(others) >= MAX_SEATS:
                raise TableError(
                    Message(
                        "too many phones have a player: whoever holds the pencil can clear them"
                    )
                )
            self._kept = replace(self._kept, players=others | ({phone: name} if name else {}))

    def rename(self, names: Mapping[str, str]) -> None:
        """Players are called something else now, by the name before: their phones stay theirs."""
        with self._changing():
            players = self._kept.players
            moved = {phone: names[name] for phone, name in players.items() if name in names}
            stayed = {p: name for p, name in players.items() if name not in moved.values()}
            self._kept = replace(self._kept, players=stayed | moved)

    def free(self) -> None:
        """No phone is any player's."""
        with self._changing():
            self._kept = replace(self._kept, players={})

    def _called(self, phone: str) -> str:
        """So that a room can tell who asks: not every phone that does is held by a guest."""
        number = 10 + int.from_bytes(phone.encode(), "big") % 90
        return self._kept.players.get(phone) or str(number)

    @property
    def _waits(self) -> bool:
        return bool(self._asking) and self._clock() - self._asked_s < ASK_S

    @property
    def _holder_is_here(self) -> bool:
        seen_s = self._seen_s
        return bool(self._kept.holder) and seen_s is not None and self._clock() - seen_s < UNSEEN_S

    def _give(self, phone: str) -> None:
        self._asking = ""
        self._seen_s = self._clock()
        self._kept = replace(self._kept, holder=phone)

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """What changes is written and told once the lock is free: the table waits for no card."""
        with self._lock:
            before = self._kept, self._asking, self._asked_s
            yield
            changed = (self._kept, self._asking, self._asked_s) != before
        if changed:
            self._write()
            self._changed()

    def _write(self) -> None:
        """The newest state, and never one before it afterwards."""
        with self._writing:
            newest = self._kept
            if newest != self._written:
                self._keep(newest)
                self._written = newest
