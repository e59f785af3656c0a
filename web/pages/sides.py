"""The sides of a match. A side is a player, or a team whose players share one score, colour and shape."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from game.journal.entry import Result
from game.stats.summary import MatchSummary
from web.i18n.translate import player_name
from web.state.json_schema import PlayerJson

Teams = Sequence[int | None]
"""Team of each seat, or None for a player without a team."""


@dataclass(frozen=True, slots=True)
class Side:
    """A player or a team.

    Attributes:
        seat: The first seat. Its colour and shape mark the whole side.
        seats: Seats of all players.
        names: Names of these players.
        score: Points of the side.
        on_turn: Seat of the current player, or None if it is another side's turn.
        has_won: Whether the side has won.
    """

    seat: int
    seats: tuple[int, ...]
    names: tuple[str, ...]
    score: int
    on_turn: int | None = None
    has_won: bool = False

    @property
    def players(self) -> tuple[tuple[int, str], ...]:
        """Seat and name of each player."""
        return tuple(zip(self.seats, self.names, strict=True))


def side_seat(seat: int, teams: Teams) -> int:
    """Return the seat whose colour and shape a player has: the first one of the team.

    Args:
        seat: Seat of the player.
        teams: Team of each seat.
    """
    team = teams[seat]
    return seat if team is None else teams.index(team)


def sides(players: Sequence[PlayerJson], *, with_left: bool = False) -> list[Side]:
    """Return the sides in the order of their seats.

    Args:
        players: The players of the match.
        with_left: Whether players who have left are included.
    """
    teams = [player["team"] for player in players]
    present = [player["seat"] for player in players if player["here"] or with_left]
    return [_side(players, seat, seats) for seat, seats in _grouped(present, teams).items()]


def _side(players: Sequence[PlayerJson], seat: int, seats: tuple[int, ...]) -> Side:
    names = tuple(players[each]["name"] for each in seats)
    on_turn = next((each for each in seats if players[each]["on_turn"]), None)
    return Side(seat, seats, names, players[seats[0]]["score"], on_turn)


def standings(result: Result) -> list[Side]:
    """Return the sides of a match by score, the winner first."""
    grouped = _grouped(range(len(result.names)), result.teams)
    found = [
        Side(
            seat,
            seats,
            tuple(result.names[each] for each in seats),
            result.scores[seat],
            has_won=result.has_won(seat),
        )
        for seat, seats in grouped.items()
    ]
    return sorted(found, key=lambda side: (not side.has_won, -side.score))


def summary_sides(match: MatchSummary) -> list[Side]:
    """Return the sides of a summarised match: by score once the match is won, and by seat until then.

    A side whose players have all left without points is left out.
    """
    players, turn = match["players"], match["turn"]
    result = Result(
        tuple(player["name"] for player in players),
        tuple(player["team"] for player in players),
        tuple(player["score"] for player in players),
        match["winner"],
        match["turns"],
    )
    found = standings(result)
    if match["winner"] is None:
        found = sorted(
            (
                replace(each, on_turn=turn["seat"] if turn and turn["seat"] in each.seats else None)
                for each in found
            ),
            key=lambda side: side.seat,
        )
    return [
        each for each in found if each.score or any(players[seat]["here"] for seat in each.seats)
    ]


def side_name(side: Side) -> str:
    """Return the name of a player, or the names of all players of a team: "Anna + Ben"."""
    return " + ".join(map(player_name, side.names))


def _grouped(seats: Sequence[int], teams: Teams) -> dict[int, tuple[int, ...]]:
    """Return the seats of each side by the seat that marks it."""
    found: dict[int, tuple[int, ...]] = {}
    for seat in seats:
        mark = side_seat(seat, teams)
        found[mark] = (*found.get(mark, ()), seat)
    return found
