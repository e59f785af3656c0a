"""Small numbers, dice and match lengths in words."""

from collections.abc import Iterable

from game.message import Message, Plural

_NUMBERS = (
    Message("one"),
    Message("two"),
    Message("three"),
    Message("four"),
    Message("five"),
    Message("six"),
)

_DICE = (
    Message("no dice"),
    Message("one die"),
    Message("two dice"),
    Message("three dice"),
    Message("four dice"),
    Message("five dice"),
    Message("six dice"),
)


def format_dice(dice: Iterable[int]) -> str:
    """Return the faces separated by spaces.

    >>> format_dice((1, 1, 5))
    '1 1 5'
    """
    return " ".join(map(str, dice))


def match_length(rounds: int, target: int, *, target_ends_rounds: bool) -> Message:
    """Return how long a match is: a number of turns, the points to reach, or both.

    >>> str(match_length(10, 5_000, target_ends_rounds=False))
    '10 turns each'
    >>> str(match_length(10, 5_000, target_ends_rounds=True))
    '10 turns each, or first to 5,000'

    Args:
        rounds: Number of turns of each player, or 0 if the match is played to a target.
        target: The points to reach.
        target_ends_rounds: Whether a match with a fixed number of turns also ends at the target.
    """
    if not rounds:
        return Message("first to %(points)s", points=target)
    turns = Plural("one turn each", "%(n)s turns each", n=rounds)
    if not target_ends_rounds:
        return turns
    return Message("%(turns)s, or first to %(target)s", turns=turns, target=target)


def series_length(best_of: int, n_sides: int) -> Message:
    """Return how long a series is. Only between two sides is it won within a fixed number of matches.

    >>> str(series_length(3, 2)), str(series_length(3, 4))
    ('best of 3', 'first to win 2 matches')

    Args:
        best_of: Number of matches of the series.
        n_sides: Number of players or teams.
    """
    if n_sides <= 2:  # noqa: PLR2004 - two sides
        return Message("best of %(n)s", n=best_of)
    return Message("first to win %(n)s matches", n=best_of // 2 + 1)


def number_word(n: int) -> Message:
    """Return a number from 1 to 6 in words.

    >>> str(number_word(4))
    'four'
    """
    return _NUMBERS[n - 1]


def dice_count(n: int) -> Message:
    """Return a number of dice in words.

    >>> [str(dice_count(n)) for n in (1, 4, 12)]
    ['one die', 'four dice', '12 dice']
    """
    return _DICE[n] if n < len(_DICE) else Plural("%(n)s die", "%(n)s dice", n=n)
