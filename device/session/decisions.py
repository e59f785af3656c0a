"""The part of a session that acts on verdicts and answers, and carries out steps of the match."""

from collections.abc import Callable

from device.session import messages
from device.session.table_state import NeedsAttention, OpenQuestion, TableState
from device.session.verdict import Accept, Answer, Ask, Attention, NotThrown, Verdict
from game.match.events import Action, Redone, Spliced, Thrown, Undone
from game.match.match import Match
from game.message import Message, Paragraph
from game.situation import TableError

NO = Answer(Message("No, change nothing"))
"""The answer that is added to a question with only one option."""


class Decisions:
    """Acts on verdicts about readings and on answers to questions, and carries out steps of the match.

    Args:
        table: The state of the table.
    """

    def __init__(self, table: TableState) -> None:
        self._table = table

    def execute(self, *actions: Action) -> Match:
        """Carry out these actions as one step of the match, and return the resulting match."""
        after = self._revised(self._table.live_match.do, actions)
        if any(isinstance(action, Thrown) for action in actions):
            self._table.tray_reader.mark_accepted(self._table.read_s)
            self._table.leftovers, self._table.has_simulated_throw = (), False
        return after

    def follow(self, *actions: Action) -> Match:
        """Carry out a step that was taken at the other tray, and return the resulting match."""
        return self._revised(self._table.live_match.follow, actions)

    def _revised(self, do: Callable[..., Match], actions: tuple[Action, ...]) -> Match:
        """Carry out a step, and tell the tray reader if the step changes which dice were thrown.

        Args:
            do: Adds the actions to the match as one step, and returns the resulting match.
            actions: The actions that make up the step.
        """
        table = self._table
        places, before = table.last_places, table.live_match.match
        after = do(*actions)
        kinds = {type(action) for action in actions}
        if Thrown in kinds:
            return after
        if Spliced in kinds and _positions(after) != _positions(before):
            # Changing earlier steps does not turn the dice in the tray into a new throw.
            table.leftovers = places
            table.tray_reader.discard_readings()
        elif kinds & {Undone, Redone} and _positions(after) != _positions(before):
            table.tray_reader.retract_accepted()
        return after

    def apply(self, verdict: Verdict) -> None:
        """Act on a verdict about a reading. The verdict `EmptyTray` only withdraws the repairs on offer."""
        table = self._table
        table.offer()
        match verdict:
            case Accept():
                after = self.execute(*verdict.events)
                table.message = Paragraph(verdict.note, messages.outcome(after))
                table.offer(*verdict.repairs)
            case Ask():
                options = verdict.options if len(verdict.options) > 1 else (*verdict.options, NO)
                table.overlay = OpenQuestion(verdict.question, options)
                table.message = verdict.question
            case NotThrown():
                table.message = verdict.note
                if verdict.override:
                    table.offer(verdict.override)
            case Attention():
                table.overlay = NeedsAttention(verdict.advice)
                table.message = verdict.advice[0]

    def answer(self, choice_id: str) -> None:
        """Act on the choice with this id, which a person tapped on a phone.

        Raises:
            TableError: If the choice is no longer on offer.
        """
        ids = [choice.id for choice in self._table.choices]
        if choice_id not in ids:
            raise TableError(Message("That choice is no longer available: the match has moved on."))
        self.choose(self._table.options[ids.index(choice_id)])

    def choose(self, option: Answer) -> None:
        """Act on an answer to the open question, or apply a repair (another interpretation of the last throw)."""
        table = self._table
        if option.chosen:
            table.clear()
            option.chosen()
        elif option is NO:
            table.clear()
            table.message = messages.standing(table.live_match.match)
        else:
            after = self.execute(*option.actions)
            table.clear()
            table.message = messages.outcome(after)


def _positions(match: Match) -> set[tuple[float, float]]:
    return {(place.x, place.y) for place in match.last_places}
