"""What a keep would mean for the match, in a few words."""

from collections.abc import Iterator

from game.match.state import State, reaches_target
from game.match.turns import followers
from game.rules.ruleset import HotDice
from game.rules.scoring import Keep


def effect(state: State, keep: Keep) -> str:
    """Such as "hot dice", "wins", "still 150 short of the opening 500"; often nothing."""
    return next(_effects(state, keep), "")


def _effects(state: State, keep: Keep) -> Iterator[str]:
    """All that is true of it, what matters most first."""
    rules, points = state.rules, state.locked_points + keep.score
    if state.overshoots(keep):
        yield f"overshoots {rules.target:,}: scores zero"
    if state.bank_refusal(keep) is None:
        yield from _standing(state, state.bank_total(keep))
    if keep.hot:
        yield "hot dice: must be thrown again" if rules.hot_dice is HotDice.MUST else "hot dice"
    if not state.player.opened and points < rules.opening:
        yield f"still {rules.opening - points:,} short of the opening {rules.opening:,}"
    if points < rules.minimum_bank:
        yield f"still {rules.minimum_bank - points:,} short of the {rules.minimum_bank:,} to bank"


def _standing(state: State, total: int) -> Iterator[str]:
    """Where banking to this total would bring the player, near the end of a match."""
    if state.closer is None:
        if reaches_target(state.rules, total):
            others = followers(state, state.turn.seat)
            yield f"reaches {state.rules.target:,}" if others else "wins"
        return
    leader = best_of_others(state)
    short = state.players[leader].score - total
    if short >= 0:
        yield f"{short:,} behind {state.players[leader].name}" if short else "only a tie"
    else:
        yield "wins" if len(state.to_follow) == 1 else "takes the lead"


def best_of_others(state: State) -> int:
    """The seat with the highest score but for the player on turn and the team."""
    mates = state.mates(state.turn.seat)
    playing = {*state.order, state.closer if state.closer is not None else state.order[0]}
    others = (seat for seat in sorted(playing) if seat not in mates)
    return max(others, key=lambda seat: state.players[seat].score)
