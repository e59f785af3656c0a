"""The pairings of a tournament, for any number of players."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from game.errors import IllegalMove
from web.club.draw import TournamentKind, TournamentPlan, pairings

PLAYERS = st.integers(3, 64).map(lambda n: tuple(range(1, n + 1)))


def plan(kind, players):
    return TournamentPlan(kind, tuple(players), "walnut-studiolo")


@given(PLAYERS)
def test_round_robin_pairs_everybody_once_and_nobody_twice_in_a_round(players):
    drawn = pairings(plan(TournamentKind.ROUND_ROBIN, players), {})
    n = len(players)

    assert len({pairing.players for pairing in drawn}) == len(drawn) == n * (n - 1) // 2
    for turn in {pairing.round for pairing in drawn}:
        seated = [p for pairing in drawn if pairing.round == turn for p in pairing.players]
        assert len(seated) == len(set(seated)) == n - n % 2


@given(PLAYERS, st.randoms())
def test_knock_out_eliminates_the_loser_of_each_match(players, random):
    winners = {}
    while True:
        drawn = pairings(plan(TournamentKind.KNOCK_OUT, players), winners)
        ready = [p for p in drawn if p.players and p.players not in winners]
        if not ready:
            break
        winners[ready[0].players] = random.choice(sorted(ready[0].players))
    losers = [p for two, winner in winners.items() for p in two if p != winner]

    assert len(drawn) == len(winners) == len(players) - 1
    assert len(losers) == len(set(losers)) == len(players) - 1


@given(PLAYERS)
def test_two_strongest_players_meet_in_the_final(players):
    winners = {}
    for _ in range(8):
        drawn = pairings(plan(TournamentKind.KNOCK_OUT, players), winners)
        winners |= {p.players: min(p.players) for p in drawn if p.players}

    assert drawn[-1].players == {1, 2}


@pytest.mark.parametrize("players", [(1, 2), (1, 1, 2), tuple(range(65))])
def test_wrong_number_of_players_or_a_repeated_one_is_refused(players):
    with pytest.raises(IllegalMove, match="3 to 64 different players"):
        plan(TournamentKind.KNOCK_OUT, players)
