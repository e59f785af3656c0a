"""The ways to begin a match: from a form, from a roll-off, or from an earlier match."""

import secrets
from dataclasses import replace

from device.session import messages
from device.session.decisions import Decisions
from device.session.table_state import WELCOME, TableState
from device.session.verdict import Answer, Ask
from game.commands import (
    BeginSharedMatch,
    PlayOnAlone,
    ProposeMatch,
    Rematch,
    ReopenMatch,
    SetJustDice,
    StartMatch,
)
from game.dice_log import DiceLog
from game.match.bot import Bot
from game.match.events import ScoreSet
from game.match.match import Match
from game.match.rolloff import RollOff
from game.message import Message, Paragraph, Value
from game.names import check_distinct, default_name
from game.rules import rule_files
from game.rules.ruleset import Ruleset
from game.situation import READY_FOR_MATCH, TableError

SEED_BITS = 32

StartCommand = (
    StartMatch | Rematch | ReopenMatch | ProposeMatch | SetJustDice | BeginSharedMatch | PlayOnAlone
)
"""A command that changes what is being played at the table."""


class MatchStarts:
    """Changes what is being played at the table.

    Args:
        table: The state of the table.
        decisions: Asks whether a proposed match may begin, and carries out head starts.
    """

    def __init__(self, table: TableState, decisions: Decisions) -> None:
        self._table, self._decisions = table, decisions

    def do(self, command: StartCommand) -> None:
        """Carry out a command that changes what is being played.

        Raises:
            TableError, GameError: If the command is refused. Nothing changes then.
        """
        match command:
            case StartMatch():
                self._start(command)
            case BeginSharedMatch():
                self._begin_shared(command)
            case PlayOnAlone():
                self._table.live_match.update_seating()
                self._table.message = Message("The match continues at this tray only.")
            case Rematch():
                self._rematch()
            case ReopenMatch():
                self._reopen(command.match)
            case ProposeMatch():
                self._propose(command)
            case SetJustDice():
                self._set_just_dice(on=command.on)

    def _begin_shared(self, command: BeginSharedMatch) -> None:
        if self._table.situation not in READY_FOR_MATCH or self._table.rolloff.rolls:
            raise TableError(
                Message(
                    "A match is being played here: finish it, or stop waiting for the other tray."
                )
            )
        name = _first(command.match)
        begins = Message("The other tray has joined: %(name)s begins.", name=name)
        self.begin(command.match, begins, command.key)

    def _start(self, form: StartMatch) -> None:
        match = from_form(self._table.rules, form)
        given = [
            ScoreSet(seat, points) for seat, points in enumerate(form.head_starts or ()) if points
        ]
        match.push(*given)  # refuses an impossible head start before the match begins
        begins = Message("New match: %(name)s begins.", name=_first(match))
        self.begin(match, begins)
        if given:
            after = self._decisions.execute(*given)
            self._table.message = Paragraph(begins, *messages.head_starts(after))

    def begin(self, match: Match, message: Message, key: str = "") -> None:
        """Begin a match.

        Args:
            match: The match before its first event.
            message: The message that the table shows about the new match.
            key: Id of the match if it is played at two trays; "" creates a new id.
        """
        table = self._table
        table.leftovers = table.last_places
        table.live_match.begin(match, key)
        self._show_new_match(message)

    def reload(self) -> None:
        """Continue with the most recent match in the journal, after a backup has been restored."""
        table = self._table
        table.leftovers = table.last_places
        table.live_match.reload()
        now = (
            messages.resumed(table.live_match.match)
            if table.live_match
            else Message("There is no match.")
        )
        self._show_new_match(Paragraph(Message("The backup was restored."), now))

    def _show_new_match(self, message: Message) -> None:
        table = self._table
        table.rolloff = RollOff()
        table.clear()
        table.message = message
        table.dice_log, table.has_simulated_throw = None, False

    def _rematch(self) -> None:
        old = self._table.live_match.match
        if old.state.winner is None:
            raise TableError(Message("The match is not finished: play on, or start a new match."))
        match, live_match = rematch(old), self._table.live_match
        other = live_match.other_tray if live_match.is_shared else None
        key = other.rematch(match) if other else ""
        self.begin(match, Message("Rematch: %(name)s begins.", name=_first(match)), key)

    def _reopen(self, match_id: int) -> None:
        table = self._table
        places = table.last_places
        match = table.live_match.reopen(match_id)
        table.leftovers = places
        self._show_new_match(messages.resumed(match))

    def _propose(self, proposal: ProposeMatch) -> None:
        table = self._table
        if table.situation not in READY_FOR_MATCH or table.rolloff.rolls:
            raise TableError(
                Message(
                    "A match is being played here: Traykeeper will ask again once it has finished."
                )
            )
        match = from_form(table.rules, proposal.match)

        def begin() -> None:
            self.begin(match, Message("%(name)s begins.", name=_first(match)))
            proposal.answered(True)

        def decline() -> None:
            table.message = Message(
                "The club board has been informed that the match cannot start here."
            )
            proposal.answered(False)

        yes = Answer(Message("Yes, start"), chosen=begin)
        no = Answer(Message("No, not here"), chosen=decline)
        self._decisions.apply(Ask(proposal.question, (yes, no)))

    def _set_just_dice(self, *, on: bool) -> None:
        """Switch "just dice" (throws without a match) on or off. While it is on, a match in progress waits."""
        table = self._table
        if on == (table.dice_log is not None):
            return
        if table.dice_log is not None and table.dice_log.last:
            table.leftovers = table.last_places
        table.clear()
        table.dice_log = DiceLog() if on else None
        if on:
            table.message = Message("Just dice: throw, then press the button.")
        elif table.match:
            table.message = messages.resumed(table.match)
        else:
            table.message = WELCOME


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
    target = {} if form.target is None else {"target": form.target}
    chosen = rule_files.with_options(chosen, target | dict(form.options or {}))
    bots = None if form.bots is None else [_with_new_seed(bot) for bot in form.bots]
    match = Match.start(chosen, form.names, teams=form.teams, bots=bots)
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

    The players sit in the same order, and the one who threw second in the old match begins.
    """
    here = old.state.order
    lowest = here.index(min(here))
    seats = (*here[lowest:], *here[:lowest])
    begins = next(seat for seat in (*old.start_state.order[1:], *here) if seat in here)
    return Match.start(
        old.rules,
        [old.state.players[seat].name for seat in seats],
        first=seats.index(begins),
        teams=[old.state.players[seat].team for seat in seats],
        bots=[_with_new_seed(old.state.players[seat].bot) for seat in seats],
    )


def _with_new_seed(bot: Bot | None) -> Bot | None:
    return bot and replace(bot, seed=secrets.randbits(SEED_BITS))


def _first(match: Match) -> Value:
    return match.state.player.display_name
