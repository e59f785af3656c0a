"""The table as one person would keep it: what a press, a hold, a tap and a reading do, when.

Single-threaded and without hardware: the companion calls it, one message after the other, and
publishes a snapshot after each. The table of states is in docs/play.md: `situation` names the
row, `press` and `hold` are its columns.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Protocol

from device import referee, telling, words
from device.lamp import BANK_S, SHUTDOWN_S, UNDO_S
from device.ledger import Ledger
from device.referee import Sight
from device.verdict import Accept, Ask, Attention, EmptyTray, NotThrown, Option, Verdict
from game import rulefile, scoring
from game.events import (
    Action,
    Banked,
    Corrected,
    Event,
    Kept,
    Place,
    Redone,
    Spliced,
    Undone,
)
from game.match import LaterStepError, Match
from game.repair import repairs
from game.rolloff import RollOff
from game.ruleset import Ruleset
from game.text import insertion
from vision.reading import Reading
from web.table import Choice, Situation, TableError


class Looker(Protocol):
    """Asks for readings: the eye over the tray."""

    def look(self, *, armed: bool = False) -> int: ...

    def cancel(self) -> None: ...

    def mark(self) -> None: ...

    @property
    def tumbled(self) -> bool | None: ...

    @property
    def moving(self) -> bool: ...


@dataclass(frozen=True, slots=True)
class Waiting:
    """A look was asked for. `then_bank` where a hold asked, `confirming` a costly reading."""

    situation: ClassVar = Situation.WAITING

    look: int
    then_bank: bool = False
    confirming: Reading | None = None


@dataclass(frozen=True, slots=True)
class Asking:
    """A question is open; the first option is what a hold says."""

    situation: ClassVar = Situation.QUESTION

    question: str
    options: tuple[Option, ...]


@dataclass(frozen=True, slots=True)
class Heeding:
    """Something must be set right at the tray."""

    situation: ClassVar = Situation.ATTENTION

    advice: tuple[str, ...]


Overlay = Waiting | Asking | Heeding
"""What lies over the state of the match for a while."""


class Session:
    """One table: its match or roll-off, and what is going on at it.

    Args:
        ledger: the match and its journal.
        rules: for a match that begins at the button.
        eye: reads the tray.
        shut_down: called when the button was held for that; None where it is not allowed.
    """

    def __init__(
        self,
        ledger: Ledger,
        rules: Ruleset,
        eye: Looker,
        *,
        shut_down: Callable[[], object] | None = None,
    ) -> None:
        self.ledger, self.rules = ledger, rules
        self.rolloff = RollOff()
        self.has_camera = False
        self.overlay: Overlay | None = None
        self.message = "Throw one die each to see who starts, or set up a match on a phone."
        if ledger:
            self.message = telling.resumed(ledger.match)
        self._eye, self._shut_down = eye, shut_down
        self._repairs: tuple[Option, ...] = ()
        self._offer_number = 0
        self._leftovers: tuple[Place, ...] = ()

    @property
    def situation(self) -> Situation:
        if self.overlay:
            return self.overlay.situation
        if not self.ledger:
            return Situation.NO_MATCH
        state = self.ledger.match.state
        if state.winner is not None:
            return Situation.WON
        if state.turn.last:
            return Situation.ACCEPTED
        return Situation.TURN_OVER if state.turns else Situation.TURN_BEGINS

    @property
    def choices(self) -> tuple[Choice, ...]:
        """What can be answered now; the number keeps an old phone from answering something new."""
        return tuple(
            Choice(f"{self._offer_number}.{i}", option.label)
            for i, option in enumerate(self._options)
        )

    @property
    def _options(self) -> tuple[Option, ...]:
        return self.overlay.options if isinstance(self.overlay, Asking) else self._repairs

    # The button

    def press(self) -> None:
        """Read what lies in the tray, or say why not."""
        match self.situation:
            case Situation.WON:
                self.message = "The match is over: hold the button for a rematch."
            case Situation.WAITING:
                self.message = "Still waiting for the dice to lie still."
            case _:
                self._look()

    def hold(self, seconds: float) -> None:
        """What letting go after so many seconds does."""
        if seconds >= SHUTDOWN_S:
            self._shut_down_if_allowed()
        elif seconds >= UNDO_S:
            self.undo()
        elif seconds >= BANK_S:
            self._hold()
        else:
            self.press()

    def _hold(self) -> None:
        match self.situation:
            case Situation.NO_MATCH:
                self._end_rolloff()
            case Situation.TURN_BEGINS | Situation.TURN_OVER:
                self.message = f"Throw first: it is {self.ledger.match.state.player.name}'s turn."
            case Situation.WAITING:
                self._stop_waiting("Stopped waiting.")
            case Situation.ACCEPTED if self._eye.tumbled or self._eye.moving:
                self._look(then_bank=True)
            case Situation.ACCEPTED:
                self.bank()
            case Situation.QUESTION:
                self._choose(self._options[0])
            case Situation.ATTENTION:
                self.message = "Nothing is banked while something needs attention."
            case Situation.WON:
                self.rematch()

    def _shut_down_if_allowed(self) -> None:
        if self._shut_down is None:
            self.message = "Shutting down by the button is switched off."
        else:
            self.message = "Shutting down: pull the plug when the lamp is out."
            self._shut_down()

    # Reading

    def _look(
        self, *, armed: bool = False, then_bank: bool = False, confirming: Reading | None = None
    ) -> None:
        if not self.has_camera:
            self.message = "There is no camera: tap the dice in on a phone."
            return
        number = self._eye.look(armed=armed)
        self.overlay = Waiting(number, then_bank, confirming)
        waits_for = "a throw" if armed else "the dice to lie still"
        self.message = f"Waiting for {waits_for}."

    def _stop_waiting(self, message: str) -> None:
        self._eye.cancel()
        self.overlay = None
        self.message = message

    def timed_out(self, look: int) -> None:
        """The tray did not come to rest within the time of this look."""
        if isinstance(self.overlay, Waiting) and self.overlay.look == look:
            self._stop_waiting("The tray was not still for 20 seconds: press again.")

    def camera_found(self) -> None:
        self.has_camera = True

    def camera_lost(self, reason: str) -> None:
        self.has_camera = False
        if isinstance(self.overlay, Waiting):
            self.overlay = None
        self.message = f"No camera ({reason}). Tap the dice in on a phone meanwhile."

    def seen(self, look: int, sight: Sight) -> None:
        """A look was answered. One that nobody waits for any more is let go."""
        waiting = self.overlay
        if not isinstance(waiting, Waiting) or waiting.look != look:
            return
        self.overlay = None
        if not self.ledger:
            self._rolled_off(sight)
        else:
            self._judged(waiting, sight)

    def _judged(self, waiting: Waiting, sight: Sight) -> None:
        first = waiting.confirming
        if first is not None and first.values != sight.reading.values:
            self._apply(Attention(("Two looks at this throw do not agree: press again.",)))
            return
        verdict = referee.judge(self.ledger.match, sight, self._leftovers)
        if first is None and referee.costs(self.ledger.match, verdict):
            self._look(then_bank=waiting.then_bank, confirming=sight.reading)
            return
        if waiting.then_bank and isinstance(verdict, EmptyTray):
            verdict = NotThrown("")  # the dice were taken up, not thrown
        self._apply(verdict)
        if waiting.then_bank and self.situation is Situation.ACCEPTED:
            self.bank()

    def _apply(self, verdict: Verdict) -> None:
        self._offer(())
        match verdict:
            case Accept():
                match = self.ledger.do(*verdict.events)
                self.message = " ".join(filter(None, (verdict.note, telling.outcome(match))))
                self._offer(verdict.repairs)
                self._eye.mark()
            case Ask():
                self.overlay = Asking(verdict.question, verdict.options)
                self.message = verdict.question
            case NotThrown():
                self.message = verdict.note
                self._offer((verdict.override,) if verdict.override else ())
            case Attention():
                self.overlay = Heeding(verdict.advice)
                self.message = verdict.advice[0]
            case EmptyTray():
                self._look(armed=True)

    def _offer(self, repairs: tuple[Option, ...]) -> None:
        self._repairs = repairs
        self._offer_number += 1

    # The roll-off

    def _rolled_off(self, sight: Sight) -> None:
        found = referee.only_die(sight, self._leftovers)
        if not isinstance(found, int):
            self._apply(found)
            return
        self._leftovers = referee.places(sight.reading)
        self._eye.mark()
        self._roll(found)

    def _roll(self, face: int) -> None:
        name = telling.default_name(self.rolloff.seat or 0)
        self.rolloff = self.rolloff.add(face)
        self.message = f"{name} threw a {face}."
        if not self.rolloff.open:
            self._begin_if_decided()

    def _end_rolloff(self) -> None:
        if self.rolloff.open:
            self.rolloff = self.rolloff.close()
        self._begin_if_decided()

    def _begin_if_decided(self) -> None:
        first = self.rolloff.first
        if first is None:
            tied = " and ".join(map(telling.default_name, self.rolloff.highest))
            again = telling.default_name(self.rolloff.seat or 0)
            self.message = f"{tied} tie: {again} throws one die again."
            return
        names = [telling.default_name(seat) for seat in range(len(self.rolloff.rolls))]
        self._begin(Match.start(self.rules, names, first=first))
        self.message = f"{names[first]} threw highest and begins."

    # The match

    def new_match(
        self,
        names: Sequence[str],
        *,
        rules: str | None = None,
        target: int | None = None,
        teams: Sequence[int] | None = None,
    ) -> None:
        own = rules in (None, self.rules.name)
        ruleset = self.rules if own or rules is None else rulefile.published(rules)
        if target is not None:
            ruleset = replace(ruleset, target=target)
        self._begin(Match.start(ruleset, names, teams=teams))
        self.message = f"A new match: {self.ledger.match.state.player.name} begins."

    def rematch(self) -> None:
        """The same players and rules; the next seat begins."""
        old = self.ledger.match
        seats = sorted(old.state.order)
        names = [old.state.players[seat].name for seat in seats]
        teams = [old.state.players[seat].team for seat in seats]
        first = (old.start_state.order[0] + 1) % len(names)
        self._begin(Match.start(old.rules, names, first=first, teams=teams))
        self.message = f"A rematch: {names[first]} begins."

    def _begin(self, match: Match) -> None:
        if self.ledger:
            self._leftovers = self.ledger.match.last_places or self._leftovers
        self.ledger.begin(match)
        self.rolloff = RollOff()
        self._clear()

    def _clear(self) -> None:
        """A person did something: what was going on before is over."""
        if isinstance(self.overlay, Waiting):
            self._eye.cancel()
        self.overlay = None
        self._offer(())

    def dice(self, dice: Iterable[int]) -> None:
        """A throw that was tapped in."""
        if not self.ledger:
            (face,) = scoring.dice(dice, replace(self.rules, n_dice=1))
            self._clear()
            self._roll(face)
            return
        match = self.ledger.match
        verdict = referee.judge_tapped(match, scoring.dice(dice, match.rules))
        self._clear()
        self._apply(verdict)

    def keep(self, dice: Iterable[int]) -> None:
        """These dice of the last throw are set aside: somebody tapped them."""
        self.ledger.do(Kept(tuple(dice)))
        self._clear()
        self.message = telling.outcome(self.ledger.match)

    def bank(self, dice: Iterable[int] | None = None) -> None:
        self.ledger.do(Banked(None if dice is None else tuple(dice)))
        self._clear()
        self.message = telling.outcome(self.ledger.match)

    def correct(self, dice: tuple[int, ...], index: int | None = None) -> None:
        """The throw at this index of the timeline (the newest without) showed other dice."""
        last = self.ledger.match.last_throw
        if index is None:
            if last is None:
                raise TableError("There is no throw to correct yet.")
            index = last.index
        correction = Corrected(index, dice)
        try:
            self._revise(f"Corrected to {words.faces(sorted(dice))}.", correction)
        except LaterStepError as error:
            self._ask_for_repair(correction, str(error))

    def _ask_for_repair(self, correction: Corrected, why: str) -> None:
        """What came later does not fit: the ways in which a table would mend it are choices."""
        ways = repairs(self.ledger.match, correction)
        if not ways:
            raise TableError(f"That cannot be corrected: {why}")
        self._clear()
        options = tuple(Option(way.label, (way.action,)) for way in ways)
        self._apply(Ask(f"Corrected, {why}. What is true?", options))

    def by_hand(self, event: Event) -> None:
        """Whatever a person says has happened."""
        self._revise("Set by hand.", event)

    def insert(self, line: str, before: int | None = None) -> None:
        """A turn that nobody pressed for, written as a line."""
        self._revise("Put in by hand.", insertion(self.ledger.match, line, before))

    def drop(self, start: int, stop: int) -> None:
        """These events never happened."""
        self._revise("Dropped.", Spliced(start, stop, ()))

    def _revise(self, said: str, action: Action) -> None:
        match = self.ledger.do(action)
        self._clear()
        self.message = f"{said} {telling.outcome(match)}"

    def answer(self, choice_id: str) -> None:
        """One of the `choices`."""
        options = dict(zip((choice.id for choice in self.choices), self._options, strict=True))
        if choice_id not in options:
            raise TableError("That choice is gone: the table has moved on.")
        self._choose(options[choice_id])

    def _choose(self, option: Option) -> None:
        self.ledger.do(*option.actions)
        self._eye.mark()
        self._clear()
        self.message = telling.outcome(self.ledger.match)

    def undo(self) -> None:
        self.ledger.do(Undone())
        self._clear()
        self.message = f"Taken back. {telling.outcome(self.ledger.match)}"

    def redo(self) -> None:
        self.ledger.do(Redone())
        self._clear()
        self.message = f"Done again. {telling.outcome(self.ledger.match)}"
