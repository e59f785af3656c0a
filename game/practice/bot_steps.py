"""The steps that a bot takes in a match: whether one is next, and how people undo or correct them."""

from collections.abc import Iterator
from random import Random

from game.match.bot import Bot, BotDice
from game.match.events import (
    Banked,
    Corrected,
    Kept,
    Redone,
    Spliced,
    Thrown,
    TookOver,
    Undone,
)
from game.match.match import Match, forget_faces
from game.match.state import State
from game.practice.strategy import needs_decision
from game.rules.ruleset import Dice


def is_practice(match: Match) -> bool:
    """Return whether a match is for practice, that is, whether at least one bot plays in it."""
    return any(player.bot for player in match.state.players)


def is_bot_next(state: State) -> bool:
    """Return whether the next step is a bot's: a throw of simulated dice, or a decision."""
    bot = state.player.bot
    if bot is None or state.winner is not None:
        return False
    return bot.dice is BotDice.SIMULATED or (state.turn.last is not None and needs_decision(state))


def simulated_dice(bot: Bot, state: State) -> Dice:
    """Return the faces of a bot's simulated throw.

    The same bot and state always yield the same faces.

    Args:
        bot: The bot whose turn it is.
        state: State of the match before the throw.
    """
    random = Random(f"{bot.seed} dice {state.n_events}")
    return tuple(sorted(random.choices(range(1, 7), k=state.dice_in_hand)))


def undo_actions(match: Match) -> tuple[Undone, ...]:
    """Return the actions that undo the last step of a person and all steps of bots since then."""
    n, at = 1, match
    while at.before is not None and at.before.before is not None and _is_bot_step(at):
        n, at = n + 1, at.before
    return (Undone(),) * n


def redo_actions(match: Match) -> tuple[Redone, ...]:
    """Return the actions that redo the step undone last and the steps of bots that followed it."""
    return (Redone(),) * (1 + sum(1 for _ in _bot_steps_to_redo(match)))


def _bot_steps_to_redo(match: Match) -> Iterator[Match]:
    for after in match.after[-2::-1]:
        if not _is_bot_step(after):
            return
        yield after


def _is_bot_step(match: Match) -> bool:
    """Return whether a bot, rather than a person, took the last step of a match."""
    before = match.before
    if before is None or len(match.timeline) <= len(before.timeline):
        return False
    bot = before.state.player.bot
    event = match.timeline[len(before.timeline)]
    if isinstance(event, Thrown):
        return bot is not None and bot.dice is BotDice.SIMULATED
    return bot is not None and isinstance(event, Kept | Banked | TookOver)


def corrected_for_bot(match: Match, correction: Corrected) -> Spliced | None:
    """Return the change that corrects a bot's throw and removes the decision made after it.

    The bot then decides again. The result is None if the throw is in a person's turn, or if events
    other than the decision have followed the throw. The decision then stays, as it does for a
    person.

    Args:
        match: The match.
        correction: The correction of a throw.
    """
    index, end = correction.index, len(match.timeline)
    turns = (match.state.turn, *match.state.turns)
    turn = next((t for t in turns if any(throw.index == index for throw in t.throws)), None)
    if turn is None or match.state.players[turn.seat].bot is None:
        return None
    old, *later = match.timeline[index:]
    if not isinstance(old, Thrown) or not all(isinstance(e, Kept | Banked) for e in later):
        return None
    thrown = Thrown(correction.dice, forget_faces(old, correction.dice))
    return Spliced(index, end, (thrown,))
