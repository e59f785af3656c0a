"""Small numbers, and dice, as people say them."""

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
    """What they show.

    >>> faces((1, 1, 5))
    '1 1 5'
    """
    return " ".join(map(str, dice))


def match_length(rounds: int, target: int) -> Message:
    """How long a match is: of so many turns each, or where that is 0 to a target.

    >>> [str(goal(*length)) for length in ((10, 0), (1, 0), (0, 10_000))]
    ['10 turns each', 'one turn each', 'to 10,000']
    """
    if rounds:
        return Plural("one turn each", "%(n)s turns each", n=rounds)
    return Message("to %(points)s", points=target)


def number_word(n: int) -> Message:
    """From 1 to 6: `four`.

    >>> str(number(4))
    'four'
    """
    return _NUMBERS[n - 1]


def dice_count(n: int) -> Message:
    """So many dice: `four dice`.

    >>> [str(n_dice(n)) for n in (1, 4, 12)]
    ['one die', 'four dice', '12 dice']
    """
    return _DICE[n] if n < len(_DICE) else Plural("%(n)s die", "%(n)s dice", n=n)
