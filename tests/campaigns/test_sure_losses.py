"""Bots never bank a loss: ten rule sets, most of them without a solved table, near the end of a match."""

from collections import Counter
from pathlib import Path
from random import Random

import pytest

from game.match.apply_event import apply_event
from game.match.events import Banked, PlayerStyle
from game.odds import review
from game.odds.table_store import TableStore
from game.practice import strategy
from game.practice.handicap import play_on, start_state
from game.practice.strategy import BestPlay, StylePlay, needs_decision
from game.rules import rule_files
from game.rules.scoring import points_step
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
    "stirler": {"target": 3_000},
    "kcd": {},
}
"""Ten rule sets, and the options that differ from them. A changed target has no table."""

STYLE = PlayerStyle("Anna", (300,) * 6, 100, lapse=0.1)


MOST_SHARED = 15_000
"""Number of boards whose odds are kept for later matches."""


@pytest.fixture
def shared_odds(monkeypatch):
    """Let all matches share the odds of a board, which is most of the work. The bots still decide by themselves."""
    plain, found = review.turn_odds_of, {}

    def shared(state, wins, *, most=0, estimate=False):
        left = state.rules.rounds and tuple(map(state.turns_left, state.order))
        scores = tuple((p.score, p.opened, p.farkles) for p in state.players)
        board = state.turn.seat, state.order, scores, state.closer, state.to_follow, left
        reach, odds = found.pop(board, (-1, None))
        if reach < most:
            reach = max(most * 3 // 2, 40 * points_step(state.rules))
            odds = plain(state, wins, most=reach, estimate=estimate)
        if len(found) >= MOST_SHARED:
            del found[next(iter(found))]
        found[board] = reach, odds
        return odds

    monkeypatch.setattr(review, "turn_odds_of", shared)
    monkeypatch.setattr(strategy, "turn_odds_of", shared)


def judged(before, after):
    """Return what a bank meant, judged from the scores alone: "won", "lost" or "open"."""
    seat = before.turn.seat
    if after.winner is not None:
        return "won" if after.winner == seat else "lost"
    order = before.order
    if after.closer is not None:
        over, first = seat not in after.to_follow, after.closer
    else:
        played = sum(turn.seat == seat for turn in after.turns)
        over, first = bool(after.rules.rounds) and played == after.rules.rounds, order[0]
    if not over:
        return "open"
    place = [order[(order.index(first) + i) % len(order)] for i in range(len(order))]
    ahead = place[: place.index(seat)]
    mine = after.players[seat].score
    beaten = any(
        p.score >= mine + (s not in ahead) for s, p in enumerate(after.players) if s != seat
    )
    return "lost" if beaten else "open"


def wins_at_once(state):
    """Return whether the bank of one of the keeps would win the match."""
    banks = (Banked(keep.dice) for keep in state.keeps if state.bank_refusal(keep) is None)
    return any(apply_event(state, bank).winner == state.turn.seat for bank in banks)


def play(rules, wins, random):
    """Play one match from random scores near its end, and count what the banks meant and the wins that were left."""
    n = random.choice((2, 2, 3, 4))
    most = 2_000 if rules.rounds else rules.target - 1
    starts = [random.randint(most // 2, most) // 50 * 50 for _ in range(n)]
    state = start_state(rules, n, first=random.randrange(n), head_starts=starts)
    bots = [random.choice((BestPlay(wins), StylePlay(STYLE, seat))) for seat in range(n)]
    found = Counter()
    while state.winner is None:
        bot, before = bots[state.turn.seat], state
        decision = bot.decide(state) if needs_decision(state) else None
        state = play_on(state, bot, random)
        if isinstance(decision, Banked):
            found[judged(before, state)] += 1
        elif decision and wins_at_once(before):
            found["left"] += 1
    return found


@pytest.mark.long
@pytest.mark.campaign
@pytest.mark.timeout(36000)
@pytest.mark.usefixtures("shared_odds")
@pytest.mark.parametrize("name", CHANGES)
def test_no_bot_banks_a_sure_loss(name):
    rules = rule_files.with_options(rule_files.load(name), CHANGES[name])
    wins, random = TableStore(Path("none")).find(rules), Random(name)
    n = count(2, 1_000)
    found = sum((play(rules, wins, random) for _ in range(n)), Counter())
    print(
        f"\n{name}: {n:,} matches, {sum(found.values()):,} banks; {found['won']:,} won at once, "
        f"{found['lost']:,} were sure losses, {found['left']:,} wins were left"
    )

    assert found["lost"] == found["left"] == 0
