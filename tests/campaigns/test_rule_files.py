"""Ten thousand random rule files: each is refused in one line or played to the end."""

import random

import pytest

from game.errors import RulesetError
from game.match.events import TookOver
from game.match.match import Match
from game.rules import rule_files, score_card
from game.rules.rule_options import sentences
from tests.campaigns.rule_texts import rule_text
from tests.campaigns.size import count
from tests.campaigns.test_fuzz_text import one_line

pytestmark = [pytest.mark.campaign, pytest.mark.timeout(7200)]

PATIENCE = 20_000
"""Limit of throws; a match of two players who bank whenever they can has about two hundred."""


def test_a_rule_file_is_refused_in_one_line_or_played_to_an_end():
    rng = random.Random(23)
    n, refused, throws = count(30, 10_000), 0, 0
    for number in range(n):
        text = rule_text(rng)
        try:
            rules = rule_files.parse(text, name="house", where="house.toml")
        except RulesetError as error:
            refused += 1
            one_line(error)
            continue
        assert sentences(rules)
        assert score_card.card(rules)
        assert score_card.pad(rules)
        throws += played(rules, rng, f"rule file {number}:\n{text}")
    print(f"\n{n:,} rule files: {refused:,} refused, {n - refused:,} played, {throws:,} throws")


def played(rules, rng, named):
    """Return the number of throws until somebody has won."""
    match = Match.start(rules, ["Anna", "Ben"])
    for throws in range(PATIENCE):
        state = match.state
        if state.winner is not None:
            return throws
        if state.left_over and rng.random() < 0.3:
            match = match.push(TookOver())
        match = _decided(match.throw(rng.choices(range(1, 7), k=match.state.dice_in_hand)), rng)
    raise AssertionError(f"no end after {PATIENCE:,} throws: {named}")


def _decided(match, rng):
    """Nearly always bank if that is allowed; otherwise keep few dice, so that many are thrown again."""
    state, n_dice = match.state, match.rules.n_dice
    if not state.keeps or state.winner is not None:
        return match
    can_bank = [keep for keep in state.keeps if state.bank_refusal(keep) is None]
    fits = [keep for keep in can_bank if not state.overshoots(keep)]
    if can_bank and rng.random() < 0.9:
        return match.bank((fits or can_bank)[0].dice)
    if rng.random() < 0.2:
        return match.keep(rng.choice(state.keeps).dice)
    return match.keep(
        max(state.keeps, key=lambda keep: (keep.dice_left or n_dice, keep.score)).dice
    )
