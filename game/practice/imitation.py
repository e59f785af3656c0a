"""A comparison of how often a bot that imitates a person wins with how often that person won.

The bot replays the matches of the person with other dice: under the same rules, in the same seat,
and against bots that imitate the same opponents.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle, islice

from game.errors import OddsError
from game.match.bot import PlayerStyle
from game.match.match import Match
from game.match.state import Player
from game.practice.learning import learn
from game.practice.matchup import Game, WinShare
from game.practice.strategy import BestPlay, Strategy, StylePlay, strategy_of

_TWO = 2


@dataclass(frozen=True, slots=True)
class Imitation:
    """A person's finished two-player matches, and the style that was learnt from them.

    Attributes:
        style: How the person plays.
        matches: The finished matches, won by either player.
    """

    style: PlayerStyle
    matches: tuple[Match, ...]

    @classmethod
    def of(cls, matches: Sequence[Match], name: str) -> "Imitation":
        """Return a person's style and finished matches, given all matches of the person.

        Args:
            matches: Matches of the person.
            name: Name of the person. Upper and lower case count as the same.

        Raises:
            OddsError: If the person has made too few decisions, or has not finished a two-player
                match.
        """
        ended = [m for m in matches if m.state.winner is not None and len(m.state.players) == _TWO]
        if not ended:
            raise OddsError(
                "%(name)s has not finished a two-player match with this many dice yet",
                name=name,
            )
        return cls(learn(ended, name, ended[0].rules), tuple(ended))

    @property
    def won(self) -> WinShare:
        """How many of the matches the person won."""
        won = sum(match.state.winner == self._seat(match) for match in self.matches)
        return WinShare(won, len(self.matches))

    def _seat(self, match: Match) -> int:
        names = [player.name.casefold() for player in match.state.players]
        return names.index(self.style.player.casefold())

    def games(self, n: int) -> Iterator[Game]:
        """Yield n matches in which a bot plays instead of the person."""
        others = self._others()
        for number, match in enumerate(islice(cycle(self.matches), n)):
            seat = self._seat(match)
            other = others[match.state.players[1 - seat].name]
            bot = StylePlay(self.style, number)
            if isinstance(other, StylePlay):
                other = StylePlay(other.style, -number)
            yield Game(match.start_state, (bot, other) if seat == 0 else (other, bot), seat)

    def _others(self) -> dict[str, Strategy]:
        """Return the strategy of each opponent, by the opponent's name."""
        others = {m.state.players[1 - self._seat(m)] for m in self.matches}
        return {player.name: self._strategy(player) for player in others}

    def _strategy(self, player: Player) -> Strategy:
        """Return the strategy of an opponent.

        If too little is known about the opponent, the strategy maximises the average points.
        """
        if player.bot:
            return strategy_of(player.bot, None)
        try:
            return StylePlay(learn(self.matches, player.name, self.matches[0].rules))
        except OddsError:
            return BestPlay()
