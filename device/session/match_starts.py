"""The ways to begin a match: from a form, from a roll-off, or from an earlier match."""

import secrets
from dataclasses import replace

from device.session import messages
from device.session.match_play import apply
from device.session.table_state import WELCOME, Change, TableState
from device.session.verdict import Answer, AnswerCall, Ask
from game.commands import (
    BeginSharedMatch,
    CallPlayers,
    PlayOnAlone,
    Rematch,
    ReopenMatch,
    SetJustDice,
    StartMatch,
)
from game.dice_log import DiceLog
from game.match.events import Bot, ScoreSet
from game.match.match import Match, describe_head_starts, head_starts
from game.match.rolloff import RollOff
from game.match.state import SINGLE_MATCH, Series, State
from game.message import Message, Paragraph, Value
from game.names import check_distinct, default_name
from game.rules import rule_files
from game.rules.ruleset import Ruleset
from game.situation import MATCH_IN_THE_WAY, READY_FOR_MATCH, TableError

SEED_BITS = 32
SERIES_ID_BYTES = 8

StartCommand = (
    StartMatch | Rematch | ReopenMatch | CallPlayers | SetJustDice | BeginSharedMatch | PlayOnAlone
)
"""A command that changes what is being played at the table."""


def start(state: TableState, form: StartMatch) -> Change:
    """Begin the match that somebody set up on a phone.

    Raises:
        TableError: If a head start is not below the target.
        RulesetError: If the form names an unknown rule set, or an option is not valid.
        IllegalMove: If these players cannot form a match, or two names are too similar.
    """
    match = from_form(state.rules, form)
    rules, points = match.rules, form.head_starts or ()
    if rules.has_target and any(start >= rules.target for start in points):
        raise TableError(
            Message(
                "A head start must be below the target of %(target)s points.", target=rules.target
            )
        )
    match = match.push(*(ScoreSet(seat, start) for seat, start in enumerate(points) if start))
    begins = Message("New match: %(name)s begins.", name=_first(match))
    return begin(state, match, Paragraph(begins, *describe_head_starts(match)))


def begin(state: TableState, match: Match, message: Message, key: str = "") -> Change:
    """Begin a match.

    Args:
        state: The state of the table.
        match: The match before its first event, or with head starts as its only events.
        message: The message that the table shows about the new match.
        key: Id of the match if it is played at two trays; "" creates a new id.
    """
    return replace(show_match(state, match, message), begins=key)


def show_match(state: TableState, match: Match | None, message: Message) -> Change:
    """Show a match that has been taken from the journal, or is about to be written to it.

    Args:
        state: The state of the table.
        match: The match; None if the journal contains none.
        message: The message that the table shows about the match.
    """
    places = state.last_places
    is_last_throw = match is not None and match.last_places == places
    shown = replace(
        state,
        in_play=match,
        earlier_places=() if is_last_throw else places,
        rolloff=RollOff(),
        rolloff_reading=0,
        dice_log=None,
        has_simulated_throw=False,
    )
    return Change(shown.cleared().saying(message))


def reload(state: TableState, match: Match | None) -> Change:
    """Continue with the most recent match in the journal, after a backup has been restored."""
    now = messages.resumed(match) if match else Message("There is no match.")
    return show_match(state, match, Paragraph(Message("The backup was restored."), now))


def next_match(state: TableState) -> Match:
    """Return the rematch that follows the match in play.

    Raises:
        TableError: If the match in play is not finished.
    """
    old = state.current_match
    if old.state.winner is None:
        raise TableError(Message("The match is not finished: play on, or start a new match."))
    return rematch(old)


def begin_rematch(state: TableState, match: Match, key: str) -> Change:
    """Begin a rematch; `key` is its id if it is played at two trays, otherwise ""."""
    name, series = _first(match), match.state.series
    begins = Message("Rematch: %(name)s begins.", name=name)
    old = state.in_play.state.series if state.in_play else None
    if series and series != old:
        begins = Message("New series: %(name)s begins.", name=name)
    elif series:
        begins = Message("%(name)s begins the next match of the series.", name=name)
    return begin(state, match, Paragraph(begins, *describe_head_starts(match)), key)


def begin_shared(state: TableState, command: BeginSharedMatch) -> Change:
    """Begin a match that is played at two trays."""
    if not command.sets_aside:
        _check_ready(state, MATCH_IN_THE_WAY)
    name = _first(command.match)
    begins = Message("The other tray has joined: %(name)s begins.", name=name)
    if command.is_guest:
        begins = Message("You have joined: %(name)s begins.", name=name)
    return begin(state, command.match, begins, command.key)


def call_players(state: TableState, call: CallPlayers) -> Change:
    """Ask whether a match to which a club board has called the players may begin here."""
    _check_ready(
        state,
        Message("A match is being played here: Traykeeper will ask again once it has finished."),
    )
    match = from_form(state.rules, call.match)
    yes = Answer(Message("Yes, start"), leads_to=AnswerCall(call, match))
    no = Answer(Message("No, not here"), leads_to=AnswerCall(call, None))
    return apply(state, Ask(call.question, (yes, no)))


def answer_call(state: TableState, answer: AnswerCall) -> Change:
    """Begin the match to which the players were called, or decline it."""
    if match := answer.match:
        begins = Message("%(name)s begins.", name=_first(match))
        return begin(state.cleared(), match, begins)
    declined = Message("The club board has been informed that the match cannot start here.")
    return Change(state.cleared().saying(declined))


def set_just_dice(state: TableState, *, on: bool) -> Change:
    """Switch "just dice" (throws without a match) on or off. While it is on, a match in progress waits."""
    if on == (state.dice_log is not None):
        return Change(state)
    if state.dice_log is not None and state.dice_log.last:
        state = replace(state, earlier_places=state.last_places)
    if on:
        message = Message("Just dice: throw, then press the button.")
    else:
        message = messages.resumed(state.in_play) if state.in_play else WELCOME
    switched = replace(state, dice_log=DiceLog() if on else None, message=message)
    return Change(switched.cleared())


def _check_ready(state: TableState, refusal: Message) -> None:
    if state.situation not in READY_FOR_MATCH or state.rolloff.rolls:
        raise TableError(refusal)


def from_form(default: Ruleset, form: StartMatch) -> Match:
    """Return the match that somebody set up on a phone.

    Args:
        default: Rules of this table, used if the form names none.
        form: Players, teams and rules.

    Raises:
        RulesetError: If the form names an unknown rule set, or an option is not valid.
        IllegalMove: If these players cannot form a match, or two names are too similar.
    """
    name = form.rules
    chosen = default if name in (None, default.name) else rule_files.published(str(name))
    chosen = rule_files.with_options(chosen, form.options or {}, target=form.target)
    bots = None if form.bots is None else [_with_new_seed(bot) for bot in form.bots]
    best_of = form.best_of or SINGLE_MATCH
    series = _new_series(best_of) if best_of != SINGLE_MATCH else None
    match = Match.start(chosen, form.names, teams=form.teams, bots=bots, series=series)
    check_distinct(player.name for player in match.state.players)
    return match


def from_rolloff(rules: Ruleset, rolloff: RollOff) -> Match | None:
    """Return the match that the winner of a roll-off begins, or None while there is a tie.

    Args:
        rules: Rules of the match.
        rolloff: The roll-off, closed to further players.
    """
    if rolloff.first is None:
        return None
    names = [default_name(seat) for seat in range(len(rolloff.rolls))]
    return Match.start(rules, names, first=rolloff.first)


def rematch(old: Match) -> Match:
    """Return the next match between the same players, without those who have left.

    The players sit in the same order with the same head starts, and the one who threw second in the old match begins.
    The match continues the series of the old one or, once that is won, begins another series of the same length.
    """
    here = old.state.order
    lowest = here.index(min(here))
    seats = (*here[lowest:], *here[:lowest])
    begins = next(seat for seat in (*old.start_state.order[1:], *here) if seat in here)
    match = Match.start(
        old.rules,
        [old.state.players[seat].name for seat in seats],
        first=seats.index(begins),
        teams=[old.state.players[seat].team for seat in seats],
        bots=[_with_new_seed(old.state.players[seat].bot) for seat in seats],
        series=_next_series(old.state),
    )
    points = head_starts(old)
    given = [ScoreSet(seats.index(seat), points[seat]) for seat in seats if seat in points]
    return match.push(*given)


def _next_series(old: State) -> Series | None:
    if old.series is None or old.series_winner is None:
        return old.series
    return _new_series(old.series.best_of)


def _new_series(best_of: int) -> Series:
    return Series(best_of, secrets.token_hex(SERIES_ID_BYTES))


def _with_new_seed(bot: Bot | None) -> Bot | None:
    return bot and replace(bot, seed=secrets.randbits(SEED_BITS))


def _first(match: Match) -> Value:
    return match.state.player.display_name
