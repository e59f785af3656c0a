"""The rules in force as plain sentences with their figures, one an option, for page and sheet."""

from collections.abc import Iterator

from game.rules.ruleset import FACES, Alike, HotDice, LastRound, Piggyback, Ruleset, Win

_ALIKE = {
    Alike.NONE: "Four, five and six of a kind score no more than a triple.",
    Alike.DOUBLING: "Each further matching die doubles the triple: four x2, five x4, six x8.",
    Alike.ADDING: "Each further matching die adds the triple again: four x2, five x3, six x4.",
}

_PIGGYBACK = {
    Piggyback.YES: "The next player may go on with the dice and points that were just banked.",
    Piggyback.NOT_HEAVY: (
        "The next player may go on with the dice and points that were just banked, "
        "unless all dice had scored in that turn."
    ),
}

_LAST_ROUND = {
    LastRound.NONE: "Who gets there first wins at once.",
    LastRound.EVERY_OTHER: "Then every other player has one more turn to top that.",
    LastRound.LATER_IN_ROUND: "Then the players later in the round have their turn to top that.",
    LastRound.CHARITY_ROLL: "Then every other player has one more throw to top that.",
}


def sentences(rules: Ruleset) -> tuple[str, ...]:
    """Every option that is in force, in the order in which one would explain the game."""
    return (*_scores(rules), *playing_sentences(rules))


def playing_sentences(rules: Ruleset) -> tuple[str, ...]:
    """How turns go, how the match ends, what is taken away: all but what scores."""
    return (*_turn(rules), *_end(rules), *_taken_away(rules))


def _scores(rules: Ruleset) -> Iterator[str]:
    if rules.n_dice != max(FACES):
        yield f"Played with {rules.n_dice} dice."
    for face, points in zip(FACES, rules.singles, strict=True):
        if points:
            yield f"A single {face} is {points:,}."
    yield _triples(rules)
    yield from _of_a_kind(rules)
    named = {
        "A straight from 1 to 6": rules.straight,
        "A low straight, 1 to 5,": rules.low_straight,
        "A high straight, 2 to 6,": rules.high_straight,
        "Three pairs": rules.three_pairs,
        "Four of a kind with a pair": rules.four_and_pair,
        "Six of a kind taken as three pairs": rules.six_as_pairs,
        "Two triplets": rules.two_triplets,
    }
    for what, points in named.items():
        if points:
            verb = "are" if what.endswith(("pairs", "triplets")) and "taken" not in what else "is"
            yield f"{what} {verb} {points:,}."
    if rules.nothing:
        yield f"A throw of all dice that scores nothing is {rules.nothing:,}, and a free throw."


def _triples(rules: Ruleset) -> str:
    usual = tuple(100 * face for face in FACES)
    exceptions = [
        f"three {face}s are {points:,}" if points else f"three {face}s are no combination"
        for face, points, other in zip(FACES, rules.triples, usual, strict=True)
        if points != other
    ]
    return "; ".join(["Three of a kind is 100 times the face", *exceptions]) + "."


def _of_a_kind(rules: Ruleset) -> Iterator[str]:
    if rules.alike is Alike.FIXED:
        words = zip(("Four", "five", "six")[: rules.n_dice - 3], rules.alike_fixed, strict=False)
        listed = ", ".join(f"{word} of a kind {points:,}" for word, points in words)
        yield f"{listed}, whatever the face."
    else:
        yield _ALIKE[rules.alike]
    for i, points in enumerate(rules.alike_faces):
        if points is not None:
            yield f"{('Four', 'Five', 'Six')[i % 3]} {i // 3 + 1}s are {points:,}."


def _turn(rules: Ruleset) -> Iterator[str]:
    if rules.opening:
        yield f"The first points a player banks are at least {rules.opening:,} in one turn."
    if rules.minimum_bank:
        yield f"Every bank is at least {rules.minimum_bank:,}."
    must = rules.hot_dice is HotDice.MUST
    yield f"Who scores with all dice {'must' if must else 'may'} throw them all again."
    if rules.last_die_twice:
        yield (
            f"A single last die may be thrown twice; if it scores, it brings {rules.last_die_twice:,} "
            "more and all dice are thrown again."
        )
    if rules.must_bank_after_triple:
        yield "After three of a kind is thrown the points are banked and the turn ends."
    if rules.piggyback in _PIGGYBACK:
        yield _PIGGYBACK[rules.piggyback]


def _end(rules: Ruleset) -> Iterator[str]:
    how = {
        Win.AT_LEAST: f"The game goes to {rules.target:,}.",
        Win.OVER: f"The game goes over {rules.target:,}.",
        Win.EXACTLY: f"The game goes to exactly {rules.target:,}: a turn that goes over scores zero.",
    }
    yield how[rules.win]
    yield _LAST_ROUND[LastRound.NONE if rules.win is Win.EXACTLY else rules.last_round]
    if rules.all_alike_wins:
        yield "All dice alike in a single throw win the game."


def _taken_away(rules: Ruleset) -> Iterator[str]:
    if rules.three_farkles:
        yield f"Three farkles in a row cost {rules.three_farkles:,}."
    if rules.three_scoreless_starts:
        yield f"Three turns in a row whose first throw scores nothing cost {rules.three_scoreless_starts:,}."
    if rules.triple_threes:
        yield f"Three 3s in one throw cost {rules.triple_threes:,} and score nothing."
    if rules.four_twos_reset:
        yield "Four or more 2s in one throw set the score back to zero and end the turn."
    if not rules.below_zero:
        yield "A score never falls below zero."
