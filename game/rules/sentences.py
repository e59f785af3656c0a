"""The rules in force as plain sentences with their figures, one an option, for page and sheet."""

from collections.abc import Iterator

from game.message import Message, one_by_one
from game.rules.ruleset import FACES, Alike, HotDice, LastRound, Piggyback, Ruleset, Win

_ALIKE = {
    Alike.NONE: Message("Four, five and six of a kind score no more than a triple."),
    Alike.DOUBLING: Message(
        "Each further matching die doubles the triple: four x2, five x4, six x8."
    ),
    Alike.ADDING: Message(
        "Each further matching die adds the triple again: four x2, five x3, six x4."
    ),
}

_PIGGYBACK = {
    Piggyback.YES: Message(
        "The next player may go on with the dice and points that were just banked."
    ),
    Piggyback.NOT_HEAVY: Message(
        "The next player may go on with the dice and points that were just banked, "
        "unless all dice had scored in that turn."
    ),
}

_LAST_ROUND = {
    LastRound.NONE: Message("Whoever gets there first wins at once."),
    LastRound.EVERY_OTHER: Message("Then every other player has one more turn to top that."),
    LastRound.LATER_IN_ROUND: Message(
        "Then the players later in the round have their turn to top that."
    ),
    LastRound.CHARITY_ROLL: Message("Then every other player has one more throw to top that."),
}


def sentences(rules: Ruleset) -> tuple[Message, ...]:
    """Every option that is in force, in the order in which one would explain the game."""
    return (*_scores(rules), *playing_sentences(rules))


def playing_sentences(rules: Ruleset) -> tuple[Message, ...]:
    """How turns go, how the match ends, what is taken away: all but what scores."""
    return (*_turn(rules), *_end(rules), *_taken_away(rules))


def _scores(rules: Ruleset) -> Iterator[Message]:
    if rules.n_dice != max(FACES):
        yield Message("Played with %(n)s dice.", n=rules.n_dice)
    for face, points in zip(FACES, rules.singles, strict=True):
        if points:
            yield Message("A single %(face)s is %(points)s.", face=face, points=points)
    yield _triples(rules)
    yield from _of_a_kind(rules)
    yield from _whole_throws(rules)


def _triples(rules: Ruleset) -> Message:
    usual = tuple(100 * face for face in FACES)
    exceptions = [
        Message("three %(face)ss are %(points)s", face=face, points=points)
        if points
        else Message("three %(face)ss are no combination", face=face)
        for face, points, other in zip(FACES, rules.triples, usual, strict=True)
        if points != other
    ]
    if not exceptions:
        return Message("Three of a kind is 100 times the face.")
    return Message(
        "Three of a kind is 100 times the face; %(exceptions)s.", exceptions=one_by_one(exceptions)
    )


def _of_a_kind(rules: Ruleset) -> Iterator[Message]:
    yield _fixed(rules) if rules.alike is Alike.FIXED else _ALIKE[rules.alike]
    for i, points in enumerate(rules.alike_faces):
        if points is not None:
            yield _exception(4 + i % 3, i // 3 + 1, points)


def _fixed(rules: Ruleset) -> Message:
    four, five, six = rules.alike_fixed
    if rules.n_dice == max(FACES):
        return Message(
            "Four of a kind %(four)s, five of a kind %(five)s, six of a kind %(six)s, "
            "whatever the face.",
            four=four,
            five=five,
            six=six,
        )
    return Message(
        "Four of a kind %(four)s, five of a kind %(five)s, whatever the face.",
        four=four,
        five=five,
    )


def _exception(n: int, face: int, points: int) -> Message:
    match n:
        case 4:
            return Message("Four %(face)ss are %(points)s.", face=face, points=points)
        case 5:
            return Message("Five %(face)ss are %(points)s.", face=face, points=points)
        case _:
            return Message("Six %(face)ss are %(points)s.", face=face, points=points)


def _whole_throws(rules: Ruleset) -> Iterator[Message]:
    """Straights, pairs and triplets, and a throw of nothing at all."""
    if points := rules.straight:
        yield Message("A straight from 1 to 6 is %(points)s.", points=points)
    if points := rules.low_straight:
        yield Message("A low straight, 1 to 5, is %(points)s.", points=points)
    if points := rules.high_straight:
        yield Message("A high straight, 2 to 6, is %(points)s.", points=points)
    if points := rules.three_pairs:
        yield Message("Three pairs are %(points)s.", points=points)
    if points := rules.four_and_pair:
        yield Message("Four of a kind with a pair is %(points)s.", points=points)
    if points := rules.six_as_pairs:
        yield Message("Six of a kind taken as three pairs is %(points)s.", points=points)
    if points := rules.two_triplets:
        yield Message("Two triplets are %(points)s.", points=points)
    if points := rules.nothing:
        yield Message(
            "A throw of all dice that scores nothing is %(points)s, and a free throw.",
            points=points,
        )


def _turn(rules: Ruleset) -> Iterator[Message]:
    if rules.opening:
        yield Message(
            "The first points a player banks are at least %(points)s in one turn.",
            points=rules.opening,
        )
    if rules.minimum_bank:
        yield Message("Every bank is at least %(points)s.", points=rules.minimum_bank)
    if rules.hot_dice is HotDice.MUST:
        yield Message("Whoever scores with all dice must throw them all again.")
    else:
        yield Message("Whoever scores with all dice may throw them all again.")
    if rules.last_die_twice:
        yield Message(
            "A single last die may be thrown twice; if it scores, it brings %(points)s more "
            "and all dice are thrown again.",
            points=rules.last_die_twice,
        )
    if rules.must_bank_after_triple:
        yield Message("After three of a kind is thrown the points are banked and the turn ends.")
    if rules.piggyback in _PIGGYBACK:
        yield _PIGGYBACK[rules.piggyback]


def _end(rules: Ruleset) -> Iterator[Message]:
    match rules.win:
        case Win.AT_LEAST:
            yield Message("The game goes to %(points)s.", points=rules.target)
        case Win.OVER:
            yield Message("The game goes over %(points)s.", points=rules.target)
        case Win.EXACTLY:
            yield Message(
                "The game goes to exactly %(points)s: a turn that goes over scores zero.",
                points=rules.target,
            )
    yield _LAST_ROUND[LastRound.NONE if rules.win is Win.EXACTLY else rules.last_round]
    if rules.all_alike_wins:
        yield Message("All dice alike in a single throw win the game.")


def _taken_away(rules: Ruleset) -> Iterator[Message]:
    if rules.three_farkles:
        yield Message("Three farkles in a row cost %(points)s.", points=rules.three_farkles)
    if rules.three_scoreless_starts:
        yield Message(
            "Three turns in a row whose first throw scores nothing cost %(points)s.",
            points=rules.three_scoreless_starts,
        )
    if rules.triple_threes:
        yield Message(
            "Three 3s in one throw cost %(points)s and score nothing.", points=rules.triple_threes
        )
    if rules.four_twos_reset:
        yield Message("Four or more 2s in one throw set the score back to zero and end the turn.")
    if not rules.below_zero:
        yield Message("A score never falls below zero.")
