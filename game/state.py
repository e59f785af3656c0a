"""Where a match stands, and what one event makes of it: the pure step of the fold."""

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import assert_never

from game import scoring
from game.errors import IllegalMove
from game.events import Banked, Event, Kept, Place, Renamed, Thrown
from game.ruleset import HotDice, LastRound, Ruleset, Win
from game.scoring import Dice, Keep


class Ending(StrEnum):
    """How a turn ended."""

    BANK = "bank"
    FARKLE = "farkle"


@dataclass(frozen=True, slots=True)
class Throw:
    """A throw as the match accepted it, and what was kept of it so far.

    `index` is the number of its event in the timeline: what a correction names.
    """

    index: int
    dice: Dice
    keep: Keep | None = None
    assumed: bool = False
    places: tuple[Place, ...] = ()


@dataclass(frozen=True, slots=True)
class Turn:
    """One player's throws until bank or farkle; `points` is what it brought, or has at risk."""

    seat: int
    throws: tuple[Throw, ...] = ()
    ending: Ending | None = None

    @property
    def points(self) -> int:
        if self.ending is Ending.FARKLE:
            return 0
        return sum(throw.keep.score for throw in self.throws if throw.keep)

    @property
    def last(self) -> Throw | None:
        return self.throws[-1] if self.throws else None


@dataclass(frozen=True, slots=True)
class Player:
    """A seat at the table. `opened` once a bank reached the opening."""

    name: str
    score: int = 0
    opened: bool = False


@dataclass(frozen=True, slots=True)
class State:
    """Where a match stands after some events.

    `turn` is the turn being played; it has no throws yet when a turn begins. `turns` are the
    finished ones. `closer` is the seat that reached the target first, when others may follow.
    """

    rules: Ruleset
    players: tuple[Player, ...]
    turn: Turn
    turns: tuple[Turn, ...] = ()
    closer: int | None = None
    winner: int | None = None
    n_events: int = 0

    @property
    def player(self) -> Player:
        return self.players[self.turn.seat]

    @property
    def dice_in_hand(self) -> int:
        """How many dice the next throw has, when the last throw's keep is decided."""
        last = self.turn.last
        if last is None:
            return self.rules.n_dice
        left = last.keep.dice_left if last.keep else len(last.dice)
        return left or self.rules.n_dice

    @property
    def keeps(self) -> tuple[Keep, ...]:
        """Every legal keep of the last throw of this turn, best first."""
        last = self.turn.last
        return scoring.table(self.rules)[last.dice] if last else ()

    @property
    def locked_points(self) -> int:
        """The points of the turn before its last throw."""
        return sum(throw.keep.score for throw in self.turn.throws[:-1] if throw.keep)

    def bank_total(self, keep: Keep) -> int:
        """The player's score if the turn were banked with this keep of the last throw."""
        return self.player.score + self.locked_points + keep.score


def step(state: State, event: Event) -> State:
    """What the event makes of the state.

    Raises:
        IllegalMove, ThrowError: the rules forbid it; says why.
    """
    match event:
        case Renamed():
            after = _renamed(state, event)
        case Thrown():
            after = _thrown(_running(state), event)
        case Kept():
            after = _kept(_running(state), event)
        case Banked():
            after = _banked(_running(state), event)
        case _:
            assert_never(event)
    return replace(after, n_events=state.n_events + 1)


def _running(state: State) -> State:
    if state.winner is not None:
        raise IllegalMove(f"{state.players[state.winner].name} has won: start a rematch")
    return state


def _renamed(state: State, event: Renamed) -> State:
    if not 0 <= event.seat < len(state.players):
        raise IllegalMove(f"there is no seat {event.seat}: seats are 0 to {len(state.players) - 1}")
    name = clean_name(event.name)
    if any(p.name == name for i, p in enumerate(state.players) if i != event.seat):
        raise IllegalMove(f"somebody else is called {name}: choose another name")
    return replace(state, players=_with(state.players, event.seat, name=name))


def _thrown(state: State, event: Thrown) -> State:
    dice = scoring.dice(event.dice, state.rules)
    last = state.turn.last
    if last and not last.keep:
        raise IllegalMove("the last throw's keep is not decided: keep some of its dice first")
    if len(dice) != state.dice_in_hand:
        raise IllegalMove(f"expected {state.dice_in_hand} dice, not {len(dice)}")
    throw = Throw(state.n_events, dice, places=event.places)
    turn = replace(state.turn, throws=(*state.turn.throws, throw))
    if scoring.table(state.rules)[dice]:
        return replace(state, turn=turn)
    return _next_turn(state, replace(turn, ending=Ending.FARKLE))


def _kept(state: State, event: Kept) -> State:
    last = _last_throw(state)
    keep = scoring.find(last.dice, event.dice, state.rules)
    return replace(state, turn=_with_keep(state.turn, keep, assumed=event.assumed))


def _banked(state: State, event: Banked) -> State:
    last = _last_throw(state)
    if event.dice is None:
        keep = bank_keep(state)
    else:
        keep = scoring.find(last.dice, event.dice, state.rules)
    if refusal := bank_refusal(state, keep):
        raise IllegalMove(refusal)
    turn = replace(_with_keep(state.turn, keep, assumed=event.dice is None), ending=Ending.BANK)
    score = state.bank_total(keep)
    if overshoots(state, keep):
        score = state.player.score
    return _next_turn(
        replace(state, players=_with(state.players, turn.seat, score=score, opened=True)), turn
    )


def _last_throw(state: State) -> Throw:
    last = state.turn.last
    if last is None:
        raise IllegalMove(f"throw first: {state.player.name} has not thrown in this turn")
    return last


def bank_keep(state: State) -> Keep:
    """The keep that banking takes: the best of the whole last throw that does not overshoot."""
    return next((k for k in state.keeps if not overshoots(state, k)), state.keeps[0])


def bank_refusal(state: State, keep: Keep | None = None) -> str | None:
    """Why the turn cannot be banked with this keep (the best without one), or None if it can."""
    if state.turn.last is None:
        return f"throw first: {state.player.name} has not thrown in this turn"
    keep = keep or bank_keep(state)
    points = state.locked_points + keep.score
    rules = state.rules
    if not state.player.opened and points < rules.opening:
        return f"{points:,} is {rules.opening - points:,} short of the opening {rules.opening:,}"
    if points < rules.minimum_bank:
        short = rules.minimum_bank - points
        return f"{points:,} is {short:,} short of the {rules.minimum_bank:,} one must bank"
    if keep.hot and rules.hot_dice is HotDice.MUST:
        return "hot dice must be thrown again"
    return None


def overshoots(state: State, keep: Keep) -> bool:
    """Whether banking this keep would go over a target that must be hit exactly."""
    return state.rules.win is Win.EXACTLY and state.bank_total(keep) > state.rules.target


def reaches_target(rules: Ruleset, score: int) -> bool:
    match rules.win:
        case Win.AT_LEAST:
            return score >= rules.target
        case Win.OVER:
            return score > rules.target
        case Win.EXACTLY:
            return score == rules.target


def _with_keep(turn: Turn, keep: Keep, *, assumed: bool) -> Turn:
    last = replace(turn.throws[-1], keep=keep, assumed=assumed)
    return replace(turn, throws=(*turn.throws[:-1], last))


def _next_turn(state: State, finished: Turn) -> State:
    """The state after a turn: the next player's, or the end of the match."""
    closer = state.closer
    if closer is None and reaches_target(state.rules, state.players[finished.seat].score):
        closer = finished.seat
    seat = (finished.seat + 1) % len(state.players)
    after = replace(state, turn=Turn(seat), turns=(*state.turns, finished), closer=closer)
    if closer is not None and _last_round_is_over(after, closer):
        return replace(after, winner=_leader(after, closer))
    return after


def _last_round_is_over(state: State, closer: int) -> bool:
    match state.rules.last_round:
        case LastRound.NONE:
            return True
        case LastRound.EVERY_OTHER:
            return state.turn.seat == closer
        case LastRound.LATER_IN_ROUND:
            return state.turn.seat == state.turns[0].seat


def _leader(state: State, closer: int) -> int:
    """Who has most; a tie stays with the one who was there first: the closer, then in order."""
    n = len(state.players)
    order = [(closer + i) % n for i in range(n)]
    return max(order, key=lambda seat: state.players[seat].score)


def _with(
    players: tuple[Player, ...], seat: int, **changes: str | int | bool
) -> tuple[Player, ...]:
    changed = replace(players[seat], **changes)  # type: ignore[arg-type]
    return (*players[:seat], changed, *players[seat + 1 :])


MAX_NAME = 24
"""Characters of a name: what fits on a phone beside a score."""


def clean_name(name: str) -> str:
    """The name without blanks around it.

    Raises:
        IllegalMove: it is empty, too long, or holds control characters.
    """
    name = " ".join(name.split())
    if not name or len(name) > MAX_NAME or not name.isprintable():
        raise IllegalMove(f"a name has 1 to {MAX_NAME} printable characters: {name[:40]!r} has not")
    return name
