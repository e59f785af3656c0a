"""What the parts by the tray tell people: one sign at a time, a pure function of the table."""

from enum import StrEnum

from game.match import Match
from game.state import Ending
from web.table import Situation


class Sign(StrEnum):
    """Every sign there is, in the words of docs/play.md."""

    STARTING = "starting"
    NO_MATCH = "no match"
    READY = "ready"
    WAITING = "waiting for stillness"
    READ = "read"
    HOT_DICE = "hot dice"
    QUESTION = "a question"
    ATTENTION = "needs attention"
    FARKLE = "farkle"
    WON = "won"
    NO_CAMERA = "no camera"
    PENCIL = "press for the pencil"
    BANK = "let go: bank"
    UNDO = "let go: take back"
    SHUT_DOWN = "let go: shut down"
    TEST_RED = "test: red"
    TEST_GREEN = "test: green"
    TEST_BLUE = "test: blue"


HOLDING = frozenset({Sign.BANK, Sign.UNDO, Sign.SHUT_DOWN})
"""Shown while the button is down."""

TESTS = {"red": Sign.TEST_RED, "green": Sign.TEST_GREEN, "blue": Sign.TEST_BLUE}
"""Shown while calibration asks which colour the lamp shows."""

BANK_S, UNDO_S, SHUTDOWN_S = 1.0, 3.0, 5.0
"""What letting go of the button does, from so many seconds on."""

_HELD = ((SHUTDOWN_S, Sign.SHUT_DOWN), (UNDO_S, Sign.UNDO), (BANK_S, Sign.BANK))

_BY_SITUATION = {
    Situation.NO_MATCH: Sign.NO_MATCH,
    Situation.TURN_BEGINS: Sign.READY,
    Situation.TURN_OVER: Sign.READY,
    Situation.WAITING: Sign.WAITING,
    Situation.ACCEPTED: Sign.READ,
    Situation.QUESTION: Sign.QUESTION,
    Situation.ATTENTION: Sign.ATTENTION,
    Situation.WON: Sign.WON,
}

_ASKS_FOR_A_THROW = (Situation.NO_MATCH, Situation.TURN_BEGINS, Situation.TURN_OVER)


def sign_for(
    situation: Situation,
    match: Match | None,
    *,
    held_s: float = 0.0,
    has_camera: bool = True,
    started: bool = True,
    moved: bool = False,
    testing: str = "",
    asked: bool = False,
) -> Sign:
    """What is shown. Nothing is remembered: the same table gives the same sign.

    `started` is false until the camera was found, or found missing; `moved` is true where the tray
    lies elsewhere than it was calibrated; `testing` is the colour that calibration asks about;
    `asked` tells that a press now gives the pencil to a phone that asks for it.
    """
    if testing:
        return TESTS[testing]
    for from_s, sign in _HELD:
        if held_s >= from_s:
            return sign
    if asked:
        return Sign.PENCIL
    if situation in _ASKS_FOR_A_THROW and not has_camera:
        return Sign.NO_CAMERA if started else Sign.STARTING
    if situation in _ASKS_FOR_A_THROW and moved:
        return Sign.ATTENTION
    return _of_match(situation, match) if match else _BY_SITUATION[situation]


def _of_match(situation: Situation, match: Match) -> Sign:
    """A farkle and hot dice have signs of their own."""
    if situation is Situation.TURN_OVER and match.state.turns[-1].ending is Ending.FARKLE:
        return Sign.FARKLE
    if situation is Situation.ACCEPTED and any(keep.hot for keep in match.state.keeps[:1]):
        return Sign.HOT_DICE
    return _BY_SITUATION[situation]
