"""Who meets whom in a tournament: everybody everybody, or who loses is out."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from game.errors import IllegalMove
from game.message import Message

FEWEST, MOST = 3, 64
"""Players; two have a match, and 65 in a round robin would meet for weeks."""

BYE = 0
"""In place of a player: whoever is drawn against it rests, or goes on unplayed."""


class TournamentKind(StrEnum):
    """How a tournament is played."""

    ROUND_ROBIN = "round robin"
    KNOCK_OUT = "knock-out"


@dataclass(frozen=True, slots=True)
class TournamentPlan:
    """A tournament; `players` in the order of their strength, or of the draw."""

    kind: TournamentKind
    players: tuple[int, ...]
    rules: str
    target: int | None = None

    def __post_init__(self) -> None:
        if not FEWEST <= len(set(self.players)) == len(self.players) <= MOST:
            raise IllegalMove(
                Message(
                    "a tournament has %(least)s to %(most)s players, each once",
                    least=FEWEST,
                    most=MOST,
                )
            )


@dataclass(frozen=True, slots=True)
class Pairing:
    """Two who meet; in a knock-out None is who is not known yet. Rounds count from 1."""

    number: int
    round: int
    first: int | None
    second: int | None

    @property
    def players(self) -> frozenset[int]:
        """Both, once they are known; else empty."""
        if self.first is None or self.second is None:
            return frozenset()
        return frozenset((self.first, self.second))


def pairings(plan: TournamentPlan, winners: Mapping[frozenset[int], int]) -> tuple[Pairing, ...]:
    """All pairings in the order of play; `winners` says who won between which two."""
    drawn = (
        _round_robin(plan) if plan.kind is TournamentKind.ROUND_ROBIN else _knock_out(plan, winners)
    )
    return tuple(
        Pairing(number, turn, first, second) for number, (turn, first, second) in enumerate(drawn)
    )


def _round_robin(plan: TournamentPlan) -> Iterator[tuple[int, int, int]]:
    """The first sits still, all others move on by one seat each round."""
    still, *others = (*plan.players, *([BYE] if len(plan.players) % 2 else []))
    for turn in range(1, len(others) + 1):
        seats = [still, *others]
        for first, second in zip(seats, reversed(seats[len(seats) // 2 :]), strict=False):
            if BYE not in (first, second):
                yield turn, first, second
        others = [others[-1], *others[:-1]]


def _knock_out(
    plan: TournamentPlan, winners: Mapping[frozenset[int], int]
) -> Iterator[tuple[int, int | None, int | None]]:
    """The strongest meet last; where players are missing, the strongest go on unplayed."""
    slots: list[int | None] = [
        plan.players[seed] if seed < len(plan.players) else BYE
        for seed in _seeds(len(plan.players))
    ]
    turn = 1
    while len(slots) > 1:
        on: list[int | None] = []
        for first, second in zip(slots[::2], slots[1::2], strict=True):
            if second == BYE:
                on.append(first)
                continue
            yield turn, first, second
            known = first is not None and second is not None
            on.append(winners.get(frozenset((first, second))) if known else None)  # type: ignore[arg-type]
        slots, turn = on, turn + 1


def _seeds(n_players: int) -> list[int]:
    """The order of a bracket: 0 against the last, and 1 in the other half."""
    seeds = [0]
    while len(seeds) < n_players:
        last = 2 * len(seeds) - 1
        seeds = [seed for top in seeds for seed in (top, last - top)]
    return seeds
