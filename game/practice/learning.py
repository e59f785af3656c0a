"""Learns a person's style of play from that person's decisions in earlier matches.

Only free decisions count: those in which the rules allowed the person either to bank or to throw
again, before anybody had reached the target.

The bot replays the matches of the person with other dice: under the same rules, in the same seat,
with the same head start, and against bots that imitate the same opponents.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import cycle, islice, product
from math import log, tanh
from typing import NamedTuple

from game.errors import JournalError, OddsError
from game.journal.history import History, PlayedMatch
from game.match.apply_event import apply_event
from game.match.events import Banked, Bot, Event, PlayerStyle, ScoreSet, Thrown, TookOver
from game.match.match import Match, head_starts, replay
from game.match.state import Player, State, reaches_target
from game.odds.style_odds import unit
from game.odds.turn_odds import points_table
from game.practice.handicap import Game, WinShare
from game.practice.strategy import BestPlay, Strategy, StylePlay, preferred_keep, strategy_of
from game.rules.ruleset import Ruleset

LEAST_DECISIONS = 30
"""Number of free decisions that are needed to learn a style: about ten matches to 10,000 points."""

_STEP = 50
"""Styles are learnt as if scores went in steps of this many points: the points of rules with another `unit` are scaled."""

_THRESHOLDS = range(0, 3001, _STEP)
_SPREADS = (5, 25, 50, 100, 150, 200, 300, 450)
_LAPSES = (0.01, 0.03, 0.05, 0.1, 0.15, 0.2, 0.3)
_WORTHS = (0, 25, 50, 75, 100, 150, 200, 300)

_PRIOR_SPREAD = 400.0
"""The typical distance, in points, between people's thresholds and those that score the most points
on average. With few decisions for a number of dice, this keeps the threshold plausible."""

MAX_MATCHES = 60
"""Number of newest matches from which a style is learnt. More matches would change little and take
a long time on a small computer."""

MAX_LISTED = 1_000
"""Number of newest matches in the journal that are searched for matches of a person."""

_TWO = 2


class FreeDecision(NamedTuple):
    """A decision in which a person was free to bank or to throw again.

    Attributes:
        points: Points that could be banked, scaled to `_STEP`.
        dice: Number of dice that could be thrown.
        banked: Whether the person banked. If it is False, the person threw again.
    """

    points: int
    dice: int
    banked: bool


@dataclass(slots=True)
class Observations:
    """The decisions of one person.

    Attributes:
        choices: Number of times that each free decision was made.
        worths: Points that one more die may be worth to the person, scaled to `_STEP` -> number of
            keeps that are consistent with that worth.
        offers: How often the person could take over another player's dice and points.
        taken: How often the person took them over.
    """

    choices: Counter[FreeDecision] = field(default_factory=Counter)
    worths: Counter[int] = field(default_factory=Counter)
    offers: int = 0
    taken: int = 0

    def add(self, match: Match, name: str) -> None:
        """Add the decisions that the person made in a match.

        Args:
            match: The match.
            name: Name of the person. Upper and lower case count as the same.
        """
        for state, event in _own_events(match, name):
            match event:
                case Thrown() if state.turn.last and state.turn.last.keep:
                    self._threw_on(state)
                case Banked():
                    self._choice(state, banked=True)
                case Thrown() | TookOver() if state.offer and not state.turn.throws:
                    self.offers += 1
                    self.taken += isinstance(event, TookOver)

    def _threw_on(self, state: State) -> None:
        self._choice(state, banked=False)
        last = state.turn.last
        if last is None or len({keep.dice_left for keep in state.keeps}) == 1:
            return
        for worth in _WORTHS:
            if preferred_keep(state, _points(worth, state.rules)) == last.keep:
                self.worths[worth] += 1

    def _choice(self, state: State, *, banked: bool) -> None:
        keep = state.best_bank_keep
        if keep is None or state.bank_refusal(keep) or state.closer is not None:
            return
        if reaches_target(state.rules, state.bank_total(keep)):
            return
        dice = keep.dice_left or state.rules.n_dice
        points = round(state.bank_points(keep) / _scale(state.rules))
        self.choices[FreeDecision(points, dice, banked)] += 1


def _points(scaled: int, rules: Ruleset) -> int:
    """Return points as they count under these rules, given points that are scaled to `_STEP`."""
    return round(scaled * _scale(rules))


@lru_cache(maxsize=8)
def _scale(rules: Ruleset) -> float:
    return unit(rules) / _STEP


def _own_events(match: Match, name: str) -> Iterator[tuple[State, Event]]:
    """Yield the events of a person's turns, each with the state of the match before it."""
    for state, event, _ in replay(match):
        player = state.player
        if player.name.casefold() == name.casefold() and player.bot is None:
            yield state, event


def learn(matches: Iterable[Match], name: str, rules: Ruleset) -> PlayerStyle:
    """Return the style of a person under a rule set.

    Args:
        matches: Matches of the person. Those with a different number of dice are left out.
        name: Name of the person. Upper and lower case count as the same.
        rules: Rules of the match in which the style is played.

    Raises:
        OddsError: If the person has made too few decisions.
    """
    seen = Observations()
    for match in matches:
        if match.rules.n_dice == rules.n_dice:
            seen.add(match, name)
    n = seen.choices.total()
    if n < LEAST_DECISIONS:
        raise OddsError(
            "%(name)s has chosen %(n)s times between banking and throwing again: a bot needs "
            "%(least)s decisions to imitate a person",
            name=name,
            n=n,
            least=LEAST_DECISIONS,
        )
    worth = max(_WORTHS, key=lambda each: (seen.worths[each], -each))
    thresholds, spread, lapse = _fit(seen.choices, rules)
    return PlayerStyle(
        name,
        tuple(_points(threshold, rules) for threshold in thresholds),
        max(_points(spread, rules), 1),
        _points(worth, rules),
        takes_over=2 * seen.taken > seen.offers,
        lapse=lapse,
    )


def _fit(choices: Counter[FreeDecision], rules: Ruleset) -> tuple[tuple[int, ...], int, float]:
    """Return the thresholds, spread and lapse (see `PlayerStyle`) that make the choices most likely.

    All points are scaled to `_STEP`.
    """
    fits = []
    for spread, lapse in product(_SPREADS, _LAPSES):
        best = [
            _best_threshold(choices, rules, dice + 1, spread, lapse) for dice in range(rules.n_dice)
        ]
        fits.append((sum(fit for fit, _ in best), tuple(at for _, at in best), spread, lapse))
    _, thresholds, spread, lapse = max(fits)
    return thresholds, spread, lapse


def _log_chance(choice: FreeDecision, threshold: int, spread: int, lapse: float) -> float:
    """Return the logarithm of the chance of a choice, which rises with the points at risk.

    Args:
        choice: The choice.
        threshold: The points at which banking is as likely as throwing again.
        spread: Width of the logistic curve, in points.
        lapse: Share of the decisions that do not depend on the points.
    """
    x = (choice.points - threshold) / spread
    chance = lapse / 2 + (1 - lapse) * (1 + tanh(x / 2)) / 2
    return log(chance if choice.banked else 1 - chance)


def _best_threshold(
    choices: Counter[FreeDecision], rules: Ruleset, dice: int, spread: int, lapse: float
) -> tuple[float, int]:
    """Return the log likelihood of the best threshold for a number of dice, and that threshold."""
    mine = [(choice, n) for choice, n in choices.items() if choice.dice == dice]
    usual = _threshold_of_points(rules, dice)

    def fit(threshold: int) -> float:
        far = (threshold - usual) / _PRIOR_SPREAD
        likely = sum(n * _log_chance(choice, threshold, spread, lapse) for choice, n in mine)
        return likely - far * far / 2

    return max((fit(threshold), threshold) for threshold in _THRESHOLDS)


def _threshold_of_points(rules: Ruleset, dice: int) -> int:
    """Return the points from which banking scores more on average than throwing this many dice.

    The points are scaled to `_STEP`.
    """
    table = points_table(rules, opened=True)
    points = ((at, _points(at, rules)) for at in _THRESHOLDS)
    return next((at for at, real in points if table.throwing(real, dice) <= real), _THRESHOLDS[-1])


def earlier_matches(history: History, name: str, rules: Ruleset) -> Iterator[Match]:
    """Yield a person's newest matches with the same number of dice as `rules`, those under `rules` first.

    Args:
        history: The matches of the journal.
        name: Name of the person. Upper and lower case count as the same.
        rules: The rules.
    """
    own = [p for p in history.matches(limit=MAX_LISTED) if _has_played(p, name, rules)]
    own.sort(key=lambda played: played.rules.name != rules.name)
    for played in own:
        with suppress(JournalError):
            yield history.match(played.id)


def _has_played(played: PlayedMatch, name: str, rules: Ruleset) -> bool:
    names = (known.casefold() for known in played.result.names)
    return played.rules.n_dice == rules.n_dice and name.casefold() in names


def style_of(history: History, name: str, rules: Ruleset) -> PlayerStyle:
    """Return the style of a person under a rule set, learnt from the newest matches.

    Args:
        history: The matches of the journal.
        name: Name of the person. Upper and lower case count as the same.
        rules: The rules of the match in which the style is played.

    Raises:
        OddsError: If the person has made too few decisions.
        JournalError: If the journal cannot be read.
    """
    matches = list(islice(earlier_matches(history, name, rules), MAX_MATCHES))
    players = (player.name for match in matches for player in match.state.players)
    written = next((each for each in players if each.casefold() == name.casefold()), name)
    return learn(matches, written, rules)


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
        others: dict[tuple[str, Bot | None], Strategy] = {}
        for number, match in enumerate(islice(cycle(self.matches), n)):
            seat, start = self._seat(match), match.start_state
            for ahead, points in head_starts(match).items():
                start = apply_event(start, ScoreSet(ahead, points))
            player = match.state.players[1 - seat]
            key = player.name.casefold(), player.bot
            if key not in others:
                others[key] = self._strategy(player)
            bot, other = StylePlay(self.style, number), others[key]
            if isinstance(other, StylePlay):
                other = StylePlay(other.style, -number)
            yield Game(start, (bot, other) if seat == 0 else (other, bot), seat)

    def _strategy(self, player: Player) -> Strategy:
        """Return the strategy of an opponent.

        If too little is known about the opponent, the strategy maximises the average points.
        """
        if player.bot:
            return strategy_of(player.bot, self.matches[0].rules)
        try:
            return StylePlay(learn(self.matches, player.name, self.matches[0].rules))
        except OddsError:
            return BestPlay()
