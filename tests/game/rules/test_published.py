"""Every published rule set: its scores, cases in which greedy scoring fails, and brute force."""

import tomllib
from collections import Counter
from functools import cache
from itertools import combinations_with_replacement
from pathlib import Path

import pytest

from game.rules import rule_files, scoring
from game.rules.ruleset import Alike, Ruleset

PRESETS = rule_files.names()


def best(rules_name: str, throw: str) -> tuple[str, int]:
    keep = scoring.legal_keeps(map(int, throw), rule_files.load(rules_name))[0]
    return "".join(map(str, keep.dice)), keep.score


def score(rules_name: str, throw: str) -> int:
    dice = tuple(map(int, throw))
    return scoring.find_keep(dice, dice, rule_files.load(rules_name)).score


@pytest.mark.parametrize(
    ("rules", "dice", "points"),
    [
        ("ten-thousand", "111111", 2000),
        ("ten-thousand-extras", "111111", 2000),
        ("complete-guide", "1111", 1100),
        ("complete-guide", "11115", 1150),
        ("zilch", "111122", 1500),
        ("zilch", "111133", 1500),
        ("zilch", "111144", 1500),
        ("zilch", "111166", 1500),
        ("zilch", "111155", 2100),
    ],
)
def test_best_partition_where_greedy_scoring_goes_wrong(rules, dice, points):
    assert score(rules, dice) == points


@pytest.mark.parametrize("pair", ["22", "33", "44", "66"])
def test_four_ones_alone_beat_three_pairs_in_zilch(pair):
    assert best("zilch", "1111" + pair) == ("1111", 2000)


@pytest.mark.parametrize(
    ("rules", "dice", "points"),
    [
        ("walnut-studiolo", "123456", 1500),
        ("ten-thousand", "123456", 3000),
        ("ten-thousand", "112233", 1500),
        ("ten-thousand", "222233", 1500),
        ("ten-thousand", "333333", 1500),
        ("complete-guide", "222333", 2500),
        ("complete-guide", "2222", 1000),
        ("complete-guide", "22222", 2000),
        ("complete-guide", "222222", 3000),
        ("complete-guide", "222255", 1500),
        ("cards-and-dominoes", "333", 300),
        ("cards-and-dominoes-extended", "3333", 600),
        ("cards-and-dominoes-extended", "112233", 1500),
        ("stirler", "12345", 750),
        ("stirler", "23456", 1000),
        ("stirler", "123456", 1500),
        ("colorado-dice", "12345", 750),
        ("colorado-dice", "23456", 1000),
        ("pocket-farkel", "111", 300),
        ("pocket-farkel", "1111", 1000),
        ("facebook", "1111", 2000),
        ("facebook", "111111", 4000),
        ("facebook", "112233", 750),
        ("zilch", "223466", 500),
        ("zilch", "444444", 3200),
        ("kcd", "12345", 500),
        ("kcd", "23456", 750),
        ("kcd", "222222", 1600),
        ("zonk", "12345", 1500),
        ("zonk", "23456", 1500),
        ("zonk", "11111", 10_000),
        ("zonk", "55555", 5000),
        ("zonk", "33333", 3000),
        ("party-zonk", "115", 250),
        ("party-zonk", "666", 600),
        ("greed", "115", 250),  # 5 1 3 4 1
        ("greed", "1111", 1100),  # 1 1 1 3 1
        ("greed", "4445", 450),  # 2 4 4 5 4
        ("greedy-dice", "123456", 3000),
        ("greedy-dice", "112233", 1000),
        ("greedy-dice", "444444", 3200),
        ("greedy-dice", "223466", 500),
        ("duke-zilch", "444444", 10_000),
        ("duke-zilch", "123456", 3000),
        ("duke-zilch", "113344", 1000),
        ("duke-zilch", "222266", 1000),
        ("duke-zilch", "22222", 800),
        ("lds-zilch", "6666", 700),
        ("lds-zilch", "123456", 1000),
        ("bear-zilch", "12345", 1000),
        ("bear-zilch", "23456", 1000),
        ("bear-zilch", "113355", 1000),
        ("klanestro", "123456", 2000),
        ("klanestro", "12345", 1000),
        ("klanestro", "113355", 1500),
        ("everything2", "123456", 1000),
        ("everything2", "222", 200),
        ("five-thousand", "12345", 1500),
        ("d5000", "23456", 1500),
        ("d5000", "1111", 1100),  # four 1s are three and one more
        ("rpdillon-zilch", "3333", 600),
        ("rpdillon-zilch", "222222", 1600),
        ("camp-zilch", "222", 200),
        ("dice-10000", "123456", 1200),
        ("dice-10000", "223344", 600),
        ("dice-10000", "2222", 400),
        ("dice-10000", "11111", 4000),
        ("dice-10000", "666666", 6000),
        ("aetolia", "222233", 1500),
        ("aetolia", "112233", 2500),
        ("aetolia", "444444", 8000),
        ("farkle-ten", "123456", 1000),
        ("farkle-ten", "222333", 2500),
        ("farkle-ten", "2222", 400),
        ("table-10000", "3333", 600),
        ("table-10000", "112233", 750),
        ("welfare", "333", 300),
        ("farkle-scorekeeper", "22333", 550),
        ("farkle-scorekeeper", "111", 1000),
        ("farkle-scorekeeper", "2222", 2000),
        ("farkle-scorekeeper", "222255", 2250),
        ("play-palace", "222", 20),
        ("play-palace", "222222", 160),
        ("play-palace", "123456", 200),
        ("odinic-10000", "123456", 1500),
        ("best-party-10000", "111", 1100),
        ("best-party-10000", "5555", 1000),
        ("best-party-10000", "55555", 2000),
        ("best-party-10000", "1111", 2200),
        ("best-party-10000", "11111", 4400),
        ("party-game-central", "222", 200),
        ("party-game-central", "123456", 3000),
        ("party-game-central", "112233", 1500),
        ("delphi-10000", "444", 400),
        ("delphi-10000", "1222", 300),
        ("delphi-10000", "123456", 2000),
        ("dice-directions", "2222", 400),
        ("dice-directions", "222222", 1600),
        ("dice-directions", "123456", 500),
        ("dice-directions", "223344", 500),
        ("holy-family", "222233", 1500),
        ("holy-family", "222333", 2500),
        ("reference-farkle", "111", 300),
        ("reference-farkle", "4444", 1000),
        ("crappo", "3333", 600),
        ("crappo", "33333", 900),
        ("crappo", "333333", 1200),
        ("crappo", "123456", 5000),
        ("five-thousand-points", "111", 1100),
        ("five-thousand-points", "3333", 600),
        ("five-thousand-points", "33333", 1200),
        ("five-thousand-points", "23456", 1500),
    ],
)
def test_published_figures(rules, dice, points):
    assert score(rules, dice) == points


@pytest.mark.parametrize(
    ("rules", "throw"),
    [
        ("facebook", "222233"),
        ("kcd", "112233"),
        ("stirler", "223344"),
        ("cards-and-dominoes", "223344"),
        ("zonk", "2222"),
        ("greed", "12346"),
        ("five-thousand", "23456"),
        ("lds-zilch", "223344"),
        ("klanestro", "222233"),
        ("camp-zilch", "12346"),
    ],
)
def test_other_dice_are_no_combination(rules, throw):
    dice = tuple(map(int, throw))

    assert dice not in {keep.dice for keep in scoring.legal_keeps(dice, rule_files.load(rules))}


def text_of(name):
    return (
        Path(rule_files.__file__).with_name("published").joinpath(f"{name}.toml").read_text("utf-8")
    )


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_has_a_title_a_source_a_usual_target_and_no_inherited_assumptions(name):
    rules = rule_files.load(name)

    assert rules.title != name
    assert rules.source
    assert rules.target in (500, 3000, 5000, 10_000, 20_000)
    assert list(rules.assumed) == tomllib.loads(text_of(name)).get("assumed", [])


@pytest.mark.parametrize("name", PRESETS)
def test_all_throws_agree_with_a_scorer_written_another_way(name):
    rules = rule_files.load(name)
    oracle = Oracle(rules)
    table = scoring.keep_table(rules)
    for n in range(1, rules.n_dice + 1):
        for throw in combinations_with_replacement(range(1, 7), n):
            found = [(keep.dice, keep.score) for keep in table[throw]]

            assert dict(found) == oracle.keeps(throw), throw
            assert len(dict(found)) == len(found)
    assert len(table) == {5: 461, 6: 923}[rules.n_dice]


class Oracle:
    """A scorer that tries every division of every part of the dice, one group at a time."""

    def __init__(self, rules: Ruleset) -> None:
        self.rules = rules
        self.best = cache(self._best)

    def keeps(self, throw):
        found = {}
        for mask in range(1, 2 ** len(throw)):
            kept = tuple(die for i, die in enumerate(throw) if mask >> i & 1)
            if (points := self.best(kept)) is not None:
                found[kept] = points
        if not found and self.rules.nothing and len(throw) == self.rules.n_dice:
            found[throw] = self.rules.nothing
        return found

    def _best(self, kept):
        if not kept:
            return 0
        totals = []
        for mask in range(1, 2 ** (len(kept) - 1) + 1):
            mask = 2 * mask - 1  # noqa: PLW2901 - the first die is always in the group
            group = tuple(die for i, die in enumerate(kept) if mask >> i & 1)
            rest = tuple(die for i, die in enumerate(kept) if not mask >> i & 1)
            points, others = self.group(group), self.best(rest)
            if points and others is not None:
                totals.append(points + others)
        return max(totals, default=None)

    def group(self, dice):
        counts = Counter(dice)
        shape = sorted(counts.values())
        rules = self.rules
        points = [0]
        if len(dice) == 1:
            points.append(rules.singles[dice[0] - 1])
        if len(counts) == 1 and len(dice) >= 3:
            points.append(self.alike(dice[0], len(dice)))
        straights = {
            (1, 2, 3, 4, 5, 6): rules.straight,
            (1, 2, 3, 4, 5): rules.low_straight,
            (2, 3, 4, 5, 6): rules.high_straight,
        }
        points.append(straights.get(dice, 0))
        shapes = {
            (2, 2, 2): rules.three_pairs,
            (2, 4): rules.four_and_pair,
            (6,): rules.six_as_pairs,
            (3, 3): rules.two_triplets,
        }
        points.append(shapes.get(tuple(shape), 0))
        if shape == [2, 3] and rules.full_house:
            points.append(rules.full_house + rules.triples[counts.most_common(1)[0][0] - 1])
        return max(points)

    def alike(self, face, n):
        triple = self.rules.triples[face - 1]
        if n == 3:
            return triple
        if (exception := self.rules.alike_faces[3 * (face - 1) + n - 4]) is not None:
            return exception
        by_mode = {
            Alike.NONE: 0,
            Alike.DOUBLING: triple * 2 ** (n - 3),
            Alike.ADDING: triple * (n - 2),
            Alike.FIXED: self.rules.alike_fixed[n - 4],
        }
        return by_mode[self.rules.alike]
