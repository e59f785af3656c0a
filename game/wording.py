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


def match_length(rounds: int, target: int) -> Message:
    """Return how long a match is: a number of turns, or the points to reach.

    >>> [str(match_length(*length)) for length in ((10, 0), (1, 0), (0, 10_000))]
    ['10 turns each', 'one turn each', 'first to 10,000']

    Args:
        rounds: Number of turns of each player, or 0 if the match is played to a target.
        target: The points to reach.
    """
    if rounds:
        return Plural("one turn each", "%(n)s turns each", n=rounds)
    return Message("first to %(points)s", points=target)


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
