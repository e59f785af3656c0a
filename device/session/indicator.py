"""What the lamp and the buzzer at the tray indicate, depending on the state of the table."""

from enum import StrEnum

from game.match.match import Match
from game.match.state import TurnEnding
from game.situation import HoldEffect, Situation


class Indicator(StrEnum):
    """Everything that the lamp can show, named as in docs/play.md."""

    STARTING = "starting"
    NO_MATCH = "no match"
    READY = "ready"
    BOT = "a bot plays"
    OTHER_TRAY = "the other tray's turn"
    WAITING = "waiting for stillness"
    READ = "read"
    HOT_DICE = "hot dice"
    QUESTION = "a question"
    ATTENTION = "needs attention"
    FARKLE = "farkle"
    WON = "won"
    NO_CAMERA = "no camera"
    SAFE_MODE = "safe mode"
    SCOREKEEPER = "a phone is asking to keep score"
    HOLD = "let go: bank, yes or rematch"
    UNDO = "let go: undo"
    SHUT_DOWN = "let go: shut down"
    STUCK = "the button is stuck"
    TEST_RED = "test: red"
    TEST_GREEN = "test: green"
    TEST_BLUE = "test: blue"


BUTTON_HELD = frozenset({Indicator.HOLD, Indicator.UNDO, Indicator.SHUT_DOWN, Indicator.STUCK})
"""What the lamp shows while the button is held down."""

TESTS = {"red": Indicator.TEST_RED, "green": Indicator.TEST_GREEN, "blue": Indicator.TEST_BLUE}
"""What the lamp shows, by colour, while calibration asks whether the user sees that colour."""

BANK_S, UNDO_S, SHUTDOWN_S = 1.0, 3.0, 5.0
"""How long the button must be held down to bank, undo or shut down, in seconds."""

STUCK_S = 10.0
"""A button that is down for this long, in seconds, is stuck: something lies on it, or its wires touch.

Releasing it then has no effect."""

_HELD = (
    (STUCK_S, Indicator.STUCK),
    (SHUTDOWN_S, Indicator.SHUT_DOWN),
    (UNDO_S, Indicator.UNDO),
    (BANK_S, Indicator.HOLD),
)

_BY_SITUATION = {
    Situation.NO_MATCH: Indicator.NO_MATCH,
    Situation.TURN_BEGINS: Indicator.READY,
    Situation.TURN_OVER: Indicator.READY,
    Situation.BOT: Indicator.BOT,
    Situation.WAITING: Indicator.WAITING,
    Situation.ACCEPTED: Indicator.READ,
    Situation.QUESTION: Indicator.QUESTION,
    Situation.ATTENTION: Indicator.ATTENTION,
    Situation.WON: Indicator.WON,
    Situation.JUST_DICE: Indicator.READY,
}

_ASKS_FOR_A_THROW = (
    Situation.NO_MATCH,
    Situation.TURN_BEGINS,
    Situation.TURN_OVER,
    Situation.JUST_DICE,
)


def indicator_for(
    situation: Situation,
    match: Match | None,
    *,
    held_s: float = 0.0,
    hold: HoldEffect = HoldEffect.NOTHING,
    has_camera: bool = True,
    started: bool = True,
    moved: bool = False,
    testing: str = "",
    asked: bool = False,
    may_shut_down: bool = True,
    safe_mode: bool = False,
    is_elsewhere: bool = False,
) -> Indicator:
    """Return what the lamp shows in a situation of the table.

    Args:
        situation: The situation of the table.
        match: The match in play; None if there is none.
        held_s: How long the button has been held down, in seconds; 0 if it is up.
        hold: What letting go of the button after a second would do.
        has_camera: Whether the camera works or is not needed.
        started: Whether the program has found a camera, or has found that there is none. Until then,
            the lamp shows that the program is starting.
        moved: Whether the tray has moved since it was calibrated.
        testing: The colour that calibration is asking about; "" if it is not asking.
        asked: Whether pressing the button now would make a phone the scorekeeper.
        may_shut_down: Whether a very long hold shuts the machine down.
        safe_mode: Whether the camera and the button are off because too many starts have failed.
        is_elsewhere: Whether the current player throws at another tray.
    """
    if testing:
        return TESTS[testing]
    if may_shut_down or not SHUTDOWN_S <= held_s < STUCK_S:
        for from_s, indicator in _HELD:
            if held_s >= from_s and (indicator is not Indicator.HOLD or hold):
                return indicator
    is_other_turn = is_elsewhere and situation is not Situation.WON
    if asked or is_other_turn:
        return Indicator.SCOREKEEPER if asked else Indicator.OTHER_TRAY
    is_throw_next = situation in (*_ASKS_FOR_A_THROW, Situation.ACCEPTED)
    if is_throw_next and (safe_mode or not has_camera):
        return _without_camera(safe_mode=safe_mode, started=started)
    if situation in _ASKS_FOR_A_THROW and moved:
        return Indicator.ATTENTION
    return _of_match(situation, match) if match else _BY_SITUATION[situation]


def _without_camera(*, safe_mode: bool, started: bool) -> Indicator:
    if safe_mode:
        return Indicator.SAFE_MODE
    return Indicator.NO_CAMERA if started else Indicator.STARTING


def _of_match(situation: Situation, match: Match) -> Indicator:
    if situation is Situation.TURN_OVER and match.state.turns[-1].ending is TurnEnding.FARKLE:
        return Indicator.FARKLE
    if situation is Situation.ACCEPTED and _is_hot(match):
        return Indicator.HOT_DICE
    return _BY_SITUATION[situation]


def _is_hot(match: Match) -> bool:
    """Return whether the next throw uses all dice, given the chosen keep or, if none was chosen, the best one."""
    last, best = match.state.turn.last, match.state.keeps[:1]
    return any(keep.hot for keep in ((last.keep,) if last and last.keep else best))
