"""Bots never bank a loss: ten rule sets, most of them without a solved table, near the end of a match."""

from collections import Counter
from pathlib import Path
from random import Random

import pytest

from game.match.events import Banked, PlayerStyle
from game.odds.table_store import TableStore
from game.practice.handicap import play_on, start_state
from game.practice.strategy import BestPlay, StylePlay, needs_decision
from game.rules import rule_files
from tests.campaigns.size import count

CHANGES = {
    "farkle-ten": {"rounds": 2},
    "aetolia": {"rounds": 2},
    "crappo": {"target": 3_000},
    "play-palace": {},
    "walnut-studiolo": {"target": 3_000},
    "party-zonk": {"target": 2_000},
    "welfare": {"target": 3_000},
    "everything2": {"target": 3_000},
    "stirler": {},
    "kcd": {},
}
"""Ten rule sets, and the options that differ from them. A changed target has no table."""

STYLE = PlayerStyle("Anna", (300,) * 6, 100, lapse=0.1)


def play(rules, wins, random):
    """Play one match from random scores near its end, and return how often a bank ended it for its player and against."""
    n = random.choice((2, 2, 3, 4))
    most = 2_000 if rules.rounds else rules.target - 1
    starts = [random.randint(most // 2, most) // 50 * 50 for _ in range(n)]
    state = start_state(rules, n, first=random.randrange(n), head_starts=starts)
    bots = [random.choice((BestPlay(wins), StylePlay(STYLE, seat))) for seat in range(n)]
    found = Counter()
    while state.winner is None:
        seat, before = state.turn.seat, state
        state = play_on(state, bots[seat], random)
        banked = isinstance(bots[seat].decide(before), Banked) if needs_decision(before) else False
        if banked and state.winner is not None:
            found[state.winner == seat] += 1
    return found


@pytest.mark.campaign
@pytest.mark.timeout(36000)
@pytest.mark.parametrize("name", CHANGES)
def test_no_bot_banks_a_sure_loss(name):
    rules = rule_files.with_options(rule_files.load(name), CHANGES[name])
    wins, random = TableStore(Path("none")).find(rules), Random(name)
    n = count(3, 1_000)
    found = sum((play(rules, wins, random) for _ in range(n)), Counter())
    print(
        f"\n{name}: {n:,} matches, {found[True]:,} won and {found[False]:,} lost by the last bank"
    )

    assert found[False] == 0
