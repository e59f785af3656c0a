"""What fits on the first screen of a phone: a row of scores and one line of status."""

from collections.abc import Sequence
from dataclasses import dataclass

from game.message import Message, Translate
from web.state.json_schema import PlayerJson

MAX_STATUS_CHARACTERS = 40
"""As many fit beside two buttons on a screen that is 360 CSS pixels wide."""


def status_line(message: Message, say: Translate) -> str:
    """Return a message cut to one line.

    If the whole message is too long, return the longest of its sentences that fits, or else the
    shortest one.

    Args:
        message: The message.
        say: Turns a message into text.
    """
    text = say(message)
    if len(text) <= MAX_STATUS_CHARACTERS:
        return text
    sentences = [say(sentence) for sentence in message.sentences]
    fitting = [sentence for sentence in sentences if len(sentence) <= MAX_STATUS_CHARACTERS]
    return max(fitting, key=len) if fitting else min(sentences, key=len)


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """A score of a player or of a team.

    Attributes:
        seat: Seat of the player on turn, or else of the first player.
        seats: Seats of all players who share the score.
        names: Names of these players.
        score: Points.
        on_turn: Whether one of the players is on turn.
    """

    seat: int
    seats: tuple[int, ...]
    names: tuple[str, ...]
    score: int
    on_turn: bool


def score_rows(players: Sequence[PlayerJson]) -> list[ScoreRow]:
    """Return a row for each player or team, without players who have left."""
    teams: dict[tuple[str, int], list[PlayerJson]] = {}
    for player in players:
        team = player["team"]
        key = ("seat", player["seat"]) if team is None else ("team", team)
        if player["here"]:
            teams.setdefault(key, []).append(player)
    return [_row(members) for members in teams.values()]


def _row(members: Sequence[PlayerJson]) -> ScoreRow:
    playing = next((member for member in members if member["on_turn"]), None)
    shown = playing or members[0]
    seats, names = zip(*((member["seat"], member["name"]) for member in members), strict=True)
    return ScoreRow(shown["seat"], seats, names, members[0]["score"], playing is not None)
