"""The phones that are present, each with a name by which people can recognise it: "An iPhone", "Tablet 2"."""

from collections.abc import Callable
from enum import StrEnum
from time import monotonic
from typing import NamedTuple

from game.message import Message

ABSENT_AFTER_S = 120.0
"""A phone that has sent nothing for this many seconds has left, or is in somebody's pocket."""

MAX_PHONES = 100
"""Largest number of phones that are remembered. There are more only if a program pretends to be many phones."""


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
