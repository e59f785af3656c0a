"""Where a match stands, as data: players, turns, throws, and what can be asked of them."""

from dataclasses import dataclass, field, replace
from enum import StrEnum

from game.match.events import Place
from game.message import Message, Value
from game.names import display_name
from game.rules import scoring
from game.rules.ruleset import Dice, LastRound, Piggyback, Ruleset, Win
from game.rules.scoring import Keep


class TurnEnding(StrEnum):
    """How a turn ended."""

    BANK = "bank"
    FARKLE = "farkle"
    RESET = "reset"
    WIN = "win"
    SKIP = "skip"


@dataclass(frozen=True, slots=True)
class Throw:
    """A throw as the match accepted it, and what was kept of it so far.

    `index` is the number of its event in the timeline: what a correction names. `penalty` is
    what it cost by itself, 0 or less.
    """

    dice: Dice
    keep: Keep | None = None
    assumed: bool = False
    penalty: int = 0
    index: int = field(default=0, compare=False)
    places: tuple[Place, ...] = field(default=(), compare=False)

    @property
    def is_entered_by_hand(self) -> bool:
        """Whether no camera saw it."""
        return not any(place.seen for place in self.places)

    @property
    def set_aside(self) -> tuple[Place, ...]:
        """Where dice lay that were kept before it."""
        return tuple(place for place in self.places if place.aside)


@dataclass(frozen=True, slots=True)
class Turn:
    """One player's throws until the turn ends.

    Attributes:
        brought: points with which it began: taken over, or set by hand.
        bonus: points of a last die that scored.
        dice: how many dice its first throw has; None is all of them.
        ending: how it ended; None while it is played.
        points: what it brought to the score, once it ended.
        penalty: what ending so cost, 0 or less.
        took_over: whether it began with dice and points of the player before.
        given, given_to: points of a turn that overshot, and the seat that has them now.
        broken_off: whether it was put away by hand for another: it is none of the player's rounds.
        start: the number of its first event in the timeline.
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
    broken_off: bool = False
    start: int = field(default=0, compare=False)

    @property
    def last(self) -> Throw | None:
        return self.throws[-1] if self.throws else None

    @property
    def at_risk(self) -> int:
        """All points that the turn would bank, with the keeps as decided so far."""
        kept = sum(throw.keep.score for throw in self.throws if throw.keep)
        return self.starting_points + self.bonus + kept

    @property
    def hot(self) -> bool:
        """Whether all dice scored at some throw before the last."""
        return count_hot_dice(self.throws[:-1]) > 0


def count_hot_dice(throws: tuple[Throw, ...]) -> int:
    """How often all dice had scored in these throws."""
    return sum(throw.keep is not None and throw.keep.hot for throw in throws)


@dataclass(frozen=True, slots=True)
class Player:
    """A seat at the table.

    Team mates share one score and whether it has opened. `farkles` and `scoreless_starts` count
    turns in a row; `here` is False once the player left.
    """

    name: str
    score: int = 0
    opened: bool = False
    team: int | None = None
    here: bool = True
    farkles: int = 0
    scoreless_starts: int = 0

    @property
    def display_name(self) -> Value:
        """The name, for a message."""
        return display_name(self.name)


@dataclass(frozen=True, slots=True)
class LeftOver:
    """What the next player may take over: the points just banked, and the dice not kept."""

    points: int
    dice: int


@dataclass(frozen=True, slots=True)
class State:
    """Where a match stands after some events.

    Attributes:
        order: the seats in the order in which they throw.
        turn: the turn being played; it has no throws yet when a turn begins.
        turns: the finished ones.
        left_over: what the player whose turn begins may take over.
        closer: the seat that reached the target first, while others may still follow.
        to_follow: the seats that have a last turn, the next one first.
        winner: the seat that has won.
    """

    rules: Ruleset
    players: tuple[Player, ...]
    order: tuple[int, ...]
    turn: Turn
    turns: tuple[Turn, ...] = ()
    left_over: LeftOver | None = None
    closer: int | None = None
    to_follow: tuple[int, ...] = ()
    winner: int | None = None
    n_events: int = field(default=0, compare=False)

    @property
    def player(self) -> Player:
        return self.players[self.turn.seat]

    @property
    def keeps(self) -> tuple[Keep, ...]:
        """Every legal keep of the last throw of this turn, best first."""
        last = self.turn.last
        return keeps_after(self.turn.throws[:-1], last.dice, self.rules) if last else ()

    @property
    def may_rethrow_last_die(self) -> bool:
        """Whether the last die scored nothing and may be thrown a second time."""
        return self.turn.last is not None and not self.keeps

    @property
    def dice_in_hand(self) -> int:
        """How many dice the next throw has, when the last throw's keep is decided."""
        last = self.turn.last
        if last is None:
            return self.turn.dice or self.rules.n_dice
        left = last.keep.dice_left if last.keep else len(last.dice)
        return left or self.rules.n_dice

    @property
    def locked_points(self) -> int:
        """The points of the turn before its last throw."""
        turn = self.turn
        return replace(turn, throws=turn.throws[:-1]).at_risk

    @property
    def is_charity_roll(self) -> bool:
        """Whether this is a charity roll: whatever it brings is banked."""
        return self.closer is not None and self.rules.last_round is LastRound.CHARITY_ROLL

    def bank_total(self, keep: Keep) -> int:
        """The score if the turn were banked with this keep of the last throw."""
        return self.player.score + self.locked_points + keep.score

    def overshoots(self, keep: Keep) -> bool:
        """Whether banking this keep would go over a target that must be hit exactly."""
        return self.rules.win is Win.EXACTLY and self.bank_total(keep) > self.rules.target

    @property
    def best_bank_keep(self) -> Keep | None:
        """The keep that banking takes: the best of the last throw that does not overshoot."""
        keeps = self.keeps
        return next(
            (keep for keep in keeps if not self.overshoots(keep)), keeps[0] if keeps else None
        )

    def bank_refusal(self, keep: Keep | None = None) -> Message | None:
        """Why the turn cannot be banked with this keep (without: the best), or None if it can."""
        if self.winner is not None:
            winner = self.players[self.winner].display_name
            return Message("%(name)s has won: start a rematch", name=winner)
        if self.turn.last is None:
            return Message(
                "throw first: %(name)s has not thrown in this turn", name=self.player.display_name
            )
        keep = keep or self.best_bank_keep
        if keep is None:
            return Message("the last die may be thrown once more first")
        if not self.is_charity_roll and (
            must := scoring.must_throw_reason(keep.dice_left, self.rules)
        ):
            return must
        return self._short_of(self.locked_points + keep.score)

    def _short_of(self, points: int) -> Message | None:
        rules = self.rules
        if not self.player.opened and points < rules.opening:
            return Message(
                "%(points)s is %(short)s short of the opening %(opening)s",
                points=points,
                short=rules.opening - points,
                opening=rules.opening,
            )
        if points < rules.minimum_bank:
            return Message(
                "%(points)s is %(short)s short of the %(least)s one must bank",
                points=points,
                short=rules.minimum_bank - points,
                least=rules.minimum_bank,
            )
        return None

    def team_seats(self, seat: int) -> tuple[int, ...]:
        """The seats that share a score with this one, itself among them."""
        team = self.players[seat].team
        if team is None:
            return (seat,)
        return tuple(i for i, player in enumerate(self.players) if player.team == team)

    def after(self, seat: int) -> int:
        """Who throws next after this seat."""
        if seat not in self.order:
            return self.order[0]
        return self.order[(self.order.index(seat) + 1) % len(self.order)]

    def can_take_over(self, turn: Turn) -> LeftOver | None:
        """What the player after this banked turn may go on with, under the rules."""
        last = turn.last
        if self.rules.piggyback is Piggyback.NO or last is None or last.keep is None:
            return None
        heavy = turn.hot or last.keep.hot
        if heavy and self.rules.piggyback is Piggyback.NOT_HEAVY:
            return None
        return LeftOver(turn.points, last.keep.dice_left or self.rules.n_dice)


def keeps_after(throws: tuple[Throw, ...], dice: Dice, rules: Ruleset) -> tuple[Keep, ...]:
    """Every legal keep of a throw that follows these, best first."""
    keeps = scoring.keep_table(rules)[dice]
    factor = multiplier(throws, rules)
    return keeps if factor == 1 else tuple(scoring.multiply(keep, factor) for keep in keeps)


def multiplier(throws: tuple[Throw, ...], rules: Ruleset) -> int:
    """How many times the points of a throw count that follows these."""
    return 1 + count_hot_dice(throws) if rules.hot_dice_multiply else 1


def reaches_target(rules: Ruleset, score: int) -> bool:
    """Whether this score ends the match, or opens the last round."""
    if rules.rounds:
        return False
    match rules.win:
        case Win.AT_LEAST:
            return score >= rules.target
        case Win.OVER:
            return score > rules.target
        case Win.EXACTLY:
            return score == rules.target
