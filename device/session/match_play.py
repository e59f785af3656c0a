"""What people do in a match: throw, keep, bank, correct and undo. Each function returns the change of the table."""

from collections.abc import Iterable
from dataclasses import replace

from device.session import judge, messages
from device.session.judge import forgotten_bank_repairs
from device.session.live_match import throws_elsewhere
from device.session.table_state import (
    Change,
    NeedsAttention,
    OpenQuestion,
    TableState,
    TrayNote,
)
from device.session.tray_reader import TrayReading
from device.session.verdict import (
    Accept,
    Answer,
    Ask,
    Attention,
    BankAlone,
    NotThrown,
    Verdict,
)
from game.commands import (
    Bank,
    CorrectThrow,
    DropEvents,
    FollowStep,
    InsertTurn,
    KeepDice,
    RecordEvent,
    Redo,
    Undo,
)
from game.errors import GameError, IllegalMove, LaterStepError
from game.match.events import (
    Action,
    Banked,
    Corrected,
    Event,
    Joined,
    Kept,
    Redone,
    Renamed,
    ScoreSet,
    Spliced,
    Thrown,
    TookOver,
    Undone,
)
from game.match.match import Match
from game.match.match_text import inserted_turn
from game.match.repair import check_same_players, repairs
from game.message import Message, Paragraph
from game.names import check_distinct
from game.practice.strategy import corrected_for_bot, redo_actions, undo_actions
from game.rules import scoring
from game.rules.ruleset import Dice
from game.situation import Situation, TableError

NO = Answer(Message("No, change nothing"))
"""The answer that is added to a question with only one option."""

MatchCommand = KeepDice | Bank | RecordEvent | InsertTurn | DropEvents | Redo
"""A command that makes sense only in a match."""


def do(state: TableState, command: MatchCommand) -> Change:
    """Carry out a command that makes sense only in a match.

    Raises:
        TableError, GameError: If the command is refused.
    """
    match command:
        case KeepDice():
            return _play(state, Kept(command.dice))
        case Bank():
            return bank(state, command.dice)
        case RecordEvent():
            return _record(state, command.event)
        case InsertTurn():
            turn = inserted_turn(state.current_match, command.turn, command.before)
            return _revise(state, Message("Added by hand."), turn)
        case DropEvents():
            dropped = Spliced(command.start, command.stop, ())
            return _revise(state, Message("Removed by hand."), dropped)
        case Redo():
            return _revise(state, Message("Redone."), *redo_actions(state.current_match))


def read(state: TableState, tray_reading: TrayReading) -> Verdict:
    """Implement `Play.read`: return what a reading of the tray means for the match."""
    return judge.judge(state.current_match, tray_reading, state.earlier_places)


def enter(state: TableState, dice: Iterable[int]) -> Change:
    """Implement `Play.enter`: accept a throw in the match, as entered on a phone."""
    match = state.current_match
    verdict = judge.judge_entered(match, scoring.checked_dice(dice, match.rules))
    return apply(state.cleared(), verdict)


def correct(state: TableState, dice: Dice, index: int | None) -> Change:
    """Implement `Play.correct`: replace the dice of a throw of the match."""
    match = state.current_match
    last = match.last_throw
    if index is None:
        if last is None:
            raise TableError(Message("There is no throw to correct yet."))
        index = last.index
    if state.is_elsewhere:
        return _ask_other_tray(state, CorrectThrow(dice, index))
    correction = Corrected(index, dice)
    corrected = Message("Corrected to %(dice)s.", dice=tuple(sorted(dice)))
    if without_decision := corrected_for_bot(match, correction):
        return _revise(state, corrected, without_decision)
    try:
        check_same_players(match, match.push(correction), since=index)
    except LaterStepError as error:
        question = _repair_question(match, correction, error.message)
    else:
        reset = judge.reset_question(match, correction)
        if reset is None:
            return _revise(state, corrected, correction)
        question = reset
    return apply(state.cleared(), question)


def undo(state: TableState) -> Change:
    """Implement `Play.undo`: take back the last step of the match."""
    if state.is_elsewhere:
        return _ask_other_tray(state, Undo())
    return _revise(state, Message("Undone."), *undo_actions(state.current_match))


def apply(state: TableState, verdict: Verdict, reading: int = 0) -> Change:
    """Act on a verdict about dice. The verdict `EmptyTray` only withdraws the repairs on offer.

    Args:
        state: The state of the table.
        verdict: What the dice mean.
        reading: Id of the reading that shows the dice; 0 if they were not read.
    """
    state = state.offering()
    match verdict:
        case Accept():
            change = take_step(state, *verdict.events)
            message = Paragraph(verdict.note, messages.outcome(change.state.current_match))
            return change.ending(change.state.saying(message).offering(*verdict.repairs))
        case Ask():
            options = verdict.options if len(verdict.options) > 1 else (*verdict.options, NO)
            question = OpenQuestion(verdict.question, options, reading)
            return Change(replace(state, overlay=question, message=verdict.question))
        case NotThrown():
            repairs_on_offer = (verdict.override,) if verdict.override else ()
            return Change(state.saying(verdict.note).offering(*repairs_on_offer))
        case Attention():
            overlay = NeedsAttention(verdict.advice, reading)
            return Change(replace(state, overlay=overlay, message=verdict.advice[0]))
    return Change(state)


def choose(state: TableState, option: Answer) -> Change:
    """Act on an answer that stands for a step of the match, or for none."""
    if option is NO:
        return Change(state.cleared().saying(messages.standing(state.current_match)))
    change = take_step(state, *option.actions)
    return change.ending(
        change.state.cleared().saying(messages.outcome(change.state.current_match))
    )


def take_step(state: TableState, *actions: Action) -> Change:
    """Carry out these actions as one step of the match, and note dice that were accepted with it.

    Raises:
        TableError: If only the other tray may take the next step.
        GameError: If an action is refused.
    """
    if state.is_elsewhere:
        raise TableError(throws_elsewhere(state.current_match))
    change = _step_change(state, actions)
    if not any(isinstance(action, Thrown) for action in actions):
        return change
    accepted = change.state.accepting()
    return replace(accepted, actions=actions)


def follow(state: TableState, command: FollowStep) -> Change:
    """Carry out a step that was taken at the other tray."""
    before = state.current_match
    if state.last_followed == (command.chain, before):
        return Change(state)  # the step was sent again while the table was busy
    change = _step_change(state, command.actions)
    after = change.state.current_match
    followed = replace(change.state, last_followed=(command.chain, after))
    if state.dice_log is None:
        message = messages.followed(command.actions, before, after)
        followed = followed.cleared().saying(message)
    return change.ending(followed)


def follow_wish(state: TableState, wish: Undo | CorrectThrow) -> Change:
    """Change the match as the other tray asks while "just dice" is on, and go on showing these dice.

    Raises:
        TableError, GameError: If the change is refused, or if somebody has to decide what follows from it.
    """
    change = undo(state) if isinstance(wish, Undo) else correct(state, wish.dice, wish.index)
    if not change.actions:
        raise TableError(Message("Only a person at this tray can decide what this changes."))
    return Change(replace(state, in_play=change.state.in_play), change.actions)


def bot_step(state: TableState, event: Event) -> Change:
    """Carry out the step of a bot, which leaves the dice in the tray as they are."""
    if state.is_elsewhere:
        raise TableError(throws_elsewhere(state.current_match))
    before = state.current_match
    change = _step_change(state, (event,))
    message = messages.bot_step(event, before, change.state.current_match)
    return change.ending(change.state.cleared().saying(message))


def bank(state: TableState, dice: Dice | None = None) -> Change:
    """Bank the turn with this keep; None means the best keep of the last throw."""
    return _play(state, Banked(dice))


def bank_alone(state: TableState, answer: BankAlone) -> Change:
    """Bank the turn, and treat the dice in the tray as dice that nobody threw.

    Dice can fall back into the tray while the button is held.
    """
    change = bank(state.cleared())
    accepted = change.state.accepting(answer.places)
    return replace(accepted, actions=change.actions)


def bank_alone_answer(state: TableState, tray_reading: TrayReading) -> Answer:
    """Return the answer that the player banked and that nobody threw the dice in this reading."""
    name = state.current_match.state.player.display_name
    leads_to = BankAlone(judge.places_of(tray_reading.reading))
    label = Message("%(name)s banked, and nobody threw these dice", name=name)
    return Answer(label, leads_to=leads_to)


def try_to_bank(state: TableState) -> Change:
    """Bank the turn. If that is refused, show the reason and leave the throw as it was read."""
    if state.situation is not Situation.ACCEPTED:
        return say_throw_first(state)
    try:
        return bank(state)
    except GameError as error:
        return Change(state.saying(error.message))


def say_throw_first(state: TableState) -> Change:
    """Show a message saying that nothing can be banked before the current player has thrown."""
    name = state.current_match.state.player.display_name
    return Change(state.saying(Message("Throw first: it is %(name)s's turn.", name=name)))


def _step_change(state: TableState, actions: tuple[Action, ...]) -> Change:
    """Return the change that writes these actions as one step, and that notes if earlier dice are then different.

    Args:
        state: The state of the table.
        actions: The actions that make up the step.
    """
    before = state.current_match
    after = before.push(*actions)
    written = replace(state, in_play=after)
    kinds = {type(action) for action in actions}
    if Thrown in kinds or _positions(after) == _positions(before):
        return Change(written, actions)
    if Spliced in kinds:
        # Changing earlier steps does not turn the dice in the tray into a new throw.
        still_there = replace(written, earlier_places=state.last_places)
        return Change(still_there, actions, tray_note=TrayNote.WRONG)
    is_undone = kinds & {Undone, Redone}
    return Change(written, actions, tray_note=TrayNote.RETRACTED if is_undone else None)


def _positions(match: Match) -> set[tuple[float, float]]:
    return {(place.x, place.y) for place in match.last_places}


def _ask_other_tray(state: TableState, command: Undo | CorrectThrow) -> Change:
    """Ask the other tray to make a change, because the current player sits there."""
    asked = Message("The other tray is being asked to change that.")
    return Change(state.saying(asked), asks=command)


def _play(state: TableState, action: Kept | Banked) -> Change:
    player = state.current_match.state.player
    if player.bot:
        raise IllegalMove(
            Message("%(name)s is a bot and decides by itself", name=player.display_name)
        )
    change = take_step(state, action)
    # After a press at the empty tray, the next throw is still read once its keep is chosen.
    after = change.state.offering() if isinstance(action, Kept) else change.state.cleared()
    return change.ending(after.saying(messages.outcome(after.current_match)))


def _record(state: TableState, event: Event) -> Change:
    before = state.current_match
    if isinstance(event, Joined) and state.seats_elsewhere:
        raise TableError(Message("Nobody can join a match that is being played at two trays."))
    if isinstance(event, Joined | Renamed):
        check_distinct(player.name for player in before.push(event).state.players)
    change = take_step(state, event)
    match = change.state.current_match
    is_same_turn = match.state.turn == before.state.turn and match.state.winner is None
    # Answers to a question say who throws next, which may be another player after any other event.
    keeps_answers = isinstance(event, Renamed | ScoreSet)
    if isinstance(event, TookOver) or (
        is_same_turn and (keeps_answers or not isinstance(state.overlay, OpenQuestion))
    ):
        after = change.state.offering()
    else:
        after = change.state.cleared()
    return change.ending(after.saying(messages.recorded_event(event, before, match)))


def _revise(state: TableState, what: Message, *actions: Action) -> Change:
    """Change earlier steps of the match, and show what was done (`what`) and what followed from it."""
    before = state.current_match
    change = take_step(state, *actions)
    outcome = messages.revision_outcome(before, change.state.current_match)
    state = change.state.cleared().saying(Paragraph(what, outcome))
    return change.ending(state.offering(*forgotten_bank_repairs(state.current_match)))


def _repair_question(match: Match, correction: Corrected, why: Message) -> Ask:
    """Ask what happened, offering every change that makes later steps fit a correction.

    Args:
        match: The match as it stands.
        correction: The correction of a throw, which conflicts with later steps.
        why: Why the correction conflicts with later steps.
    """
    ways = repairs(match, correction)
    if not ways:
        raise TableError(Message("That cannot be corrected: %(why)s", why=why))
    options = tuple(Answer(way.label, (way.action,)) for way in ways)
    question = Paragraph(
        Message("With that correction, %(why)s.", why=why), Message("What happened?")
    )
    return Ask(question, options)
