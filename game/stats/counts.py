"""Totals over all matches in a journal: what each player did, and how often each face came up."""

import logging
import math
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields, replace
from functools import cache, lru_cache
from itertools import chain, repeat
from operator import mul

from game.dice_log import Fairness, count_faces, fairness
from game.errors import JournalError
from game.journal.entry import OTHER_TRAY, Entry
from game.journal.history import History, PlayedMatch
from game.journal.schema import END_POSITION
from game.match.events import BotDice, BotLevel, ScoreSet, Thrown
from game.match.match import Match, replay
from game.match.state import Turn, TurnEnding, count_hot_dice, keeps_after, rules_of_throw
from game.odds.turn_odds import farkle_within
from game.rules.ruleset import FACES, Ruleset
from game.rules.scoring import after_first_throw

log = logging.getLogger(__name__)

MAX_FORM = 10
"""Number of latest matches in a player's form."""

BOT_RATINGS = {BotLevel.BEGINNER: 1360, BotLevel.CASUAL: 1430, BotLevel.BEST: 1500}
"""Elo ratings of the bots. Their differences follow from the share of matches that each level wins against the next
one (docs/odds.md); the best level has 1500 by definition."""

LEAST_DUELS, MAX_DUELS = 5, 50
"""A rating needs this many matches against a bot, and uses only the newest ones, so that it follows a player who
improves."""

MAX_RATED = 200
"""Number of latest matches against bots that a tally keeps."""

USUAL_RATING, USUAL_SPREAD = 1430.0, 150.0
"""What is assumed about a player before the first match: the mean and the standard deviation of people's ratings. The
mean is that of the casual bot. The spread reaches far beyond the beginner and the best bot, between which most people
play."""

_RATINGS = tuple(range(530, 2_331, 10))
"""The ratings that are considered: six standard deviations on both sides of the usual one."""

WITHIN_95 = 1.96
"""Standard deviations on each side of the mean between which the true value lies with a chance of 95 %."""

PAGE_SIZE = 50
"""Number of matches that are read in one query."""

_TWO = 2


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts of what one player did in one or more matches.

    Attributes:
        matches: Number of matches that somebody has won.
        won: Number of matches that this player or the player's team has won.
        turns: Number of finished turns, not counting skipped turns.
        banks: Number of turns that were banked with points.
        banked: Points of these turns, added up.
        throws: Number of throws. Both tries of a last die count as one throw.
        farkles: Number of throws that farkled.
        expected: Number of farkles that exact chances predict for these throws.
        hot: Number of throws after which all dice had scored.
        best_turn: Points of the best bank.
        comeback: Largest deficit, in points, from which the player still won a match.
        form: Whether the player won each of the latest finished matches, the latest one last.
        by_bot: Number of finished turns that a bot played.
        duels: The latest finished matches against a single bot, the latest one last: the level of
            the bot, and whether the player won.
    """

    matches: int = 0
    won: int = 0
    turns: int = 0
    banks: int = 0
    banked: int = 0
    throws: int = 0
    farkles: int = 0
    expected: float = 0.0
    hot: int = 0
    best_turn: int = 0
    comeback: int = 0
    form: tuple[bool, ...] = ()
    by_bot: int = 0
    duels: tuple[tuple[BotLevel, bool], ...] = ()

    def __add__(self, other: "Tally") -> "Tally":
        sums = {f.name: getattr(self, f.name) + getattr(other, f.name) for f in fields(self)}
        sums["best_turn"] = max(self.best_turn, other.best_turn)
        sums["comeback"] = max(self.comeback, other.comeback)
        sums["form"] = sums["form"][-MAX_FORM:]
        sums["duels"] = sums["duels"][-MAX_RATED:]
        return Tally(**sums)

    @property
    def average_bank(self) -> float:
        """Average points per bank, or 0 if there was none."""
        return self.banked / self.banks if self.banks else 0.0

    @property
    def average_turn(self) -> float:
        """Average points per turn. Farkles count as 0."""
        return self.banked / self.turns if self.turns else 0.0

    @property
    def farkle_rate(self) -> float:
        """Share of throws that farkled."""
        return self.farkles / self.throws if self.throws else 0.0

    @property
    def expected_rate(self) -> float:
        """Expected share of throws that farkle, according to exact chances."""
        return self.expected / self.throws if self.throws else 0.0

    @property
    def ratings(self) -> tuple[tuple[float, float], ...]:
        """The player's Elo rating after each match against a bot, from the fifth one, and its uncertainty.

        The true rating lies within this distance with a chance of 95 %.
        """
        return ratings(self.duels)


@lru_cache(maxsize=64)
def ratings(duels: tuple[tuple[BotLevel, bool], ...]) -> tuple[tuple[float, float], ...]:
    """Return the rating and its uncertainty after each match, from match number `LEAST_DUELS` on.

    The rating is the mean of its distribution, given the results of the newest matches against bots
    with known ratings, under the usual model of Elo: who is rated 400 points higher wins ten times
    as often as the opponent (https://en.wikipedia.org/wiki/Elo_rating_system).

    Args:
        duels: The levels of the bots, and whether the player won, the latest match last.
    """
    likely = [
        [math.log(chance if won else 1 - chance) for chance in _winning_chances(level)]
        for level, won in duels
    ]
    found = []
    for n in range(LEAST_DUELS, len(duels) + 1):
        newest = likely[max(n - MAX_DUELS, 0) : n]
        weights = [
            math.exp(sum(each) - ((rating - USUAL_RATING) / USUAL_SPREAD) ** 2 / 2)
            for rating, *each in zip(_RATINGS, *newest, strict=True)
        ]
        mean = sum(map(mul, _RATINGS, weights)) / sum(weights)
        spread = sum(
            (rating - mean) ** 2 * weight for rating, weight in zip(_RATINGS, weights, strict=True)
        ) / sum(weights)
        found.append((mean, WITHIN_95 * math.sqrt(spread)))
    return tuple(found)


@cache
def _winning_chances(level: BotLevel) -> tuple[float, ...]:
    """Return the chance of beating a bot for each of the ratings in `_RATINGS`."""
    return tuple(1 / (1 + 10 ** ((BOT_RATINGS[level] - rating) / 400)) for rating in _RATINGS)


def tallies(match: Match) -> tuple[Tally, ...]:
    """Return the tally of each seat in a match."""
    state = match.state
    sums = [_result(match, seat) for seat in range(len(state.players))]
    for turn in state.turns:
        counted = _of_turn(turn, match.rules)
        by_bot = counted.turns if state.players[turn.seat].bot else 0
        sums[turn.seat] += replace(counted, by_bot=by_bot)
    return tuple(sums)


def _result(match: Match, seat: int) -> Tally:
    """Return the result of a match as a tally: whether a seat has won, and after what deficit."""
    state = match.state
    if state.winner is None:
        return Tally()
    has_won = seat in state.team_seats(state.winner)
    sums = Tally(matches=1, won=int(has_won), form=(has_won,), duels=_duel(match, seat))
    return replace(sums, comeback=max(points_behind(match, seat))) if has_won else sums


def _duel(match: Match, seat: int) -> tuple[tuple[BotLevel, bool], ...]:
    """Return the level of the bot and the result of a person's match against a single bot, without head starts."""
    players = match.state.players
    bot = players[1 - seat].bot if len(players) == _TWO else None
    by_hand = any(isinstance(event, ScoreSet) for event in match.timeline)
    if bot is None or bot.style or players[seat].bot or by_hand:
        return ()
    return ((bot.level, match.state.winner == seat),)


def points_behind(match: Match, seat: int) -> Iterator[int]:
    """Yield the points by which a seat is behind the leader, at the beginning and after every turn.

    Args:
        match: The match.
        seat: The seat, from 0.
    """
    yield 0
    for before, _, state in replay(match):
        if len(state.turns) > len(before.turns) and seat < len(state.players):
            best = max(state.players[each].score for each in state.order)
            yield max(best - state.players[seat].score, 0)


def _of_turn(turn: Turn, rules: Ruleset) -> Tally:
    if turn.ending is TurnEnding.SKIP:
        return Tally()
    sizes = _sizes(turn, rules)
    first = rules_of_throw(replace(turn, throws=()), rules)
    scored_by = chain((first,), repeat(after_first_throw(rules)))
    return Tally(
        turns=1,
        banks=int(turn.points > 0),
        banked=max(turn.points, 0),
        throws=len(sizes),
        farkles=int(_farkled(turn, rules)),
        expected=float(sum(map(farkle_within, scored_by, sizes, repeat(1)))),
        hot=count_hot_dice(turn.throws),
        best_turn=max(turn.points, 0),
    )


def _farkled(turn: Turn, rules: Ruleset) -> bool:
    """Return whether the last throw of a turn farkled.

    A charity roll with too few points did not.
    """
    last = turn.last
    lacked = (
        last is None or last.keep is not None or not keeps_after(turn.before_last, last.dice, rules)
    )
    return turn.ending is TurnEnding.FARKLE and lacked


def _sizes(turn: Turn, rules: Ruleset) -> list[int]:
    """Return the number of dice in each throw of a turn.

    A farkle entered by hand counts as one unread throw.
    """
    last = turn.last
    if last is None:
        return [turn.dice or rules.n_dice] if turn.ending is TurnEnding.FARKLE else []
    sizes = [len(throw.dice) for throw in turn.throws[:-1] if throw.keep] + [len(last.dice)]
    if turn.ending is TurnEnding.FARKLE and last.keep:
        sizes.append(last.keep.dice_left or rules.n_dice)
    return sizes


@dataclass(frozen=True, slots=True)
class DiceSetPeriod:
    """A set of dice, used in the matches that start after a position in the journal.

    Attributes:
        name: Name of the set.
        after: The position in the journal.
    """

    name: str
    after: int = 0


@dataclass(frozen=True, slots=True)
class DiceSetTotals:
    """How often each face came up on the dice of one set, and how well the dice were read.

    Attributes:
        dice: The set.
        matches: Number of matches with the set.
        fairness: The counts of the faces, and the result of testing whether the dice are fair.
        read: Number of throws that the camera read.
        corrected: Number of these throws that people corrected.
    """

    dice: DiceSetPeriod
    matches: int
    fairness: Fairness
    read: int
    corrected: int


@dataclass(frozen=True, slots=True)
class Totals:
    """Totals over all matches.

    Attributes:
        players: Names and tallies of the players, the player with the most wins first.
        sets: Sets of dice, the newest first.
    """

    players: tuple[tuple[str, Tally], ...]
    sets: tuple[DiceSetTotals, ...]


@dataclass(frozen=True, slots=True)
class _Counted:
    """The counts from one match."""

    position: int
    steps: int
    names: tuple[str, ...]
    tallies: tuple[Tally, ...]
    faces: tuple[int, ...]
    read: int
    corrected: int


class MatchCounter:
    """A counter of the matches in a journal, which works in small steps.

    A match that has been continued is counted again. A match that cannot be counted is left out.

    >>> counter = MatchCounter(history)
    >>> for _ in counter.update(): ...
    >>> counter.counts((DiceSetPeriod("ivory"),)).players
    """

    def __init__(self, history: History) -> None:
        self._history = history
        self._counted: dict[int, _Counted] = {}

    def update(self) -> Iterator[int]:
        """Count each match that is new or has changed, and yield its number in the journal."""
        for played in _all(self._history):
            known = self._counted.get(played.id)
            if known is None or known.steps != played.steps:
                self._counted[played.id] = self._count_or_leave_out(played)
                yield played.id

    def reset(self) -> None:
        """Forget all counts, because another journal has replaced this one."""
        self._counted.clear()

    def counts(self, sets: Iterable[DiceSetPeriod]) -> Totals:
        """Return the totals of all matches counted so far, split by the given sets of dice."""
        counted = list(self._counted.values())
        return Totals(_players(counted), _sets(counted, sorted(sets, key=lambda each: -each.after)))

    def _count_or_leave_out(self, played: PlayedMatch) -> _Counted:
        try:
            return self._count(played)
        except JournalError:
            pass  # this version cannot replay the match
        except Exception:
            log.exception("match %s is left out of the statistics", played.id)
        return _Counted(0, played.steps, (), (), (0,) * len(FACES), 0, 0)

    def _count(self, played: PlayedMatch) -> _Counted:
        match, entries = self._history.match(played.id), self._history.match_entries(played.id)
        is_shared = OTHER_TRAY in self._history.requests(played.id)
        thrown = list(_thrown_by_hand(match))
        seen = [event for event in thrown if event.seen_positions]
        return _Counted(
            position=entries[0].position,
            steps=played.steps,
            names=tuple(player.name for player in match.state.players),
            tallies=tallies(match),
            # In a shared match, the other throws may have been made with another tray's dice.
            faces=count_faces(seen if is_shared else thrown),
            read=len(seen),
            corrected=_corrected(seen, entries),
        )


def _all(history: History) -> Iterator[PlayedMatch]:
    before = END_POSITION
    while page := history.matches(before=before, limit=PAGE_SIZE):
        yield from page
        before = page[-1].position


def _thrown_by_hand(match: Match) -> Iterator[Thrown]:
    """Yield the throws of a match that were made with real dice, and not simulated for a bot."""
    for state, event, _ in replay(match):
        if isinstance(event, Thrown):
            bot = state.player.bot
            if event.seen_positions or bot is None or bot.dice is not BotDice.SIMULATED:
                yield event


def _corrected(seen: Iterable[Thrown], entries: Iterable[Entry]) -> int:
    """Return how many throws now have other faces than the camera read at first.

    Args:
        seen: The throws of a match that the camera read.
        entries: The entries of the match in the journal.
    """
    read: dict[tuple[tuple[float, float], ...], list[int]] = {}
    for action in chain.from_iterable(entry.actions for entry in entries):
        if isinstance(action, Thrown):
            read.setdefault(action.seen_positions, sorted(action.dice))
    return sum(sorted(each.dice) != read.get(each.seen_positions) for each in seen)


def _players(counted: Iterable[_Counted]) -> tuple[tuple[str, Tally], ...]:
    """Return the tally of each player. Names that differ only in case count as one player."""
    names: dict[str, str] = {}
    sums: dict[str, Tally] = {}
    for each in sorted(counted, key=lambda each: each.position):
        for name, tally in zip(each.names, each.tallies, strict=True):
            key = name.casefold()
            names[key], sums[key] = name, sums.get(key, Tally()) + tally
    found = ((names[key], tally) for key, tally in sums.items() if tally.turns)
    return tuple(sorted(found, key=lambda each: (-each[1].won, -each[1].average_turn)))


def _sets(counted: Iterable[_Counted], sets: list[DiceSetPeriod]) -> tuple[DiceSetTotals, ...]:
    of: dict[DiceSetPeriod, list[_Counted]] = {each: [] for each in sets}
    for each in counted:
        dice = next((dice for dice in sets if each.position > dice.after), None)
        if dice is not None:
            of[dice].append(each)
    return tuple(_fallen(dice, matches) for dice, matches in of.items())


def _fallen(dice: DiceSetPeriod, matches: list[_Counted]) -> DiceSetTotals:
    faces = Counter[int]()
    for each in matches:
        faces.update(dict(zip(FACES, each.faces, strict=True)))
    return DiceSetTotals(
        dice,
        len(matches),
        fairness([faces[face] for face in FACES]),
        sum(each.read for each in matches),
        sum(each.corrected for each in matches),
    )
