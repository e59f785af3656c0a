"""What a keep would mean for the match, in a few words."""

from collections.abc import Iterator

from game.ruleset import LastRound
from game.scoring import Keep
from game.state import State, bank_refusal, overshoots, reaches_target


def effect(state: State, keep: Keep) -> str:
    """Such as "hot dice", "wins", "still 150 short of the opening 500"; often nothing."""
    return next(_effects(state, keep), "")


def _effects(state: State, keep: Keep) -> Iterator[str]:
    """All that is true of it, what matters most first."""
    rules, points = state.rules, state.locked_points + keep.score
    if overshoots(state, keep):
        yield f"over {rules.target:,}: banks nothing"
    if bank_refusal(state, keep) is None:
        yield from _standing(state, state.bank_total(keep))
    if keep.hot:
        yield "hot dice"
    if not state.player.opened and points < rules.opening:
        yield f"still {rules.opening - points:,} short of the opening {rules.opening:,}"
    if points < rules.minimum_bank:
        yield f"still {rules.minimum_bank - points:,} short of the {rules.minimum_bank:,} to bank"


def _standing(state: State, total: int) -> Iterator[str]:
    """Where banking to this total would bring the player, near the end of a match."""
    if state.closer is None:
        if reaches_target(state.rules, total):
            ends = state.rules.last_round is LastRound.NONE
            yield "wins" if ends else f"reaches {state.rules.target:,}"
        return
    leader = best_of_others(state)
    short = state.players[leader].score - total
    if short >= 0:
        yield f"{short:,} behind {state.players[leader].name}" if short else "only a tie"
    else:
        yield "wins" if len(seats_left(state)) == 1 else "takes the lead"


def best_of_others(state: State) -> int:
    """The seat with the highest score but for the player on turn."""
    others = (seat for seat in range(len(state.players)) if seat != state.turn.seat)
    return max(others, key=lambda seat: state.players[seat].score)


def seats_left(state: State) -> list[int]:
    """Who still plays a turn of the last round, the one on turn first; empty before it."""
    if state.closer is None or state.winner is not None:
        return []
    ends_round = state.rules.last_round is LastRound.LATER_IN_ROUND
    end = state.turns[0].seat if ends_round else state.closer
    n = len(state.players)
    return [(state.turn.seat + i) % n for i in range((end - state.turn.seat) % n)]
