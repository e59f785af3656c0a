"""The state of a match: players, turns and throws, and the values derived from them."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Self

from game.errors import IllegalMove
from game.match.events import Bot, Place
from game.message import Message, Value
from game.names import display_name
from game.rules import scoring
from game.rules.ruleset import Dice, LastRound, Piggyback, Ruleset, Win
from game.rules.scoring import Keep

LENGTHS = (3, 5, 7, 9)
"""The numbers of matches that a series can have. They are odd, so that two players cannot tie."""

SINGLE_MATCH = 1
"""The length that stands for a match without a series."""

_ID_CHARACTERS = 16


@dataclass(frozen=True, slots=True)
class Series:
    """The series to which a match belongs, and what is known about its other matches.

    The side that first wins more than half of the matches wins the series. With more than two sides, the series can
    therefore be longer than its number says.

    Attributes:
        best_of: Number of matches, one of `LENGTHS`.
        id: Id that all matches of the series share: sixteen hexadecimal digits.
        others: Number of the other matches of the series that somebody has won.
        other_wins: Number of these matches that each player has won, alone or in a team, by name.
    """

    best_of: int
    id: str
    others: int = field(default=0, compare=False)
    other_wins: Mapping[str, int] = field(default_factory=dict, compare=False)

    def __post_init__(self) -> None:
        if self.best_of not in LENGTHS:
            raise IllegalMove(
                "a series has %(lengths)s or %(last)s matches, not %(found)s",
                lengths=", ".join(map(str, LENGTHS[:-1])),
                last=LENGTHS[-1],
                found=str(self.best_of),
            )
        if len(self.id) != _ID_CHARACTERS or not set(self.id) <= set("0123456789abcdef"):
            raise IllegalMove("the id of a series has sixteen digits 0 to 9 or a to f")

    @property
    def needed(self) -> int:
        """Number of matches that win the series."""
        return self.best_of // 2 + 1

    def wins_of(self, names: Iterable[str]) -> int:
        """Return how many of the other matches a side has won.

        Args:
            names: Names of the players of the side. Who has joined a team later has fewer wins than the team.
        """
        return max(self.other_wins.get(name, 0) for name in names)

    def renamed(self, before: str, after: str) -> Self:
        """Return the series after a player was given another name."""
        wins = dict(self.other_wins)
        if n := wins.pop(before, 0):
            wins[after] = wins.get(after, 0) + n
        return replace(self, other_wins=wins)

    def after(
        self, start_names: Sequence[str], names: Sequence[str], winners: Collection[int]
    ) -> Self:
        """Return the series with one more of the other matches counted.

        Args:
            start_names: Names of the players at the start of that match, by seat.
            names: Names of the players at its end, by seat.
            winners: Seats of the winner, or of all players of the winning team; empty if nobody has won yet.
        """
        wins = dict(self.other_wins)
        renamed = zip(start_names, names, strict=False)
        wins |= {new: wins.pop(old) for old, new in renamed if old in wins}
        for seat in winners:
            wins[names[seat]] = wins.get(names[seat], 0) + 1
        return replace(self, others=self.others + bool(winners), other_wins=wins)

    def to_json(self) -> dict[str, Any]:
        """Return what is stored with each match of the series."""
        return {"best_of": self.best_of, "id": self.id}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Return the series that `to_json` wrote, without its other matches.

        Raises:
            IllegalMove: If the length or the id is not valid.
            KeyError, TypeError: If the JSON does not describe a series.
        """
        return cls(data["best_of"], data["id"])


class TurnEnding(StrEnum):
    """How a turn ended."""

    BANK = "bank"
    FARKLE = "farkle"
    RESET = "reset"
    WIN = "win"
    SKIP = "skip"


@dataclass(frozen=True, slots=True)
class Throw:
    """A throw as the match accepted it.

    Attributes:
        dice: Sorted faces.
        keep: The dice set aside from the throw, or None until that is decided.
        assumed: Whether the companion worked out the keep. If it is False, a person stated it.
        penalty: Points that the throw itself cost, 0 or negative.
        index: Index of the throw in the match's timeline. A correction refers to it.
        places: The places of the dice.
    """

    dice: Dice
    keep: Keep | None = None
    assumed: bool = False
    penalty: int = 0
    index: int = field(default=0, compare=False)
    places: tuple[Place, ...] = field(default=(), compare=False)

    @property
    def is_entered_by_hand(self) -> bool:
        """Whether the throw was entered by a person and not read by the camera."""
        return not any(place.seen for place in self.places)

    @property
    def set_aside(self) -> tuple[Place, ...]:
        """The places of the dice that had already been kept before this throw."""
        return tuple(place for place in self.places if place.aside)


@dataclass(frozen=True, slots=True)
class Turn:
    """All throws of a player until the turn ends.

    Attributes:
        seat: Seat of the player.
        throws: The throws so far.
        starting_points: Points at risk at the start: taken over, or set by hand.
        bonus: Extra points for a single last die that scored.
        dice: Number of dice in the first throw. None means all dice.
        ending: How the turn ended. None while it continues.
        points: Points added to the score at the end.
        penalty: Points that the ending cost, 0 or negative.
        took_over: Whether the turn began with dice and points of the previous player.
        given: Points that went to another player because the turn overshot the target.
        given_to: Seat of that player, or None if there is none.
        knocked_back: Seats of other players who had the score that this turn reached, and therefore
            went back to zero.
        broken_off: Whether the turn was replaced by hand. Such a turn does not count as one of the
            player's rounds.
        start: Index of the turn's first event in the match's timeline.
    """

    seat: int
    throws: tuple[Throw, ...] = ()
    starting_points: int = 0
    bonus: int = 0
    dice: int | None = None
    ending: TurnEnding | None = None
    points: int = 0
    penalty: int = 0
    took_over: bool = False
    given: int = 0
    given_to: int | None = None
    knocked_back: tuple[int, ...] = ()
    broken_off: bool = False
    start: int = field(default=0, compare=False)

    @property
    def last(self) -> Throw | None:
        """The last throw of the turn, or None if there is none yet."""
        return self.throws[-1] if self.throws else None

    @property
    def before_last(self) -> Self:
        """The turn as it was before its last throw."""
        return replace(self, throws=self.throws[:-1])

    @property
    def has_begun(self) -> bool:
        """Whether the next throw is not the first of the turn. A turn that was set by hand with points goes on."""
        return bool(self.throws) or (self.starting_points > 0 and not self.took_over)

    @property
    def at_risk(self) -> int:
        """All points that the turn would bank with the keeps decided so far."""
        kept = sum(throw.keep.score for throw in self.throws if throw.keep)
        return self.starting_points + self.bonus + kept

    @property
    def locked_points(self) -> int:
        """Points that were at risk before the last throw."""
        last = self.last
        return self.at_risk - (last.keep.score if last and last.keep else 0)

    @property
    def hot(self) -> bool:
        """Whether the player had hot dice before the last throw."""
        return count_hot_dice(self.throws[:-1]) > 0


def count_hot_dice(throws: tuple[Throw, ...]) -> int:
    """Return how many times all dice scored in these throws."""
    return sum(throw.keep is not None and throw.keep.hot for throw in throws)


@dataclass(frozen=True, slots=True)
class Player:
    """A player, with everything that carries over from turn to turn.

    Attributes:
        name: The name.
        score: Points on the scoreboard. A team shares one score.
        opened: Whether the player is on the board. A team shares this.
        team: Number of the team, or None.
        here: Whether the player takes part. False if the player has left.
        farkles: Number of farkles in a row.
        scoreless_starts: Number of turns in a row whose first throw scored nothing.
        extra_turns: Number of turns more than the others, after a tie, or fewer if it is negative,
            for rounds that ended while the player did not take part.
        bot: The bot that makes the player's decisions, or None for a person.
    """

    name: str
    score: int = 0
    opened: bool = False
    team: int | None = None
    here: bool = True
    farkles: int = 0
    scoreless_starts: int = 0
    extra_turns: int = 0
    bot: Bot | None = None

    @property
    def display_name(self) -> Value:
        """The name as a message shows it. A default name is translated."""
        return display_name(self.name)


@dataclass(frozen=True, slots=True)
class LeftOver:
    """The points just banked and the number of unkept dice, which the next player may take over."""

    points: int
    dice: int


@dataclass(frozen=True, slots=True)
class State:
    """The state of a match after some events.

    Attributes:
        rules: The rules.
        players: The players by seat.
        order: The seats in the order of turns.
        turn: The current turn.
        turns: The finished turns.
        left_over: The points and dice that the rules let the player whose turn begins take over, or None.
        closer: The seat that reached the target first, or None.
        to_follow: The seats that still have a last turn, the next one first.
        play_off: The seats that play on after a tie in the last round; empty if there was none.
        winner: The seat that has won, or None.
        n_events: Number of events so far.
        series: The series to which the match belongs, or None.
    """

    rules: Ruleset
    players: tuple[Player, ...]
    order: tuple[int, ...]
    turn: Turn
    turns: tuple[Turn, ...] = ()
    left_over: LeftOver | None = None
    closer: int | None = None
    to_follow: tuple[int, ...] = ()
    play_off: tuple[int, ...] = ()
    winner: int | None = None
    n_events: int = field(default=0, compare=False)
    series: Series | None = None

    @property
    def player(self) -> Player:
        """The current player."""
        return self.players[self.turn.seat]

    @property
    def keeps(self) -> tuple[Keep, ...]:
        """Every legal keep of the last throw of this turn, best first."""
        last = self.turn.last
        return keeps_after(self.turn.before_last, last.dice, self.rules) if last else ()

    @property
    def may_rethrow_last_die(self) -> bool:
        """Whether a single last die scored nothing and may be thrown once more."""
        return self.turn.last is not None and not self.keeps

    @property
    def dice_in_hand(self) -> int:
        """Number of dice in the next throw, once the keep of the last throw is decided."""
        last = self.turn.last
        if last is None:
            return self.turn.dice or self.rules.n_dice
        left = last.keep.dice_left if last.keep else len(last.dice)
        return left or self.rules.n_dice

    @property
    def is_charity_roll(self) -> bool:
        """Whether the player has only one throw, which is banked automatically if it scores."""
        return self.closer is not None and self.rules.last_round is LastRound.CHARITY_ROLL

    @property
    def is_last_throw(self) -> bool:
        """Whether the player has no further throw in this turn, so that the last one is banked or lost."""
        most = self.rules.most_throws
        return self.is_charity_roll or 0 < most <= len(self.turn.throws)

    @property
    def points_to_beat(self) -> int:
        """Points of the turn before, if the rules say that a bank has to exceed them, otherwise 0."""
        before = next((turn for turn in reversed(self.turns) if not turn.broken_off), None)
        return before.points if self.rules.must_beat_turn and before else 0

    def bank_points(self, keep: Keep | None) -> int:
        """Return the points of the turn if it is banked with this keep of the last throw.

        The points are not added to the score if they exceed an exact target: see `overshoots`.

        Args:
            keep: The keep. None stands for a throw without a keep, which cannot be banked and is worth 0.
        """
        return self.turn.locked_points + keep.score if keep else 0

    def bank_total(self, keep: Keep) -> int:
        """Return the sum of the score and the points of the turn, if it is banked with this keep."""
        return self.player.score + self.bank_points(keep)

    def overshoots(self, keep: Keep) -> bool:
        """Return whether banking this keep would exceed a target that must be hit exactly."""
        return self.rules.win is Win.EXACTLY and self.bank_total(keep) > self.rules.target

    @property
    def offer(self) -> LeftOver | None:
        """What is left over, or None if the current player could not bank it without exceeding an exact target.

        The rules still let the player take it over, as stored matches of earlier versions do. If three 3s cost points,
        they can lower the score, so that a bank becomes possible.
        """
        left, rules = self.left_over, self.rules
        if left is None or rules.win is not Win.EXACTLY or rules.triple_threes:
            return left
        least = self.player.score + left.points + scoring.points_step(rules)
        return left if least <= rules.target else None

    @property
    def best_bank_keep(self) -> Keep | None:
        """The keep that banking uses by default, or None if the last throw has no legal keep.

        It is the best keep that does not overshoot the target or, if every keep overshoots it, the
        best of all keeps.
        """
        keeps = self.keeps
        return next(
            (keep for keep in keeps if not self.overshoots(keep)), keeps[0] if keeps else None
        )

    def bank_refusal(self, keep: Keep | None = None) -> Message | None:
        """Return why the turn cannot be banked with a keep (by default the best), or None if it can."""
        if self.winner is not None:
            winner = self.players[self.winner].display_name
            return Message("%(name)s has won: start a rematch", name=winner)
        if self.turn.last is None:
            return Message(
                "throw first: %(name)s has not thrown in this turn", name=self.player.display_name
            )
        keep = keep or self.best_bank_keep
        if keep is None:
            return Message("throw the last die once more before you bank")
        if not self.is_last_throw and (
            must := scoring.must_throw_reason(keep.dice_left, self.rules)
        ):
            return must
        return self._short_of(self.bank_points(keep))

    def _short_of(self, points: int) -> Message | None:
        rules = self.rules
        if not self.player.opened and points < rules.opening:
            return Message(
                "%(points)s is %(short)s short of the %(opening)s needed to get on the board",
                points=points,
                short=rules.opening - points,
                opening=rules.opening,
            )
        if 0 < points <= self.points_to_beat:
            return Message(
                "%(points)s does not beat the %(before)s of the turn before",
                points=points,
                before=self.points_to_beat,
            )
        if points < rules.minimum_bank:
            return Message(
                "%(points)s is %(short)s short of the %(least)s needed to bank",
                points=points,
                short=rules.minimum_bank - points,
                least=rules.minimum_bank,
            )
        return None

    def team_seats(self, seat: int) -> tuple[int, ...]:
        """Return the seats that share a score with this one, including the seat itself."""
        team = self.players[seat].team
        if team is None:
            return (seat,)
        return tuple(i for i, player in enumerate(self.players) if player.team == team)

    def series_wins(self, seat: int) -> int:
        """Return how many matches of the series a player or team has won, including this one; 0 without a series."""
        if self.series is None:
            return 0
        seats = self.team_seats(seat)
        return self.series.wins_of(self.players[each].name for each in seats) + (
            self.winner in seats
        )

    @property
    def series_winner(self) -> int | None:
        """The first seat of the side that has won the series; None if nobody has, or without a series."""
        if self.series is None:
            return None
        seats = range(len(self.players))
        ahead = max(seats, key=self.series_wins)
        return ahead if self.series_wins(ahead) >= self.series.needed else None

    def turns_left(self, seat: int) -> int:
        """Return how many turns a player still has in a match with a fixed number of rounds."""
        played = sum(turn.seat == seat and not turn.broken_off for turn in self.turns)
        return max(self.rules.rounds - played + self.players[seat].extra_turns, 0)

    @property
    def turn_of_rounds(self) -> tuple[int, int]:
        """The number of the current turn and the most turns of its player, in a match with a fixed number of rounds.

        A turn after a tie is one more. A player who joined late has no turns for the rounds before.
        """
        seat = self.turn.seat
        most = self.rules.rounds + max(self.players[seat].extra_turns, 0)
        return most + 1 - max(self.turns_left(seat), 1), most

    def with_players(self, seats: tuple[int, ...], **changes: Any) -> "State":
        """Return the state with some fields of the players in these seats changed.

        Args:
            seats: The seats.
            changes: The new values of the fields.
        """
        players = tuple(
            replace(player, **changes) if seat in seats else player
            for seat, player in enumerate(self.players)
        )
        return replace(self, players=players)

    def order_from(self, seat: int) -> tuple[int, ...]:
        """Return the order of turns, beginning with this seat if its player still takes part."""
        i = self.order.index(seat) if seat in self.order else 0
        return (*self.order[i:], *self.order[:i])

    def after(self, seat: int) -> int:
        """Return the seat that throws after this one."""
        return next((other for other in self.order_from(seat) if other != seat), seat)

    def can_take_over(self, turn: Turn) -> LeftOver | None:
        """Return what the next player may take over from this banked turn, or None."""
        last = turn.last
        if self.rules.piggyback is Piggyback.NO or last is None or last.keep is None:
            return None
        heavy = turn.hot or last.keep.hot
        if heavy and self.rules.piggyback is Piggyback.NOT_HEAVY:
            return None
        return LeftOver(turn.points, last.keep.dice_left or self.rules.n_dice)


def keeps_after(before: Turn, dice: Dice, rules: Ruleset) -> tuple[Keep, ...]:
    """Return every legal keep of a throw, best first.

    Args:
        before: The turn before the throw.
        dice: Sorted faces of the throw.
        rules: The rules.
    """
    keeps = scoring.keep_table(rules_of_throw(before, rules))[dice]
    factor = multiplier(before.throws, rules)
    return keeps if factor == 1 else tuple(scoring.multiply(keep, factor) for keep in keeps)


def rules_of_throw(before: Turn, rules: Ruleset) -> Ruleset:
    """Return the rules by which a throw is scored, which can be different for the first throw of a turn.

    Args:
        before: The turn before the throw.
        rules: The rules.
    """
    return scoring.after_first_throw(rules) if before.has_begun else rules


def multiplier(throws: tuple[Throw, ...], rules: Ruleset) -> int:
    """Return the factor by which earlier hot dice multiply the points of a throw.

    Args:
        throws: The earlier throws of the turn.
        rules: The rules.
    """
    return 1 + count_hot_dice(throws) if rules.hot_dice_multiply else 1


def reaches_target(rules: Ruleset, score: int) -> bool:
    """Return whether a score ends the match or starts the last round.

    Args:
        rules: The rules.
        score: The score of a player or team.
    """
    if not rules.has_target:
        return False
    match rules.win:
        case Win.AT_LEAST:
            return score >= rules.target
        case Win.OVER:
            return score > rules.target
        case Win.EXACTLY:
            return score == rules.target
