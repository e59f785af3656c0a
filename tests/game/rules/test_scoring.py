"""Keeps, compared with the worked examples of published rules and with brute force."""

from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import combinations_with_replacement, product

import pytest

from game.errors import IllegalMove, ThrowError
from game.rules import rule_files, scoring
from game.rules.ruleset import Ruleset

WALNUT = rule_files.load("walnut-studiolo")


def keeps(throw: str, rules: Ruleset = WALNUT) -> dict[str, int]:
    """Return `{"115": 250, ...}` in the order of the keeps."""
    found = scoring.legal_keeps(map(int, throw), rules)
    return {"".join(map(str, keep.dice)): keep.score for keep in found}


def test_walnut_example_lists_all_eleven_keeps_best_first():
    expected = {
        "113335": 550,
        "11333": 500,
        "13335": 450,
        "1333": 400,
        "3335": 350,
        "333": 300,
        "115": 250,
        "11": 200,
        "15": 150,
        "1": 100,
        "5": 50,
    }

    assert list(expected.items()) == list(keeps("113335").items())


def test_best_keep_of_the_example_is_hot():
    best, *others = scoring.legal_keeps((1, 1, 3, 3, 3, 5), WALNUT)

    assert best.hot
    assert not any(keep.hot for keep in others)


def test_ten_thousand_example_has_five_keeps():
    assert keeps("112456") == {"115": 250, "11": 200, "15": 150, "1": 100, "5": 50}


def test_cards_and_dominoes_example():
    assert keeps("112333") == {"11333": 500, "1333": 400, "333": 300, "11": 200, "1": 100}


@pytest.mark.parametrize(
    ("throw", "score"),
    [
        ("1", 100),
        ("5", 50),
        ("111", 1000),
        ("222", 200),
        ("333", 300),
        ("444", 400),
        ("555", 500),
        ("666", 600),
        ("3333", 600),
        ("33333", 1200),
        ("333333", 2400),
        ("1111", 2000),
        ("11111", 4000),
        ("111111", 8000),
        ("123456", 1500),
    ],
)
def test_published_figures_of_walnut_studiolo(throw: str, score: int):
    assert keeps(throw)[throw] == score


def test_pair_and_lone_four_are_a_farkle():
    assert keeps("2234") == {}


def test_two_of_three_ones_may_be_kept_as_singles():
    assert keeps("111") == {"111": 1000, "11": 200, "1": 100}


def test_fewer_than_three_4s_cannot_be_kept():
    assert keeps("444") == {"444": 400}


def test_the_breakdown_of_a_keep_is_readable():
    best = scoring.legal_keeps((1, 1, 3, 3, 3, 5), WALNUT)[0]

    assert str(best) == "three 3s 300 + two 1s 200 + one 5 50"


def test_order_of_the_dice_does_not_matter():
    assert scoring.legal_keeps((5, 3, 1), WALNUT) == scoring.legal_keeps((1, 3, 5), WALNUT)


@pytest.mark.parametrize(
    ("dice", "message"),
    [
        ((7,), "a die shows 1 to 6, not 7"),
        ((0,), "a die shows 1 to 6, not 0"),
        ((), "walnut-studiolo is played with 1 to 6 dice in a throw, not 0"),
        ((1,) * 7, "walnut-studiolo is played with 1 to 6 dice in a throw, not 7"),
    ],
)
def test_an_impossible_throw_is_named(dice: tuple[int, ...], message: str):
    with pytest.raises(ThrowError) as error:
        scoring.legal_keeps(dice, WALNUT)

    assert message == str(error.value)


@pytest.mark.parametrize(
    ("kept", "message"),
    [
        ((1, 4), "a single 4 does not score"),
        ((4, 4), "two 4s do not score"),
        ((1, 1, 1), "there are only two 1s in this throw"),
        ((6,), "there is no 6 in this throw"),
    ],
)
def test_illegal_keep_is_refused_with_the_reason(kept: tuple[int, ...], message: str):
    with pytest.raises(IllegalMove, match=message):
        scoring.find_keep((1, 1, 3, 4, 4, 5), kept, WALNUT)


def test_all_throws_agree_with_brute_force():
    """Compare with every ordered division of every kept part, by an independent scorer."""
    for n in range(1, 7):
        for throw in combinations_with_replacement(range(1, 7), n):
            found = {keep.dice: keep.score for keep in scoring.keep_table(WALNUT)[throw]}

            assert found == dict(_brute_keeps(throw)), throw


def test_all_ordered_throws_are_found_in_the_table():
    table = scoring.keep_table(WALNUT)

    assert all(
        scoring.checked_dice(throw, WALNUT) in table for throw in product(range(1, 7), repeat=6)
    )
    assert len(table) == 923


def _brute_keeps(throw: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], int]]:
    for mask in range(1, 2 ** len(throw)):
        kept = tuple(die for i, die in enumerate(throw) if mask >> i & 1)
        if (score := _brute_score(kept)) is not None:
            yield kept, score


@cache
def _brute_score(kept: tuple[int, ...]) -> int | None:
    """Return the best score over all ways to take one group away and score the rest."""
    if not kept:
        return 0
    best = None
    for mask in range(1, 2 ** len(kept)):
        group = tuple(die for i, die in enumerate(kept) if mask >> i & 1)
        rest = tuple(die for i, die in enumerate(kept) if not mask >> i & 1)
        points, others = _walnut_group(group), None
        if points:
            others = _brute_score(rest)
        if points and others is not None:
            best = max(best or 0, points + others)
    return best


def _walnut_group(group: tuple[int, ...]) -> int:
    if group == (1, 2, 3, 4, 5, 6):
        return 1500
    (face, n), *others = Counter(group).items()
    if others:
        return 0
    if n >= 3:
        return (1000 if face == 1 else 100 * face) * 2 ** (n - 3)
    return {1: 100, 5: 50}.get(face, 0) if n == 1 else 0
