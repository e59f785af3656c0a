"""Sentences for the table: short, with the remedy, the same on page, lamp log and voice."""

from collections.abc import Iterable

from vision.reading import Die, Problem, Reading

_DIE_ADVICE = {
    Problem.COCKED: "lies on an edge: throw that die again",
    Problem.HIDDEN: "is partly hidden: slide it free without turning it",
    Problem.STACKED: "lies on another die: throw that die again",
    Problem.UNREADABLE: "cannot be read: slide it without turning, or tap its face",
    Problem.TOO_SMALL: "is too small in the picture: bring the camera closer",
}

_PICTURE_ADVICE = {
    Problem.HAND: "A hand is in the picture: take it away and press again.",
    Problem.UNREADABLE: "Two looks at the tray do not agree: press again.",
    Problem.DARK: "It is too dark to read: give the tray more light.",
}

COUNT_WORDS = ("no", "one", "two", "three", "four", "five", "six")


def faces(dice: Iterable[int]) -> str:
    """`1 1 5`."""
    return " ".join(map(str, dice))


def count(n: int) -> str:
    """`one die`, `four dice`."""
    word = COUNT_WORDS[n] if n < len(COUNT_WORDS) else str(n)
    return f"{word} {'die' if n == 1 else 'dice'}"


def advice(reading: Reading) -> tuple[str, ...]:
    """What to do about each problem of the reading, one sentence each."""
    doubtful = [die for die in reading.in_tray if die.problem]
    problems = [p for p in reading.problems if not (doubtful and p is Problem.UNREADABLE)]
    whole = [_PICTURE_ADVICE.get(p, f"The picture is {p}: press again.") for p in problems]
    return (*whole, *(_die_advice(die, i, len(doubtful)) for i, die in enumerate(doubtful, 1)))


def _die_advice(die: Die, i: int, n: int) -> str:
    which = "The ringed die" if n == 1 else f"Ringed die {i}"
    how = _DIE_ADVICE.get(die.problem, "is doubtful: press again") if die.problem else ""
    return f"{which} {how}."


def expected(n: int, seen: int, why: str) -> str:
    """How many dice should lie there, how many do, and what to do about it."""
    remedy = "is one hidden, or on the floor?" if seen < n else "take the others out."
    return f"Expected {count(n)}, saw {seen}: {why}; {remedy}"
