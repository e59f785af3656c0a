"""Every option of the rules as one row: its name, its sentences, its label and its range.

Forms, sentences, the score card, the scorer and the reader of rule files are all built from these
rows. Types and defaults are in `game.rules.ruleset`. What an option does to a turn or a match is in
`game.match`. docs/decisions/rule-options.md explains which rules become an option.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain, combinations, combinations_with_replacement, permutations, product

from game.message import Message, join_with_semicolons
from game.rules.ruleset import (
    FACES,
    Alike,
    Dice,
    HotDice,
    LastRound,
    Piggyback,
    Ruleset,
    Ties,
    Win,
)

MAX_POINTS = 1_000_000
"""Largest value of an option, which catches typing errors. Published rules stay far below it."""

Sentences = Callable[[Ruleset], Iterable[Message]]
"""A function that returns the sentences about an option, given a rule set. There may be none."""

_TWO_TRIPLETS = tuple((a, a, a, b, b, b) for a, b in combinations(FACES, 2))
_FULL_HOUSES = tuple(tuple(sorted((a, a, a, b, b))) for a, b in permutations(FACES, 2))


@dataclass(frozen=True, slots=True)
class Shape:
    """A combination that is defined by a pattern of faces, such as a straight.

    Attributes:
        name: Name of the combination.
        made_of: All sets of dice that form it.
        shown: The dice that stand for it on the score card.
        adds_to_triple: Whether its points are added to the points of the three of a kind in it.
    """

    name: str
    made_of: tuple[Dice, ...]
    shown: Dice
    adds_to_triple: bool = False


@dataclass(frozen=True, slots=True)
class RuleOption:
    """One option of the rules.

    Attributes:
        name: Name of the field of `Ruleset`, which is also the key in a rule file.
        sentences: Function that returns the sentences about the option, or none if it is not in
            force.
        label: Label of its field on the page. Without a label, only files can set the option.
        choices: Each allowed value with its label, if there are only a few. Empty for other options.
        shape: The combination whose points the option sets, or None.
        least: Smallest number that is allowed.
        most: Largest number that is allowed.
    """

    name: str
    sentences: Sentences
    label: Message | None = None
    choices: tuple[tuple[StrEnum, Message], ...] = ()
    shape: Shape | None = None
    least: int = 0
    most: int = MAX_POINTS


@dataclass(frozen=True, slots=True)
class Section:
    """A group of options.

    Attributes:
        title: Heading of the group.
        hint: What 0 means in this group, or None.
        options: The options, in the order in which forms and sentences show them.
    """

    title: Message
    hint: Message | None
    options: tuple[RuleOption, ...]


SentenceOf = Callable[[int], Message]
"""A function that returns the sentence about an option, given the number to which it is set."""


def _if_any(name: str, sentence: SentenceOf) -> Sentences:
    """Return a function that yields the sentence about an option, unless the option is 0."""

    def says(rules: Ruleset) -> Iterator[Message]:
        if number := getattr(rules, name):
            yield sentence(number)

    return says


def _points(name: str, label: Message, sentence: SentenceOf) -> RuleOption:
    """Return an option for points that are required, given or taken. 0 switches it off."""
    return RuleOption(name, _if_any(name, sentence), label)


def _shape(name: str, label: Message, shape: Shape, sentence: SentenceOf) -> RuleOption:
    """Return an option for the points of a combination."""
    return RuleOption(name, _if_any(name, sentence), label, shape=shape)


def _switch(name: str, label: Message, sentence: Message) -> RuleOption:
    """Return an option that is on or off.

    Its sentence is shown if the option is not at its default.
    """
    usual = getattr(Ruleset("", ""), name)
    return RuleOption(
        name, lambda rules: () if getattr(rules, name) == usual else (sentence,), label
    )


def _dice_in_play(rules: Ruleset) -> Iterator[Message]:
    if rules.n_dice != max(FACES):
        yield Message("The game is played with %(n)s dice.", n=rules.n_dice)


def _singles(rules: Ruleset) -> Iterator[Message]:
    for face, points in zip(FACES, rules.singles, strict=True):
        if points:
            yield Message("A single %(face)s scores %(points)s.", face=face, points=points)


def _triples(rules: Ruleset) -> Iterator[Message]:
    usual = tuple(100 * face for face in FACES)
    scores = {
        face: Message("three %(face)ss score %(points)s", face=face, points=points)
        if points
        else Message("three %(face)ss do not score", face=face)
        for face, points in zip(FACES, map(rules.triple_points, FACES), strict=True)
    }
    exceptions = [scores[face] for face in FACES if rules.triple_points(face) != usual[face - 1]]
    if len(exceptions) > len(FACES) / 2:
        yield Message(
            "Three of a kind scores by its number: %(scores)s.",
            scores=join_with_semicolons([*scores.values()]),
        )
    elif exceptions:
        yield Message(
            "Three of a kind scores 100 times its number; %(exceptions)s.",
            exceptions=join_with_semicolons(exceptions),
        )
    else:
        yield Message("Three of a kind scores 100 times its number.")


def _alike(rules: Ruleset) -> Iterator[Message]:
    match rules.alike:
        case Alike.NONE if None in rules.alike_faces:
            yield Message("Four, five and six of a kind score no more than a triple.")
        case Alike.DOUBLING:
            yield Message("Each further matching die doubles the triple: four x2, five x4, six x8.")
        case Alike.ADDING:
            yield Message(
                "Each further matching die adds the triple again: four x2, five x3, six x4."
            )


def _alike_fixed(rules: Ruleset) -> Iterator[Message]:
    four, five, six = rules.alike_fixed
    if rules.alike is not Alike.FIXED:
        return
    if rules.n_dice == max(FACES):
        yield Message(
            "Four of a kind scores %(four)s, five of a kind %(five)s and six of a kind "
            "%(six)s, whatever the number.",
            four=four,
            five=five,
            six=six,
        )
    else:
        yield Message(
            "Four of a kind scores %(four)s and five of a kind %(five)s, whatever the number.",
            four=four,
            five=five,
        )


def _alike_faces(rules: Ruleset) -> Iterator[Message]:
    for face, n in product(FACES, range(4, rules.n_dice + 1)):
        points = rules.exception_points(face, n)
        if points is None or (points == 0 and rules.alike is Alike.NONE):
            continue
        match n:
            case 4:
                yield Message("Four %(face)ss score %(points)s.", face=face, points=points)
            case 5:
                yield Message("Five %(face)ss score %(points)s.", face=face, points=points)
            case 6:
                yield Message("Six %(face)ss score %(points)s.", face=face, points=points)


def _hot_dice(rules: Ruleset) -> Iterator[Message]:
    if rules.hot_dice is HotDice.MUST:
        yield Message("A player who scores with all dice must throw them all again.")
    else:
        yield Message("A player who scores with all dice may throw them all again.")


def _piggyback(rules: Ruleset) -> Iterator[Message]:
    match rules.piggyback:
        case Piggyback.YES:
            yield Message(
                "The next player may take over the points just banked by throwing the remaining dice."
            )
        case Piggyback.NOT_HEAVY:
            yield Message(
                "The next player may take over the points just banked by throwing the remaining "
                "dice, unless all dice scored in that turn."
            )


def _win(rules: Ruleset) -> Iterator[Message]:
    match rules.win if rules.has_target else None:
        case Win.AT_LEAST:
            yield Message("The game is played to %(points)s.", points=rules.target)
        case Win.OVER:
            yield Message("The game is won with more than %(points)s.", points=rules.target)
        case Win.EXACTLY:
            yield Message(
                "The game is played to exactly %(points)s: a turn that exceeds it scores zero.",
                points=rules.target,
            )


def _last_round(rules: Ruleset) -> Iterator[Message]:
    if not rules.has_target:
        return
    match LastRound.NONE if rules.win is Win.EXACTLY else rules.last_round:
        case LastRound.NONE:
            yield Message("The first player to get there wins at once.")
        case LastRound.EVERY_OTHER:
            yield Message("Then every other player has one more turn to beat that score.")
        case LastRound.LATER_IN_ROUND:
            yield Message("Then the players later in the round have their turn to beat that score.")
        case LastRound.CHARITY_ROLL:
            yield Message("Then every other player has one more throw to beat that score.")
        case LastRound.UNTIL_UNBEATEN:
            yield Message(
                "Then every other player has one more turn to beat that score. Whenever somebody "
                "does, all others have one more turn again."
            )


def _ties(rules: Ruleset) -> Iterator[Message]:
    match rules.ties:
        case Ties.TIED_PLAYERS:
            yield Message("After a tie, the tied players have one more turn each, until one leads.")
        case Ties.EVERYBODY:
            yield Message("After a tie, everybody has one more turn, until one player leads.")


def _rounds(rules: Ruleset) -> Iterator[Message]:
    if not rules.rounds:
        return
    if rules.target_ends_rounds:
        yield Message(
            "If nobody has got there after %(n)s turns each, the player with the most points wins.",
            n=rules.rounds,
        )
    else:
        yield Message(
            "Everybody has %(n)s turns. The player with the most points then wins; there "
            "is no target.",
            n=rules.rounds,
        )


def _nothing_more(_: Ruleset) -> tuple[Message, ...]:
    """Return no sentence, because the sentence of another option covers this option."""
    return ()


def _pairs(kinds: int) -> tuple[Dice, ...]:
    """Return all sets of three pairs that have this many different faces."""
    every = combinations_with_replacement(FACES, 3)
    return tuple(tuple(sorted((*faces, *faces))) for faces in every if len({*faces}) == kinds)


_SCORING = (
    RuleOption("n_dice", _dice_in_play, least=5, most=6),
    RuleOption("singles", _singles),
    RuleOption("triples", _triples),
    RuleOption(
        "alike",
        _alike,
        Message("Four, five or six of a kind"),
        (
            (Alike.NONE, Message("score no more than three")),
            (Alike.DOUBLING, Message("double with each further die")),
            (Alike.ADDING, Message("add the triple with each further die")),
            (Alike.FIXED, Message("have fixed points")),
        ),
    ),
    RuleOption("alike_fixed", _alike_fixed),
    RuleOption("alike_faces", _alike_faces),
    _shape(
        "straight",
        Message("A straight, 1 to 6"),
        Shape("straight", ((1, 2, 3, 4, 5, 6),), (1, 2, 3, 4, 5, 6)),
        lambda points: Message("A straight from 1 to 6 scores %(points)s.", points=points),
    ),
    _shape(
        "low_straight",
        Message("A low straight, 1 to 5"),
        Shape("low straight", ((1, 2, 3, 4, 5),), (1, 2, 3, 4, 5)),
        lambda points: Message("A low straight from 1 to 5 scores %(points)s.", points=points),
    ),
    _shape(
        "high_straight",
        Message("A high straight, 2 to 6"),
        Shape("high straight", ((2, 3, 4, 5, 6),), (2, 3, 4, 5, 6)),
        lambda points: Message("A high straight from 2 to 6 scores %(points)s.", points=points),
    ),
    _shape(
        "three_pairs",
        Message("Three pairs"),
        Shape("three pairs", _pairs(3), (2, 2, 3, 3, 6, 6)),
        lambda points: Message("Three pairs score %(points)s.", points=points),
    ),
    _shape(
        "four_and_pair",
        Message("Four of a kind with a pair"),
        Shape("four alike and a pair", _pairs(2), (2, 2, 2, 2, 6, 6)),
        lambda points: Message("Four of a kind with a pair scores %(points)s.", points=points),
    ),
    _shape(
        "six_as_pairs",
        Message("Six of a kind as three pairs"),
        Shape("six alike as three pairs", _pairs(1), (2, 2, 2, 2, 2, 2)),
        lambda points: Message(
            "Six of a kind counted as three pairs scores %(points)s.", points=points
        ),
    ),
    _shape(
        "two_triplets",
        Message("Two triplets"),
        Shape("two triplets", _TWO_TRIPLETS, (2, 2, 2, 3, 3, 3)),
        lambda points: Message("Two triplets score %(points)s.", points=points),
    ),
    _shape(
        "full_house",
        Message("Extra points for a full house"),
        Shape("full house", _FULL_HOUSES, (3, 3, 3, 2, 2), adds_to_triple=True),
        lambda points: Message(
            "A full house (three of a kind with a pair) scores %(points)s more than the "
            "three of a kind.",
            points=points,
        ),
    ),
    _points(
        "nothing",
        Message("A throw of all dice that scores nothing"),
        lambda points: Message(
            "A throw of all dice that scores nothing earns %(points)s and a free throw.",
            points=points,
        ),
    ),
    _switch(
        "nothing_first_throw",
        Message("A throw without points pays only as the first throw"),
        Message("A throw without points pays only as the first throw of a turn."),
    ),
    _switch(
        "keep_all",
        Message("All dice that score must be kept"),
        Message("All dice that score must be kept."),
    ),
    _switch(
        "hot_dice_multiply",
        Message("Hot dice multiply later points"),
        Message(
            "After hot dice, all later points of the turn count double. After the next hot dice "
            "they count triple, and so on."
        ),
    ),
)

_TURNS = (
    _points(
        "opening",
        Message("Points needed to get on the board"),
        lambda points: Message(
            "To get on the board a player must bank at least %(points)s in one turn.", points=points
        ),
    ),
    _points(
        "minimum_bank",
        Message("Points needed to bank"),
        lambda points: Message("A player must always bank at least %(points)s.", points=points),
    ),
    _switch(
        "must_beat_turn",
        Message("A turn must score more than the turn before"),
        Message("A player must bank more than the turn before scored."),
    ),
    RuleOption(
        "most_throws",
        _if_any(
            "most_throws",
            lambda n: Message(
                "A turn has at most %(n)s throws. The last of them is banked if it scores.", n=n
            ),
        ),
        Message("Largest number of throws in a turn"),
        most=100,
    ),
    RuleOption(
        "hot_dice",
        _hot_dice,
        Message("A player who scores with all dice"),
        (
            (HotDice.MAY, Message("may throw them all again")),
            (HotDice.MUST, Message("must throw them all again")),
        ),
    ),
    RuleOption(
        "must_throw_from",
        _if_any(
            "must_throw_from",
            lambda n: Message("A player with %(n)s or more dice left must throw again.", n=n),
        ),
        Message("Number of dice left at which a player must throw again"),
        most=5,
    ),
    _points(
        "last_die_twice",
        Message("Bonus for the last die, which may be thrown twice"),
        lambda points: Message(
            "The last remaining die may be thrown twice. If it scores, it earns %(points)s extra "
            "points and the player may throw all dice again.",
            points=points,
        ),
    ),
    _switch(
        "must_bank_after_triple",
        Message("Three of a kind ends the turn and is banked"),
        Message("When a player throws three of a kind, the points are banked and the turn ends."),
    ),
    RuleOption(
        "piggyback",
        _piggyback,
        Message("Next player may take over the banked points"),
        (
            (Piggyback.NO, Message("no")),
            (Piggyback.YES, Message("yes")),
            (Piggyback.NOT_HEAVY, Message("yes, unless all dice scored")),
        ),
    ),
    _switch(
        "take_over_on_board",
        Message("Only players on the board may take over the banked points"),
        Message("Only players who are on the board may take over the banked points."),
    ),
)

_ENDINGS = (
    RuleOption("target", _nothing_more, least=1),
    RuleOption(
        "win",
        _win,
        Message("The target must be"),
        (
            (Win.AT_LEAST, Message("reached")),
            (Win.OVER, Message("exceeded")),
            (Win.EXACTLY, Message("reached exactly")),
        ),
    ),
    RuleOption(
        "last_round",
        _last_round,
        Message("After that"),
        (
            (LastRound.NONE, Message("the match is over")),
            (LastRound.EVERY_OTHER, Message("all others have one more turn")),
            (LastRound.LATER_IN_ROUND, Message("the rest of the round is played")),
            (LastRound.CHARITY_ROLL, Message("all others have one more throw")),
            (
                LastRound.UNTIL_UNBEATEN,
                Message("all others have turns until nobody beats the best"),
            ),
        ),
    ),
    RuleOption(
        "ties",
        _ties,
        Message("After a tie"),
        (
            (Ties.NOBODY, Message("the player who was there first wins")),
            (Ties.TIED_PLAYERS, Message("the tied players play on")),
            (Ties.EVERYBODY, Message("everybody plays on")),
        ),
    ),
    RuleOption(
        "rounds",
        _rounds,
        Message("Fixed number of turns (0: play to the target)"),
        most=100,
    ),
    RuleOption(
        "target_ends_rounds",
        _nothing_more,
        Message("With a fixed number of turns, the target ends the match as well"),
    ),
    _switch(
        "welfare",
        Message("The points of a turn that exceeds the target go to the player in last place"),
        Message(
            "The points of a turn that exceeds the target go to the other player with the "
            "fewest points."
        ),
    ),
    _switch(
        "all_alike_wins",
        Message("All dice the same in one throw win"),
        Message("All dice the same in a single throw win the match."),
    ),
    _switch(
        "all_ones_win",
        Message("All 1s in one throw win"),
        Message("All 1s in a single throw win the match."),
    ),
    _switch(
        "all_sixes_win",
        Message("All 6s in one throw win"),
        Message("All 6s in a single throw win the match."),
    ),
    _switch(
        "straight_wins",
        Message("A straight in one throw wins"),
        Message("A straight from 1 to 6 in a single throw wins the match."),
    ),
    _switch(
        "knock_back",
        Message("Reaching another player's exact score knocks that player back to zero"),
        Message(
            "A player who reaches exactly the score of another player knocks that player "
            "back to zero."
        ),
    ),
)

_PENALTIES = (
    _points(
        "three_farkles",
        Message("Penalty for three farkles in a row"),
        lambda points: Message("Three farkles in a row cost %(points)s.", points=points),
    ),
    _switch(
        "farkles_keep_costing",
        Message("Each further farkle in a row costs as much"),
        Message("Each further farkle in a row costs as much again."),
    ),
    _switch(
        "opening_at_zero",
        Message("A player with no points must get on the board again"),
        Message("A player whose score falls to zero must get on the board again."),
    ),
    _points(
        "scoreless_start",
        Message("A first throw without points"),
        lambda points: Message(
            "A turn whose first throw scores nothing costs %(points)s.", points=points
        ),
    ),
    _points(
        "three_scoreless_starts",
        Message("Penalty for three first throws in a row without points"),
        lambda points: Message(
            "Three turns in a row whose first throw scores nothing cost %(points)s.", points=points
        ),
    ),
    _points(
        "take_over_farkle",
        Message("Penalty for a farkle after taking over points"),
        lambda points: Message(
            "A player who takes over points and then farkles loses %(points)s.", points=points
        ),
    ),
    _points(
        "triple_threes",
        Message("Penalty for three 3s in one throw"),
        lambda points: Message(
            "Three 3s in one throw cost %(points)s and score nothing.", points=points
        ),
    ),
    _switch(
        "four_twos_reset",
        Message("Four 2s in one throw reset the score to zero"),
        Message("Four or more 2s in one throw reset the score to zero and end the turn."),
    ),
    _switch(
        "below_zero",
        Message("A score may fall below zero"),
        Message("A score never falls below zero."),
    ),
)

SCORES = Section(Message("What scores"), Message("0: does not score"), _SCORING)
TURN = Section(Message("During a turn"), Message("0: no minimum"), _TURNS)
END = Section(Message("End of the match"), None, _ENDINGS)
PENALTIES = Section(Message("Penalties"), Message("0: no penalty"), _PENALTIES)

SECTIONS = (SCORES, TURN, END, PENALTIES)
"""The groups, in the order in which people would explain the game."""

OPTIONS = tuple(option for section in SECTIONS for option in section.options)
"""All options, in the order in which forms and sentences show them."""


def find_option(name: str) -> RuleOption:
    """Return the option with this name."""
    return next(row for row in OPTIONS if row.name == name)


def sentences(rules: Ruleset, sections: Iterable[Section] = SECTIONS) -> tuple[Message, ...]:
    """Return a sentence for every option in force, in the order in which people explain a game.

    Args:
        rules: The rules.
        sections: The groups of options to describe.
    """
    options = chain.from_iterable(section.options for section in sections)
    return tuple(chain.from_iterable(option.sentences(rules) for option in options))
