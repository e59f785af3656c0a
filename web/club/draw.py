"""The pairings of a tournament, either a round robin or a knock-out."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from game.errors import IllegalMove
from game.message import Message

MIN_PLAYERS, MAX_PLAYERS = 3, 64
"""Fewest and most players. Two players need no tournament; a round robin of 65 players would take weeks."""

BYE = 0
"""Player number that stands for "no opponent": the other player rests or advances."""


class TournamentKind(StrEnum):
    """The kinds of tournaments."""

    ROUND_ROBIN = "round robin"
    KNOCK_OUT = "knock-out"


@dataclass(frozen=True, slots=True)
class TournamentPlan:
    """The kind, the players and the rules of a tournament, which determine its pairings.

    Attributes:
        kind: Round robin or knock-out.
        players: Player numbers, strongest first or in the order of a draw.
        rules: Name of a published rule set.
        target: Points to win; None means the target of the rule set.
    """

    kind: TournamentKind
    players: tuple[int, ...]
    rules: str
    target: int | None = None

    def __post_init__(self) -> None:
        if not MIN_PLAYERS <= len(set(self.players)) == len(self.players) <= MAX_PLAYERS:
            raise IllegalMove(
                Message(
                    "a tournament needs %(least)s to %(most)s different players",
                    least=MIN_PLAYERS,
                    most=MAX_PLAYERS,
                )
            )


@dataclass(frozen=True, slots=True)
class Pairing:
    """Two players who meet in a round.

    Attributes:
        number: Position in the order of play, from 0.
        round: Round of the tournament, from 1.
        first: One player's number; None while that player is not known yet.
        second: The other player's number; None while that player is not known yet.
    """

    number: int
    round: int
    first: int | None
    second: int | None

    @property
    def players(self) -> frozenset[int]:
        """Both players, or an empty set until both are known."""
        if self.first is None or self.second is None:
            return frozenset()
        return frozenset((self.first, self.second))


def pairings(plan: TournamentPlan, winners: Mapping[frozenset[int], int]) -> tuple[Pairing, ...]:
    """Return all pairings in the order of play.

    Args:
        plan: The tournament.
        winners: The winner of each pair of players whose match is over.
    """
    drawn = (
        _round_robin(plan) if plan.kind is TournamentKind.ROUND_ROBIN else _knock_out(plan, winners)
    )
    return tuple(
        Pairing(number, round_, first, second)
        for number, (round_, first, second) in enumerate(drawn)
    )


def _round_robin(plan: TournamentPlan) -> Iterator[tuple[int, int, int]]:
    """Yield the round, from 1, and the two players of each pairing.

    This is the circle method: all players but the first move one place each round.
    """
    fixed, *others = (*plan.players, *([BYE] if len(plan.players) % 2 else []))
    for round_ in range(1, len(others) + 1):
        seats = [fixed, *others]
        for first, second in zip(seats, reversed(seats[len(seats) // 2 :]), strict=False):
            if BYE not in (first, second):
                yield round_, first, second
        others = [others[-1], *others[:-1]]


def _knock_out(
    plan: TournamentPlan, winners: Mapping[frozenset[int], int]
) -> Iterator[tuple[int, int | None, int | None]]:
    """Yield the round, from 1, and the two players of each pairing; None is a player not yet known.

    The strongest players get the byes, and meet last.
    """
    slots: list[int | None] = [
        plan.players[seed] if seed < len(plan.players) else BYE
        for seed in _seeds(len(plan.players))
    ]
    round_ = 1
    while len(slots) > 1:
        advancing: list[int | None] = []
        for first, second in zip(slots[::2], slots[1::2], strict=True):
            if second == BYE:
                advancing.append(first)
                continue
            yield round_, first, second
            known = first is not None and second is not None
            advancing.append(winners.get(frozenset((first, second))) if known else None)  # type: ignore[arg-type]
        slots, round_ = advancing, round_ + 1


def _seeds(n_players: int) -> list[int]:
    """Return the seeds in standard bracket order: 0 meets the last seed, and 1 is in the other half."""
    seeds = [0]
    while len(seeds) < n_players:
        last = 2 * len(seeds) - 1
        seeds = [seed for top in seeds for seed in (top, last - top)]
    return seeds
