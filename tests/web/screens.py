"""The table in every state that people see, with a photo, for tests of the page's layout."""

from dataclasses import dataclass

import cv2
import numpy as np

from game.commands import Bank, EnterThrow, KeepDice, StartMatch
from game.situation import Choice, Situation
from tests.web.conftest import MemoryTable
from web.contracts import CoachMode, Photo, PhotoDie

WIDTH, HEIGHT = 1325, 716
"""Size of a photo that is cropped to the tray, as from the simulated camera."""

THROW = (1, 1, 3, 3, 3, 5)
NAMES = ("Anna", "Bartholomäus")
EIGHT = ("Anna", "Ben", "Clara", "Bartholomäus", "Emil", "Friederike", "Gustav", "Hannelore-Sophie")
LONGEST = ("Wilhelmina-Konstantina W", "Bartholomäus Maximilian")
SPOTS = ((0.2, 0.45), (0.32, 0.7), (0.45, 0.3), (0.58, 0.62), (0.72, 0.35), (0.8, 0.72))


def felt() -> bytes:
    """Draw a tray of plain felt with six white dice."""
    image = np.full((HEIGHT, WIDTH, 3), (58, 92, 40), np.uint8)
    for x, y in SPOTS:
        corner = round(x * WIDTH) - 34, round(y * HEIGHT) - 34
        cv2.rectangle(image, corner, (corner[0] + 68, corner[1] + 68), (225, 238, 240), -1)
    return cv2.imencode(".jpg", image)[1].tobytes()


def photo_of(faces, *, index=0, problem=None) -> Photo:
    """Make a photo of these dice, the last of them with a problem."""
    dice = [
        PhotoDie(face, x, y, 0.052, 0.095, 0, "tray", None, slot=None if index is None else i)
        for i, (face, (x, y)) in enumerate(zip(faces, SPOTS, strict=False))
    ]
    if problem:
        last = dice[-1]
        dice[-1] = PhotoDie(None, last.x, last.y, last.w, last.h, 0, "tray", problem)
    return Photo("felt", WIDTH, HEIGHT, tuple(dice), index)


def _ready(table: MemoryTable, names, **options) -> None:
    table.album["felt"] = table.album["view"] = felt()
    for die in range(len(SPOTS)):
        table.album[f"felt/{die}"] = felt()
    table.show(camera="picamera2: imx708", simulated=False)
    table.do(StartMatch(tuple(names), **options))


def _shown(table: MemoryTable) -> None:
    throw = table.match.last_throw
    table.show(photo=photo_of(throw.dice, index=throw.index))


def begins(table: MemoryTable, names=NAMES, **options) -> None:
    _ready(table, names, **options)


def thrown(table: MemoryTable, names=NAMES, **options) -> None:
    """Anna has thrown six dice and has eleven legal keeps."""
    _ready(table, names, **options)
    table.do(EnterThrow(THROW))
    _shown(table)


def kept(table: MemoryTable, names=NAMES, **options) -> None:
    """Anna has kept dice and thrown again, and is not on the board yet."""
    thrown(table, names, **options)
    table.do(KeepDice((1, 1)))
    table.do(EnterThrow((1, 2, 4, 6)))
    _shown(table)


def farkled(table: MemoryTable, names=NAMES) -> None:
    """Anna has lost 200, and it is the next player's turn."""
    thrown(table, names)
    table.do(KeepDice((1, 1)))
    table.do(EnterThrow((2, 3, 4, 6)))
    _shown(table)


def hot(table: MemoryTable, names=NAMES) -> None:
    _ready(table, names)
    table.do(EnterThrow((1, 1, 1, 5, 5, 5)))
    _shown(table)


def late(table: MemoryTable, names=NAMES, **options) -> None:
    """Every score has five digits, and many points are at risk."""
    _ready(table, names, target=100_000, **options)
    for _ in names:
        for _ in range(3):
            table.do(EnterThrow((1, 1, 1, 1, 1, 1)))
            table.do(KeepDice((1, 1, 1, 1, 1, 1)))
        table.do(EnterThrow((1, 1, 1, 2, 3, 4)))
        table.do(Bank())
    table.do(EnterThrow((1, 1, 1, 1, 1, 1)))
    table.do(KeepDice((1, 1, 1, 1, 1, 1)))
    table.do(EnterThrow((2, 2, 2, 2, 1, 5)))
    _shown(table)


def long(table: MemoryTable, names=NAMES) -> None:
    """The list of turns beside the game is longer than the game."""
    _ready(table, names)
    table.show(join_url="http://traykeeper.local:8000/")
    for _ in range(4):
        for _ in names:
            table.do(EnterThrow((1, 1, 1, 2, 3, 4)))
            table.do(Bank())
    table.do(EnterThrow(THROW))
    _shown(table)


def last_round(table: MemoryTable, names=NAMES, **options) -> None:
    """The first has reached the target; the second has thrown, and would lose by banking."""
    _ready(table, names, target=3_000, **options)
    for dice in ((1, 1, 1, 1, 1, 1), (1, 1, 1, 2, 3, 4)):
        table.do(EnterThrow(dice))
        if len(set(dice)) == 1:
            table.do(KeepDice(dice))
    table.do(Bank())
    table.do(EnterThrow((1, 1, 1, 2, 3, 4)))
    _shown(table)


def left_over(table: MemoryTable, names=NAMES, **options) -> None:
    """The first has begun the last round, and the second may take over what the first has just banked."""
    _ready(table, names, rules="high-stakes", target=1_000, **options)
    table.do(EnterThrow((1, 1, 1, 2, 3, 5)))
    table.do(Bank((1, 1, 1, 5)))
    table.advise(CoachMode.LIVE)
    _shown(table)


def won(table: MemoryTable, names=NAMES, **options) -> None:
    """The first has won, after the second has banked and all others have farkled."""
    last_round(table, names, **options)
    table.do(Bank())
    while table.match.state.winner is None:
        table.do(EnterThrow((2, 2, 3, 4, 6, 6)))


def coached(table: MemoryTable, names=NAMES) -> None:
    thrown(table, names)
    table.advise(CoachMode.LIVE)


def doubtful(table: MemoryTable, names=NAMES) -> None:
    """One die leans against the wall."""
    begins(table, names)
    advice = ("The circled die is not flat: throw that die again.",)
    photo = photo_of(THROW, index=None, problem="cocked")
    table.show(situation=Situation.ATTENTION, photo=photo, message=advice[0], advice=advice)


def asked(table: MemoryTable, names=NAMES) -> None:
    thrown(table, names)
    choices = (Choice("1", "Yes, Anna banked 550"), Choice("2", "No, Anna threw again"))
    question = "Did Anna bank 550? Hold = yes, this is Bartholomäus's throw."
    table.show(
        situation=Situation.QUESTION, question=question, message=question, choices=choices,
        photo=photo_of((2, 2, 3, 4, 4, 6), index=None),
    )  # fmt: skip


def tapped(table: MemoryTable, names=NAMES) -> None:
    _ready(table, names)
    table.do(EnterThrow(THROW))


@dataclass(frozen=True)
class Screen:
    """A state of the table, and the names of its players."""

    show: object
    names: tuple[str, ...] = NAMES


SCREENS = {
    "begins": Screen(begins),
    "thrown": Screen(thrown),
    "kept": Screen(kept),
    "farkled": Screen(farkled),
    "hot": Screen(hot),
    "late": Screen(late),
    "long": Screen(long),
    "last round": Screen(last_round),
    "left over": Screen(left_over),
    "coached": Screen(coached),
    "tapped in": Screen(tapped),
    "eight": Screen(thrown, EIGHT),
    "long names": Screen(kept, LONGEST),
}
"""The screens during play, which need no scrolling."""

MORE = {
    "doubtful": Screen(doubtful),
    "asked": Screen(asked),
    "won": Screen(won),
    "set up": Screen(lambda table, names: table),
}
