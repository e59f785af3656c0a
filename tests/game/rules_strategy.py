"""Random rule sets."""

from dataclasses import replace

from hypothesis import strategies as st

from game.rules.playability import find_contradictions
from game.rules.ruleset import Alike, HotDice, LastRound, Piggyback, Ruleset, Ties, Win

PLAIN = Ruleset("", "")
POINTS = st.sampled_from([0, 50, 100, 300, 500, 750, 1000, 1500, 2500])


@st.composite
def rulesets(draw) -> Ruleset:
    """Draw any consistent rule set."""
    faces = st.tuples(*[POINTS] * 6)
    singles = draw(st.sampled_from([(100, 0, 0, 0, 50, 0), (10, 0, 0, 0, 5, 0)]))
    rules = Ruleset(
        name="random",
        title="Random",
        n_dice=draw(st.sampled_from([5, 6])),
        singles=singles,
        triples=draw(faces),
        alike=draw(st.sampled_from(Alike)),
        alike_fixed=draw(st.tuples(POINTS, POINTS, POINTS)),
        alike_faces=draw(st.tuples(*[st.none() | POINTS] * 18)),
        straight=draw(POINTS),
        low_straight=draw(POINTS),
        high_straight=draw(POINTS),
        three_pairs=draw(POINTS),
        four_and_pair=draw(POINTS),
        six_as_pairs=draw(POINTS),
        two_triplets=draw(POINTS),
        full_house=draw(POINTS),
        nothing=draw(POINTS),
        nothing_first_throw=draw(st.booleans()),
        hot_dice_multiply=draw(st.booleans()),
        opening=draw(st.sampled_from([0, 350, 500])),
        minimum_bank=draw(st.sampled_from([0, 0, 250])),
        hot_dice=draw(st.sampled_from(HotDice)),
        must_throw_from=draw(st.sampled_from([0, 0, 0, 3])),
        last_die_twice=draw(st.sampled_from([0, 500])),
        must_bank_after_triple=draw(st.booleans()),
        piggyback=draw(st.sampled_from(Piggyback)),
        take_over_on_board=draw(st.booleans()),
        target=draw(st.sampled_from([1000, 2500, 10_000])),
        win=draw(st.sampled_from(Win)),
        last_round=draw(st.sampled_from(LastRound)),
        rounds=draw(st.sampled_from([0, 0, 0, 3])),
        target_ends_rounds=draw(st.booleans()),
        ties=draw(st.sampled_from(Ties)),
        keep_all=draw(st.booleans()),
        must_beat_turn=draw(st.booleans()),
        most_throws=draw(st.sampled_from([0, 0, 3])),
        all_sixes_win=draw(st.booleans()),
        straight_wins=draw(st.booleans()),
        farkles_keep_costing=draw(st.booleans()),
        opening_at_zero=draw(st.booleans()),
        welfare=draw(st.booleans()),
        all_alike_wins=draw(st.booleans()),
        all_ones_win=draw(st.booleans()),
        knock_back=draw(st.booleans()),
        scoreless_start=draw(st.sampled_from([0, 500])),
        three_farkles=draw(st.sampled_from([0, 500])),
        three_scoreless_starts=draw(st.sampled_from([0, 1000])),
        take_over_farkle=draw(st.sampled_from([0, 500])),
        triple_threes=draw(st.sampled_from([0, 300])),
        four_twos_reset=draw(st.booleans()),
        below_zero=draw(st.booleans()),
    )
    rules = replace(rules, **_without_unused_points(rules))
    while found := find_contradictions(rules):
        rules = replace(rules, **{row.option: getattr(PLAIN, row.option) for row in found})
    return rules


def _without_unused_points(rules):
    """Return the changes that remove points for more dice of a kind than the rules have."""
    fixed = rules.alike_fixed if rules.alike is Alike.FIXED else (0, 0, 0)
    if rules.n_dice == 6:
        return {"alike_fixed": fixed}
    faces = tuple(None if i % 3 == 2 else points for i, points in enumerate(rules.alike_faces))
    return {"alike_fixed": (*fixed[:2], 0), "alike_faces": faces}
