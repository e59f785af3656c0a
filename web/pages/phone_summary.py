"""What fits on a phone's first screen: who has how many points, and one line of what happened."""

from collections.abc import Sequence
from dataclasses import dataclass

from game.message import Message, Translate
from web.state.json_schema import PlayerJson

LINE = 40
"""Characters of the line of status: as many fit beside two buttons at 360 points of width."""


def status_line(message: Message, say: Translate) -> str:
    """The message where it fits into one line, else the longest of its sentences that does, else the shortest."""
    whole = say(message)
    if len(whole) <= LINE:
        return whole
    sentences = [say(sentence) for sentence in message.sentences]
    fitting = [sentence for sentence in sentences if len(sentence) <= LINE]
    return max(fitting, key=len) if fitting else min(sentences, key=len)


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """Who has points of their own: a player, or a team.

    Attributes:
        seat: that of the player on turn, else of the first.
        seats: of all who are of it.
        names: theirs.
    """

    seat: int
    seats: tuple[int, ...]
    names: tuple[str, ...]
    score: int
    on_turn: bool


def sides(players: Sequence[PlayerJson]) -> list[ScoreRow]:
    """In the order of their first players; who has left is not among them."""
    teams: dict[tuple[str, int], list[PlayerJson]] = {}
    for player in players:
        team = player["team"]
        key = ("seat", player["seat"]) if team is None else ("team", team)
        if player["here"]:
            teams.setdefault(key, []).append(player)
    return [_side(members) for members in teams.values()]


def _side(members: Sequence[PlayerJson]) -> ScoreRow:
    playing = next((member for member in members if member["on_turn"]), None)
    shown = playing or members[0]
    seats, names = zip(*((member["seat"], member["name"]) for member in members), strict=True)
    return ScoreRow(shown["seat"], seats, names, members[0]["score"], playing is not None)
