"""Changes to the players of a match and to the order of turns."""

from dataclasses import replace

from game.errors import IllegalMove
from game.match.events import Joined, Left, Renamed, Reordered
from game.match.state import Player, State
from game.match.turns import abandon_turn, begin_turn, settle
from game.message import join_with_commas
from game.names import clean_name

MIN_PLAYERS, MAX_PLAYERS = 2, 20
MAX_TEAM = 100


def join(state: State, event: Joined) -> State:
    """Return the state after a player joins. The new player throws after all others.

    A player who left and joins again under the same name gets the old seat and score back.

    Args:
        state: State of the match before the event.
        event: Name and team of the player.
    """
    if len(state.order) == MAX_PLAYERS:
        raise IllegalMove("at most %(most)s players can play", most=MAX_PLAYERS)
    if (seat := _seat_to_return_to(state, event)) is not None:
        return replace(state.with_players((seat,), here=True), order=(*state.order, seat))
    name = _new_name(state, event.name)
    player = Player(name, team=clean_team(event.team))
    if mate := next(
        (p for p in state.players if p.team is not None and p.team == event.team), None
    ):
        player = replace(player, score=mate.score, opened=mate.opened)
    return replace(
        state, players=(*state.players, player), order=(*state.order, len(state.players))
    )


def leave(state: State, event: Left) -> State:
    """Return the state after a player leaves. If it was that player's turn, the next turn begins.

    Args:
        state: State of the match before the event.
        event: Seat of the player who leaves.
    """
    if event.seat not in state.order:
        raise IllegalMove("that player is not in the match: choose another one")
    check_sides(state.players, _without(state.order, event.seat))
    if event.seat == state.turn.seat:
        state = replace(begin_turn(abandon_turn(state), event.seat), left_over=None)
    return settle(
        replace(
            state.with_players((event.seat,), here=False),
            order=_without(state.order, event.seat),
            to_follow=_without(state.to_follow, event.seat),
        )
    )


def rename(state: State, event: Renamed) -> State:
    """Return the state after a player is given another name.

    Args:
        state: State of the match before the event.
        event: Seat and new name of the player.
    """
    check_seat(state, event.seat)
    name = _new_name(state, event.name, but=event.seat)
    return state.with_players((event.seat,), name=name)


def reorder(state: State, event: Reordered) -> State:
    """Return the state after the order of turns is changed.

    Args:
        state: State of the match before the event.
        event: The new order of the seats.
    """
    if sorted(event.order) != sorted(state.order):
        here = join_with_commas([state.players[seat].display_name for seat in sorted(state.order)])
        raise IllegalMove("the order must name each player once: %(names)s", names=here)
    return replace(state, order=event.order)


def check_seat(state: State, seat: int) -> None:
    """Check that a seat exists.

    Args:
        state: State of the match.
        seat: The seat. Its player may have left.

    Raises:
        IllegalMove: If there never was such a seat.
    """
    if not 0 <= seat < len(state.players):
        n = len(state.players)
        raise IllegalMove("that seat does not exist: the match has %(n)s players", n=n)


def check_sides(players: tuple[Player, ...], order: tuple[int, ...]) -> None:
    """Check that the players who take part can form a match.

    Args:
        players: The players by seat.
        order: The seats that take part, in the order of turns.

    Raises:
        IllegalMove: If there are too few or too many players, or all of them are in one team or are
            bots.
    """
    n = len(order)
    if not MIN_PLAYERS <= n <= MAX_PLAYERS:
        raise IllegalMove(
            "a match needs %(least)s to %(most)s players, not %(n)s",
            least=MIN_PLAYERS,
            most=MAX_PLAYERS,
            n=n,
        )
    teams = {players[seat].team for seat in order}
    if len(teams) == 1 and None not in teams:
        raise IllegalMove("a match needs at least two teams, not one")
    if all(players[seat].bot for seat in order):
        raise IllegalMove("a match needs at least one person besides its bots")


def clean_team(team: int | None) -> int | None:
    """Check a team number and return it. None stands for no team.

    Raises:
        IllegalMove: If the number is negative or too large.
    """
    if team is not None and not 0 <= team <= MAX_TEAM:
        raise IllegalMove("team numbers are 0 to %(most)s, not %(team)s", most=MAX_TEAM, team=team)
    return team


def _seat_to_return_to(state: State, event: Joined) -> int | None:
    """Return the seat of the joining player if that player left before, otherwise None."""
    name = clean_name(event.name)
    for seat, player in enumerate(state.players):
        if player.name == name and not player.here and event.team in (None, player.team):
            return seat
    return None


def _new_name(state: State, name: str, but: int | None = None) -> str:
    name = clean_name(name)
    if any(player.name == name for i, player in enumerate(state.players) if i != but):
        raise IllegalMove(
            "another player is already called %(name)s: choose another name", name=name
        )
    return name


def _without(seats: tuple[int, ...], seat: int) -> tuple[int, ...]:
    return tuple(other for other in seats if other != seat)
