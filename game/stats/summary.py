"""A short summary of a match as JSON, for programs that show many matches."""

from dataclasses import replace
from typing import TypedDict

from game.match.match import Match
from game.match.state import State, Throw, Turn


class PlayerSummary(TypedDict):
    """A player in a match, as JSON.

    `opened` is true if the player is on the board, and `here` is false once the player has left.
    """

    name: str
    score: int
    opened: bool
    team: int | None
    here: bool


class TurnSummary(TypedDict):
    """The current turn: the player, the points at risk and the number of dice in the next throw."""

    seat: int
    player: str
    points: int
    dice: int


class ThrowSummary(TypedDict):
    """The newest throw. `ending` says how its turn ended, and is None while the turn continues."""

    seat: int
    player: str
    dice: list[int]
    kept: list[int] | None
    points: int
    ending: str | None


class SeriesSummary(TypedDict):
    """A series of matches, as JSON. `needed` of its `best_of` matches win it, and this is match number `match`.

    `wins` is the number of matches that each seat has won, alone or in a team. `winner` is the seat that has won the
    series, or the first one of the team; it is null until then.
    """

    best_of: int
    needed: int
    match: int
    wins: list[int]
    winner: int | None


class MatchSummary(TypedDict):
    """A short summary of a match, as JSON.

    `rounds` is 0 if the match is played to the target. If `target_ends_rounds` is true, a match with a fixed number of
    turns also ends at the target. `winner` is the seat of the winner, or None.
    `turn` is None once somebody has won, and `series` is None for a single match.
    """

    rules: str
    target: int
    rounds: int
    target_ends_rounds: bool
    players: list[PlayerSummary]
    turn: TurnSummary | None
    throw: ThrowSummary | None
    turns: int
    last_round: bool
    winner: int | None
    series: SeriesSummary | None


def summary(match: Match) -> MatchSummary:
    """Return the summary of a match."""
    state = match.state
    return {
        "rules": state.rules.title,
        "target": state.rules.target,
        "rounds": state.rules.rounds,
        "target_ends_rounds": state.rules.target_ends_rounds,
        "players": [
            {
                "name": player.name,
                "score": player.score,
                "opened": player.opened,
                "team": player.team,
                "here": player.here,
            }
            for player in state.players
        ],
        "turn": _turn(state) if state.winner is None else None,
        "throw": _throw(state),
        "turns": len(state.turns),
        "last_round": state.closer is not None and bool(state.to_follow),
        "winner": state.winner,
        "series": series_summary(state),
    }


def series_summary(state: State) -> SeriesSummary | None:
    """Return the summary of the series to which a match belongs; None for a single match."""
    series = state.series
    if series is None:
        return None
    return {
        "best_of": series.best_of,
        "needed": series.needed,
        "match": series.others + 1,
        "wins": [state.series_wins(seat) for seat in range(len(state.players))],
        "winner": state.series_winner,
    }


def at_risk(state: State) -> int:
    """Return the points at risk in the turn, counting the best keep if no keep has been decided yet."""
    last = state.turn.last
    best = state.best_bank_keep if last and not last.keep else None
    return state.bank_points(best) if best else state.turn.at_risk


def _turn(state: State) -> TurnSummary:
    return {
        "seat": state.turn.seat,
        "player": state.player.name,
        "points": at_risk(state),
        "dice": state.dice_in_hand,
    }


def _throw(state: State) -> ThrowSummary | None:
    """Return the last throw of this turn, or of the newest turn that has one."""
    for turn in (state.turn, *reversed(state.turns)):
        if turn.last:
            return _thrown(state, turn, turn.last)
    return None


def _thrown(state: State, turn: Turn, throw: Throw) -> ThrowSummary:
    return {
        "seat": turn.seat,
        "player": state.players[turn.seat].name,
        "dice": list(throw.dice),
        "kept": list(throw.keep.dice) if throw.keep else None,
        "points": turn.points if turn.ending else at_risk(replace(state, turn=turn)),
        "ending": turn.ending.value if turn.ending else None,
    }
