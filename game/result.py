"""How a match ended, or stands, in short: what a list of matches shows of it."""

import json
from dataclasses import asdict, dataclass
from typing import Any, Self

from game.match import Match


@dataclass(frozen=True, slots=True)
class Result:
    """The standings, by seat.

    Attributes:
        names, teams, scores: one for each seat; a team's members share its score.
        winner: the seat that has won; None while nobody has.
        turns: how many turns were finished.
    """

    names: tuple[str, ...]
    teams: tuple[int | None, ...]
    scores: tuple[int, ...]
    winner: int | None
    turns: int

    @classmethod
    def of(cls, match: Match) -> Self:
        state = match.state
        return cls(
            tuple(player.name for player in state.players),
            tuple(player.team for player in state.players),
            tuple(player.score for player in state.players),
            state.winner,
            len(state.turns),
        )

    def to_text(self, seq: int) -> str:
        """As JSON, with the number of the step after which it was so."""
        return json.dumps(asdict(self) | {"seq": seq})

    @classmethod
    def from_text(cls, text: str | None, seq: int) -> Self | None:
        """What `to_text` wrote, if nothing came after it."""
        data: dict[str, Any] = json.loads(text or "{}")
        if data.get("seq") != seq:
            return None
        names, teams, scores = (tuple(data[key]) for key in ("names", "teams", "scores"))
        return cls(names, teams, scores, data["winner"], data["turns"])
