"""Plays the turns of bots: throws simulated dice, makes the decisions, and leaves people time to follow."""

from collections.abc import Callable
from concurrent.futures import Future

from device.session.session import Session
from game.errors import OddsError
from game.match.events import Bot, Event, Thrown
from game.match.state import State
from game.practice.strategy import (
    BestPlay,
    needs_decision,
    plain_play,
    simulated_dice,
    strategy_of,
)
from game.situation import Situation

THINKING_S = 0.1
"""How often to check whether a bot has decided, in seconds."""

Think = Callable[[Bot, State], "Future[Event | None]"]
"""A function that starts computing the decision of a bot, as `game.practice.strategy` describes it."""


def think_at_once(bot: Bot, state: State) -> "Future[Event | None]":
    """Return, as a completed future, a bot's decision made without the exact chances of winning.

    The decision is None if the bot decides to throw.

    Args:
        bot: The bot whose turn it is.
        state: The state of the match.
    """
    done: Future[Event | None] = Future()
    done.set_result(strategy_of(bot, state.rules, estimate=False).decide(state))
    return done


BOT_PAUSE_S = 2.5
"""How long a bot usually waits before each throw and each decision, in seconds."""


class BotTurns:
    """Takes the steps of bots when they are due.

    Args:
        session: Carries out the steps.
        pause_s: How long a bot waits before each throw and each decision, in seconds.
        think: Starts computing a decision.
        clock: Monotonic clock in seconds. If it stands still, bots act only when the button is pressed.
    """

    def __init__(
        self,
        session: Session,
        pause_s: float,
        think: Think = think_at_once,
        *,
        clock: Callable[[], float],
    ) -> None:
        self._session, self._pause_s, self._think_of, self._clock = session, pause_s, think, clock
        self._seen: State | None = None
        self._due_s = 0.0
        self._thought: Future[Event | None] | None = None
        self._declined: State | None = None

    def wait_s(self) -> float | None:
        """Return the seconds until the next step of a bot, or None if no bot has to act next."""
        if self._next_state() is None:
            return None
        left_s = self._due_s - self._clock()
        thinking = self._thought is not None and not self._thought.done()
        return max(left_s, THINKING_S if thinking else 0.0)

    def act(self) -> None:
        """Take the next step of a bot, if a bot has to act next and has decided.

        Raises:
            JournalError: If the step cannot be written. The next call after the pause tries again.
        """
        state = self._next_state()
        if state is None:
            return
        if self._thought is not None and not self._thought.done():
            self._due_s = self._clock()  # a press ends the pause once the bot has decided
            return
        self._due_s = self._clock() + self._pause_s
        event = self._decision(state)
        if event is None and self._session.table.situation is not Situation.BOT:
            self._declined = state  # a person throws all dice for the bot
            return
        bot = state.player.bot
        if event is None and bot:
            event = Thrown(simulated_dice(bot, state))
        if event:
            self._session.play_bot(event)

    def _next_state(self) -> State | None:
        """Return the state in which a bot has to act, or None if no bot has to act.

        If the state is new, start computing the bot's decision.
        """
        match = self._session.table.match
        state = match.state if match else None
        if state is None or not self._is_due(state):
            self._seen = self._thought = None
            return None
        if state is not self._seen:
            self._seen = state
            self._due_s = self._clock() + self._pause_s
            self._thought = self._think(state)
        return state

    def _is_due(self, state: State) -> bool:
        match self._session.table.situation:
            case Situation.BOT:
                return True
            case Situation.TURN_OVER if state.player.bot:
                return needs_decision(state) and state is not self._declined
        return False

    def _think(self, state: State) -> "Future[Event | None] | None":
        bot = state.player.bot
        return self._think_of(bot, state) if bot and needs_decision(state) else None

    def _decision(self, state: State) -> Event | None:
        if self._thought is None:
            return None
        if self._thought.exception() is None:
            return self._thought.result()
        try:  # a match must go on even if the calculation failed
            return BestPlay(estimate=False).decide(state)
        except OddsError:
            return plain_play(state.rules).decide(state)
