"""Three or more players: a race that is exact for two, compared with simulated matches."""

import numpy as np
import pytest

from bench.players import Position, SimulatedMatches, _chance, _turn
from game.odds.match_odds import MatchOdds
from game.odds.race import build_race
from game.rules.ruleset import LastRound, Ruleset

SMALL = Ruleset("small", "Small", n_dice=5, target=2000, triples=(1000, 200, 300, 400, 500, 600))


@pytest.fixture(scope="module", params=[LastRound.NONE, LastRound.EVERY_OTHER])
def solved(request):
    wins = MatchOdds.unsolved(
        Ruleset("small", "Small", n_dice=5, last_round=request.param), SMALL.target
    )
    for _ in wins.solve():
        pass
    return wins


@pytest.mark.parametrize("scores", [(0, 0), (500, 1000), (1500, 200)])
def test_with_two_players_the_race_is_exact(solved, scores):
    model = build_race(solved)
    chance, _ = _chance(model, _turn(model, Position(tuple(n // 50 for n in scores), 1)))

    assert chance == pytest.approx(solved.begin(*scores), abs=0.004)


@pytest.mark.slow
@pytest.mark.parametrize("scores", [(0, 0, 0), (20, 25, 10, 15)])
def test_with_more_players_the_race_is_close_to_simulated_matches(solved, scores):
    position = Position(scores, len(scores) - 1)
    model = build_race(solved)
    chance, first = _chance(model, _turn(model, position))
    share = SimulatedMatches(solved).share(position, first, 20_000, np.random.default_rng(1))

    assert chance == pytest.approx(share, abs=0.03)
