"""The scorekeeper: the one phone that may change the match. Every other phone watches.

A phone becomes the scorekeeper by proving that somebody stands at the tray, either with a press of
the tray's real button or with the PIN. If the current scorekeeper's phone is still active, the
current scorekeeper is asked first.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from enum import StrEnum
from threading import Lock
from time import monotonic
from typing import Any, NamedTuple

from game.message import Message
from game.names import display_name
from game.situation import TableError
from web.contracts import ScorekeeperView

ABSENT_AFTER_S = 120.0
"""A phone that has sent nothing for this many seconds has left, or is in somebody's pocket."""

MAX_PHONES = 100
"""Largest number of phones that are remembered. There are more only if a program pretends to be many phones."""

REQUEST_S = 30.0
"""How long a request waits for the button or for the scorekeeper's answer, in seconds."""

MAX_PLAYER_PHONES = 40
"""Largest number of phones that belong to players: twice the number of players that a match can have."""


class PhoneKind(StrEnum):
    """The kind of device that a browser reports. Nothing else about the device is kept."""

    IPHONE = "iPhone"
    ANDROID = "Android"
    TABLET = "tablet"
    COMPUTER = "computer"
    OTHER = "phone"


ALONE = {
    PhoneKind.IPHONE: Message("An iPhone"),
    PhoneKind.ANDROID: Message("An Android phone"),
    PhoneKind.TABLET: Message("A tablet"),
    PhoneKind.COMPUTER: Message("A computer"),
    PhoneKind.OTHER: Message("A phone"),
}
"""The name of a phone that is the only one of its kind."""


def phone_kind(user_agent: str) -> PhoneKind:
    """Return the kind of device that a browser reports. Android tablets leave out the word Mobile."""
    is_android = "Android" in user_agent
    if "iPhone" in user_agent:
        return PhoneKind.IPHONE
    if "iPad" in user_agent or (is_android and "Mobile" not in user_agent):
        return PhoneKind.TABLET
    if is_android:
        return PhoneKind.ANDROID
    is_desktop = any(name in user_agent for name in ("Windows NT", "Macintosh", "X11", "CrOS"))
    return PhoneKind.COMPUTER if is_desktop else PhoneKind.OTHER


class PresentPhone(NamedTuple):
    """A phone that is present, its number among phones of its kind, and when it was last active."""

    kind: PhoneKind
    number: int
    seen_s: float


class PresentPhones:
    """Numbers the phones of each kind that have been active recently. Callers must hold a lock.

    >>> phones = PresentPhones()
    >>> phones.mark_seen("a", "iPhone")
    >>> str(phones.label("a"))
    'An iPhone'
    >>> phones.mark_seen("b", "iPhone")
    >>> str(phones.label("b"))
    'iPhone 2'

    Args:
        clock: Returns monotonic time in seconds.
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._phones: dict[str, PresentPhone] = {}

    def mark_seen(self, phone: str, user_agent: str = "") -> None:
        """Record that a phone is active. A phone keeps its number as long as it is present.

        Args:
            phone: Badge of the phone.
            user_agent: The `User-Agent` header of its browser; "" if there is none.
        """
        now_s, kind = self._clock(), phone_kind(user_agent)
        known = self._phones.pop(phone, None)
        self._phones = {
            other: seen
            for other, seen in list(self._phones.items())[1 - MAX_PHONES :]
            if now_s - seen.seen_s < ABSENT_AFTER_S
        }
        is_same = known is not None and known.kind is kind
        number = known.number if known and is_same else self._free_number(kind)
        self._phones[phone] = PresentPhone(kind, number, now_s)

    def is_present(self, phone: str) -> bool:
        """Return whether a phone has been active recently."""
        seen = self._phones.get(phone)
        return seen is not None and self._clock() - seen.seen_s < ABSENT_AFTER_S

    def label(self, phone: str) -> Message:
        """Return a name by which people can recognise a phone.

        The name has a number if other phones of its kind are present.
        """
        seen = self._phones.get(phone)
        if seen is None:
            return ALONE[PhoneKind.OTHER]
        alike = [
            p for p, each in self._phones.items() if each.kind is seen.kind and self.is_present(p)
        ]
        return _numbered(seen) if len(alike) > 1 else ALONE[seen.kind]

    def _free_number(self, kind: PhoneKind) -> int:
        taken = {each.number for each in self._phones.values() if each.kind is kind}
        return next(n for n in range(1, len(taken) + 2) if n not in taken)


def _numbered(phone: PresentPhone) -> Message:
    match phone.kind:
        case PhoneKind.IPHONE:
            return Message("iPhone %(n)s", n=phone.number)
        case PhoneKind.ANDROID:
            return Message("Android phone %(n)s", n=phone.number)
        case PhoneKind.TABLET:
            return Message("Tablet %(n)s", n=phone.number)
        case PhoneKind.COMPUTER:
            return Message("Computer %(n)s", n=phone.number)
    return Message("Phone %(n)s", n=phone.number)


@dataclass(frozen=True, slots=True)
class ScorekeeperRecord:
    """The data that survives a restart: the scorekeeper's phone and the players' phones, by their badges.

    Attributes:
        holder: The scorekeeper's phone, or "" if there is none.
        own_turn: Whether a player's own phone may keep, bank and correct during that player's turn.
        players: Badge of a phone -> name of the player to whom the phone belongs.
    """

    holder: str = ""
    own_turn: bool = False
    players: dict[str, str] = field(default_factory=dict)


class Scorekeeper:
    """Decides which phone is the scorekeeper. Any thread may call its methods.

    >>> scorekeeper = Scorekeeper()
    >>> scorekeeper.ask("anna's phone")
    >>> scorekeeper.press_button()
    True
    >>> scorekeeper.is_held_by("anna's phone")
    True

    Args:
        record: The state stored before a restart, so that the scorekeeper's phone keeps its role.
        save: Called with the state that must survive a restart, whenever that state changes.
        on_change: Called whenever the phones have to be informed.
        has_button: Whether the tray has a real button. Pressing it makes the asking phone
            the scorekeeper.
        clock: Returns monotonic time in seconds.
    """

    def __init__(
        self,
        record: ScorekeeperRecord | None = None,
        *,
        save: Callable[[ScorekeeperRecord], object] = lambda _: None,
        on_change: Callable[[], object] = lambda: None,
        has_button: bool = True,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._record = self._saved = record or ScorekeeperRecord()
        self._request: tuple[str, float] | None = None
        self._lock, self._saving = Lock(), Lock()
        self._save, self._on_change = save, on_change
        self.has_button = has_button
        self._phones = PresentPhones(clock)
        self._clock = clock
        self._seen_s: float | None = None

    def __repr__(self) -> str:
        return f"<web.Scorekeeper {self.view()}>"

    def view(self) -> ScorekeeperView:
        """Return who the scorekeeper is, in a form that every phone may see."""
        with self._lock:
            record = self._record
            asking, is_present = self._asking, self._is_present
            return ScorekeeperView(
                holder=record.holder,
                asking=asking,
                by_button=bool(asking) and self.has_button and not is_present,
                by_holder=bool(asking) and is_present,
                own_turn=record.own_turn,
                players=tuple(sorted(record.players.items())),
                asker=(record.players.get(asking) or self._phones.label(asking)) if asking else "",
            )

    def is_held_by(self, phone: str) -> bool:
        """Return whether this phone is the scorekeeper."""
        return bool(phone) and self._record.holder == phone

    def mark_seen(self, phone: str, user_agent: str = "") -> None:
        """Record that a phone is active, because it has just sent a request.

        Args:
            phone: Badge of the phone, or "" if it has none.
            user_agent: The `User-Agent` header of its browser; "" if there is none.
        """
        if not phone:
            return
        with self._lock:
            self._phones.mark_seen(phone, user_agent)
            if self.is_held_by(phone):
                self._seen_s = self._clock()

    def ask(self, phone: str) -> None:
        """Register a phone's request to become the scorekeeper.

        The request waits for a press of the button, or for the answer of an active scorekeeper.
        Asking again does not extend the wait.

        Raises:
            TableError: If another phone is waiting.
        """
        with self._changing():
            if self.is_held_by(phone):
                return
            if self._asking not in ("", phone):
                raise TableError(
                    Message("another phone is already asking: try again in half a minute")
                )
            if not self._asking:
                self._request = phone, self._clock()

    def press_button(self) -> bool:
        """Handle a press of the real button.

        Returns:
            Whether the press made a phone the scorekeeper; if so, it does not also read the dice.
        """
        with self._changing():
            asking = self._asking
            is_given = bool(asking) and not self._is_present
            if is_given:
                self._give_to(asking)
        return is_given

    def prove(self, phone: str, *, is_agreed: bool = False) -> bool:
        """Accept a phone's proof: a correct PIN or one-time link.

        The phone becomes the scorekeeper, unless an active scorekeeper has to be asked first.

        Args:
            phone: Badge of the phone.
            is_agreed: Whether the scorekeeper has already agreed, by showing the PIN.

        Returns:
            Whether the phone is now the scorekeeper.

        Raises:
            TableError: If another phone is waiting for the scorekeeper's answer.
        """
        with self._changing():
            is_given = is_agreed or self.is_held_by(phone) or not self._is_present
            if is_given:
                self._give_to(phone)
        if not is_given:
            self.ask(phone)
        return is_given

    def answer(self, phone: str | None = None, *, give: bool) -> None:
        """Hand the role to the phone that is asking, or refuse its request.

        Args:
            phone: Badge of the phone that is meant; None means the one that is asking now.
            give: True hands over the role, False refuses the request.

        Raises:
            TableError: If no phone is waiting, or another one than the one that is meant.
        """
        with self._changing():
            asking = self._asking
            if not asking:
                raise TableError(Message("nobody is asking to keep score any more"))
            if phone not in (None, asking):
                raise TableError(Message("another phone is asking now: look again"))
            if give:
                self._give_to(asking)
            self._request = None

    def release(self) -> None:
        """Take the role from the scorekeeper. The next phone that presents a proof gets the role."""
        with self._changing():
            self._update(holder="")

    # The phones that belong to players.

    def may_act(self, phone: str, name: str) -> bool:
        """Return whether this phone may act for a player during that player's turn.

        Args:
            phone: Badge of the phone.
            name: Name of the current player.
        """
        record = self._record
        return record.own_turn and record.players.get(phone) == name

    def allow_own_turns(self, *, on: bool) -> None:
        """Set whether each player's own phone may act during that player's turn."""
        with self._changing():
            self._update(own_turn=on)

    def assign_player(self, phone: str, name: str) -> None:
        """Record which player owns a phone.

        Args:
            phone: Badge of the phone.
            name: Name of the player, or "" if the phone belongs to no player.

        Raises:
            TableError: If the player already has another phone, or too many phones have a player.
        """
        with self._changing():
            record = self._record
            others = {p: n for p, n in record.players.items() if p != phone}
            if name and name in others.values():
                raise TableError(
                    Message(
                        "%(name)s already has another phone: the scorekeeper can release it",
                        name=display_name(name),
                    )
                )
            if name and len(others) >= MAX_PLAYER_PHONES:
                raise TableError(
                    Message(
                        "too many phones are assigned to players: the scorekeeper can release them"
                    )
                )
            players = others | ({phone: name} if name else {})
            self._update(players=players)

    def rename_players(self, names: Mapping[str, str]) -> None:
        """Keep each renamed player's phone; `names` maps old names to new ones."""
        with self._changing():
            players = self._record.players
            moved = {phone: names[name] for phone, name in players.items() if name in names}
            stayed = {p: name for p, name in players.items() if name not in moved.values()}
            self._update(players=stayed | moved)

    def forget_players(self) -> None:
        """Forget which player owns which phone."""
        with self._changing():
            self._update(players={})

    # The record, the open request, and the phones that are present.

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """Hold the lock for a change; save and announce the change after releasing it.

        The table reads the record at every snapshot, so it must never wait for the SD card.
        """
        with self._lock:
            before = self._record, self._request
            yield
            has_changed = (self._record, self._request) != before
        if has_changed:
            with (
                self._saving
            ):  # a slow thread must not overwrite the newest record with an older one
                newest = self._record
                if newest != self._saved:
                    self._save(newest)
                    self._saved = newest
            self._on_change()

    def _update(self, **changes: Any) -> None:
        """Replace fields of the record. Use it only within `_changing`."""
        self._record = replace(self._record, **changes)

    @property
    def _asking(self) -> str:
        """The phone whose request is still open, or ""."""
        phone, time_s = self._request or ("", 0.0)
        return phone if self._clock() - time_s < REQUEST_S else ""

    @property
    def _is_present(self) -> bool:
        """Whether the scorekeeper's phone has been active recently."""
        is_active = self._seen_s is not None and self._clock() - self._seen_s < ABSENT_AFTER_S
        return bool(self._record.holder) and is_active

    def _give_to(self, phone: str) -> None:
        self._request = None
        self._seen_s = self._clock()
        self._update(holder=phone)
