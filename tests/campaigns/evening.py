"""An endless evening of random legal steps, each confirmed once it is in the journal."""

import random
from collections.abc import Callable, Iterator

from device.session.live_match import LiveMatch
from game.errors import GameError
from game.journal.journal import Journal
from game.match.events import Action, Banked, Kept, Place, Redone, ScoreSet, Skipped, Thrown, Undone
from game.match.match import Match
from game.rules import rule_files

RULES = [rule_files.load(name) for name in ("walnut-studiolo", "zilch", "stirler")]
NAMES = ("Anna", "Ben", "Cleo", "Zoë", "Πέτρος", "小明", "🎲🎲")

Tell = Callable[[str, int], object]
"""Called with "try" before a step is written and with "told" after it, and with the match."""


def steps(
    live_match: LiveMatch, journal: Journal, rng: random.Random, tell: Tell
) -> Iterator[None]:
    """Play for ever, and yield after each step."""
    last_id = live_match.match_id
    while True:
        draw = rng.random()
        if not live_match or draw < 0.01 or live_match.match.state.winner is not None:
            tell("try", 0)
            names = rng.sample(NAMES, rng.randint(2, 4))
            live_match.begin(Match.start(rng.choice(RULES), names))
            last_id = max(last_id, live_match.match_id)
            tell("told", live_match.match_id)
        elif draw < 0.02:
            number = rng.randint(1, last_id)
            tell("try", number)
            live_match.reopen(number)
            tell("told", number)
        else:
            _one_move(live_match, rng, tell)
        yield


def _one_move(live_match: LiveMatch, rng: random.Random, tell: Tell) -> None:
    actions = _wish(live_match.match, rng)
    try:
        live_match.match.push(*actions)
    except GameError:
        return
    tell("try", live_match.match_id)
    live_match.do(*actions)
    tell("told", live_match.match_id)


def _wish(match: Match, rng: random.Random) -> tuple[Action, ...]:
    state = match.state
    draw = rng.random()
    if draw < 0.06:
        return (rng.choice((Undone(), Redone(), Skipped(), ScoreSet(0, 50 * rng.randint(0, 99)))),)
    if state.turn.last and draw < 0.4:
        return (Banked(),)
    keep = rng.choice(state.keeps) if state.keeps else None
    kept = (Kept(keep.dice, assumed=True),) if keep else ()
    n_dice = (keep.dice_left if keep else state.dice_in_hand) or state.rules.n_dice
    dice = tuple(rng.randint(1, 6) for _ in range(n_dice))
    places = tuple(Place(face, rng.uniform(0, 2000), rng.uniform(0, 1200), 95.0) for face in dice)
    return (*kept, Thrown(dice, places))
