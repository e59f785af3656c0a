"""Every keep of every throw, compared with an independent scorer that reads the rule files itself."""

import ast
import random
from itertools import combinations_with_replacement
from pathlib import Path

import pytest

from game.errors import RulesetError
from game.rules import rule_files, scoring
from tests.campaigns.rule_texts import rule_text
from tests.campaigns.size import count
from tests.game import outside_table
from tests.game.outside_table import Keeps, read

PUBLISHED = Path(rule_files.__file__).with_name("published")


def same_keeps(rules, outside):
    """Check that every throw has the same keeps, and return their number."""
    found = 0
    for n in range(1, rules.n_dice + 1):
        for throw in combinations_with_replacement(range(1, 7), n):
            ours = scoring.legal_keeps(throw, rules)
            found += len(ours)
            assert {keep.dice: keep.score for keep in ours} == outside.of(throw), throw
            assert all(keep.dice_left == n - len(keep.dice) for keep in ours)
    return found


@pytest.mark.parametrize("name", rule_files.names())
def test_a_published_rule_set_has_the_keeps_of_the_independent_scorer(name):
    text = (PUBLISHED / f"{name}.toml").read_text("utf-8")

    assert same_keeps(rule_files.load(name), Keeps(read(text, PUBLISHED))) > 1000


@pytest.mark.campaign
def test_a_house_file_has_the_keeps_of_the_independent_scorer():
    rng, n, sets = random.Random(5), count(8, 500), 0
    while sets < n:
        text = rule_text(rng)
        try:
            rules = rule_files.parse(text, name="house", where="house.toml")
        except RulesetError:
            continue
        same_keeps(rules, Keeps(read(text, PUBLISHED)))
        sets += 1


def test_the_independent_code_imports_nothing_from_the_project():
    tree = ast.parse(Path(outside_table.__file__).read_text("utf-8"))
    imported = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    named = {a.name for node in ast.walk(tree) if isinstance(node, ast.Import) for a in node.names}

    assert imported | named == {"itertools", "functools", "pathlib", "tomllib"}
