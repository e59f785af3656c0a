"""Thousands of random matches, checked by a referee that imports nothing from this program."""

import random
from collections import Counter
from contextlib import suppress

import pytest

from game.errors import RulesetError
from game.match.events import TookOver
from game.match.match import Match
from game.rules import rule_files
from tests.campaigns.rule_texts import rule_text
from tests.campaigns.size import count
from tests.game.outside_table import Keeps, Table, read
from tests.game.rules.test_outside_keeps import PUBLISHED

pytestmark = [pytest.mark.long, pytest.mark.campaign, pytest.mark.timeout(7200)]

PATIENCE = 2_000
"""Limit of throws, for rules under which random players hardly ever bank."""

MATCHES_A_SET = 4
NEW = (
    "full_house",
    "hot_dice_multiply",
    "all_ones_win",
    "rounds",
    "must_throw_from",
    "welfare",
    "take_over_farkle",
    "four_twos_reset",
    "nothing_first_throw",
    "take_over_on_board",
    "knock_back",
    "scoreless_start",
    "keep_all",
    "must_beat_turn",
    "most_throws",
    "target_ends_rounds",
    "all_sixes_win",
    "straight_wins",
    "farkles_keep_costing",
    "opening_at_zero",
)
BY_AGE = sorted(
    rule_files.names(),
    key=lambda name: not any(getattr(rule_files.load(name), k) for k in NEW),
)


RARE = (
    'extends = "standard"\nmost_throws = 3\nlast_die_twice = 50\ntarget = 1000',
    'extends = "facebook"\nmost_throws = 2\nmust_beat_turn = true\ntarget = 1000',
    'extends = "t-games"\nkeep_all = true\nstraight_wins = true\nties = "everybody"\ntarget = 1000',
    'extends = "farkle-ten"\nrounds = 3\ntarget = 1500\nlast_round = "until unbeaten"',
)
"""House rules with options that random files seldom combine. They are played first."""


def test_an_independent_referee_agrees_with_every_match():
    rng, n, with_new = random.Random(6), count(160, 6000), Counter()
    turns, throws, won = 0, 0, 0
    for number in range(n):
        if number % MATCHES_A_SET == 0:
            text, rules = _rules(rng, number // MATCHES_A_SET)
            outside = read(text, PUBLISHED)
            keeps = Keeps(outside)
        table = Table(outside, rng.randint(2, 5), keeps)
        thrown, ended = refereed(rules, table, rng, f"match {number} by\n{text}")
        throws, won = throws + thrown, won + ended
        turns += sum(table.played)
        with_new.update(key for key in NEW if outside.get(key))
        with_new.update(value for value in (outside["ties"], outside["last_round"]))
    print(
        f"\n{n:,} matches, {won:,} of them to the end, {turns:,} turns, {throws:,} throws:"
        f" 0 differences; {dict(with_new)}"
    )
    assert won > 0.9 * n


def _rules(rng, number):
    """Yield published rule sets, those with the newest options first, alternating with house rules."""
    if number < len(RARE):
        return RARE[number], rule_files.parse(RARE[number], name="house", where="house.toml")
    if number % 2:
        name = BY_AGE[number // 2 % len(BY_AGE)]
        text = f'extends = "{name}"\ntarget = {rng.choice((1000, 3000, 10_000))}'
        return text, rule_files.parse(text, name="house", where="house.toml")
    while True:
        text = rule_text(rng)
        with suppress(RulesetError):
            return text, rule_files.parse(text, name="house", where="house.toml")


def refereed(rules, table, rng, named):
    """Play the same match on both sides; return the number of throws and whether somebody has won."""
    match = Match.start(rules, ["Anna", "Ben", "Cleo", "Dan", "Eve"][: table.n])
    careful = rng.random()
    for throws in range(PATIENCE):
        same(match.state, table, named)
        if table.winner is not None:
            return throws, True
        if table.to_take_over and rng.random() < 0.5:
            table.take_over()
            match = match.push(TookOver())
        dice = rng.choices(range(1, 7), k=table.in_hand)
        table.throw(tuple(dice))
        match = match.throw(dice)
        same(match.state, table, named)
        if table.keeps and table.winner is None:
            match = _decided(match, table, rng, careful)
    return PATIENCE, False


def _decided(match, table, rng, careful):
    may = [kept for kept in table.keeps if not table.refuses(kept)]
    fits = [kept for kept in may if not table.overshoots(kept)]
    kept = rng.choice(sorted(fits or may or table.keeps))
    if may and rng.random() < max(careful, 0.3):
        table.bank(kept)
        return match.bank(kept)
    table.keep(kept)
    return match.keep(kept)


def same(state, table, named):
    """Return everything that both sides record."""
    ours = {
        "score": [player.score for player in state.players],
        "on board": [player.opened for player in state.players],
        "winner": state.winner,
    }
    theirs = {"score": table.score, "on board": table.on_board, "winner": table.winner}
    if table.winner is None:
        left, last = state.left_over, state.turn.last
        keeps = () if last and last.keep else state.keeps
        ours |= {
            "seat": state.turn.seat,
            "at risk": state.turn.locked_points if keeps else state.turn.at_risk,
            "keeps": {keep.dice: keep.score for keep in keeps},
            "refused": {k.dice for k in keeps if state.bank_refusal(k) is not None},
            "take over": left and (left.points, left.dice),
        }
        theirs |= {
            "seat": table.seat,
            "at risk": table.at_risk,
            "keeps": table.keeps,
            "refused": {kept for kept in table.keeps if table.refuses(kept)},
            "take over": table.to_take_over,
        }
    assert ours == theirs, named
