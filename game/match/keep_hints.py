"""Short hints about the effect that a keep would have on the match."""

from collections.abc import Iterator

from game.match.apply_event import apply_event, welfare_recipient
from game.match.events import Banked
from game.match.state import State, reaches_target
from game.message import Message
from game.rules.ruleset import HotDice
from game.rules.scoring import Keep


def keep_hint(state: State, keep: Keep) -> Message | None:
    """Return a hint such as "hot dice", "wins" or "still 150 short of the opening 500", or None.

    Args:
        state: State of the match after the throw.
        keep: A legal keep of the throw.
    """
    return next(_effects(state, keep), None)


def _effects(state: State, keep: Keep) -> Iterator[Message]:
    """Yield every hint that applies to the keep, most important first."""
    rules, points = state.rules, state.bank_points(keep)
    if state.overshoots(keep):
        if welfare_recipient(state, points) is not None:
            yield Message(
                "more than %(target)s: the points go to another player", target=rules.target
            )
        yield Message("more than %(target)s: scores zero", target=rules.target)
    if state.bank_refusal(keep) is None:
        yield from _standing(state, keep)
    if keep.hot:
        must = rules.hot_dice is HotDice.MUST
        yield Message("hot dice: throw all dice again") if must else Message("hot dice")
    if keep.dice_left >= rules.must_throw_from > 0:
        yield Message("with %(n)s dice left you must throw", n=keep.dice_left)
    if not state.player.opened and points < rules.opening:
        yield Message(
            "still %(points)s short of the %(opening)s needed to get on the board",
            points=rules.opening - points,
            opening=rules.opening,
        )
    if points < rules.minimum_bank:
        yield Message(
            "still %(points)s short of the %(least)s needed to bank",
            points=rules.minimum_bank - points,
            least=rules.minimum_bank,
        )


def _standing(state: State, keep: Keep) -> Iterator[Message]:
    """Yield hints about the effect that banking a keep would have near the end of the match."""
    if state.closer is None and not reaches_target(state.rules, state.bank_total(keep)):
        return
    banked, mates = apply_event(state, Banked(keep.dice)), state.team_seats(state.turn.seat)
    if banked.winner in mates:
        yield Message("wins")
    elif state.closer is None:
        yield Message("reaches %(target)s", target=state.rules.target)
    else:
        rivals = [banked.players[seat] for seat in banked.order if seat not in mates]
        best = max(rivals, key=lambda player: player.score)
        short = best.score - banked.players[mates[0]].score
        behind = Message("%(points)s behind %(name)s", points=short, name=best.display_name)
        level = Message("takes the lead") if short else Message("only draws level")
        yield behind if short > 0 else level
