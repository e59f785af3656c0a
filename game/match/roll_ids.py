"""Ids of the throws of a match, for other programs.

The index of a throw in the timeline changes when turns are inserted or removed. The id of a throw
never changes, even if the throw is corrected, or undone and redone.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import count, groupby

from game.match.events import Action, Redone, Revision, Spliced, Thrown, Undone
from game.match.match import Match


@dataclass(frozen=True, slots=True)
class RollIds:
    """The ids of the events in a match's timeline, and the ids that undo and redo would restore.

    Attributes:
        ids: One id for each event of the timeline.
        before: The ids one step ago, for undo.
        after: The ids as they were before each undo. Redo restores the last of them first.
    """

    ids: tuple[str, ...] = ()
    before: "RollIds | None" = field(default=None, repr=False, compare=False)
    after: tuple["RollIds", ...] = field(default=(), repr=False, compare=False)

    def push(self, name: str, match: Match, actions: Iterable[Action]) -> tuple["RollIds", Match]:
        """Return the ids and the match after one step.

        Args:
            name: Prefix for the ids of new events, different for each step of the match.
            match: The match before the step.
            actions: The actions that make up the step.

        Raises:
            GameError: If an action is not possible.
        """
        new_ids = (f"{name}-{n}" for n in count())
        ids = self
        for is_revision, group in groupby(actions, lambda action: isinstance(action, Revision)):
            together = list(group)
            for part in [[action] for action in together] if is_revision else [together]:
                after = match.push(*part)
                ids, match = ids._after(match, part, new_ids), after
        return ids, match

    def _after(self, match: Match, actions: list[Action], new_ids: Iterator[str]) -> "RollIds":
        """Return the ids after one revision of the timeline, or after consecutive events.

        These are the groups of actions that `Match.push` treats as one step.
        """
        match actions[0]:
            case Undone() if self.before:
                return replace(self.before, after=(*self.after, self))
            case Redone() if self.after:
                return replace(self.after[-1], after=self.after[:-1])
            case Spliced() as spliced:
                return self._then(_spliced(self.ids, match, spliced, new_ids))
            case action if isinstance(action, Revision):
                return self._then(self.ids)
        return self._then((*self.ids, *(next(new_ids) for _ in actions)))

    def _then(self, ids: tuple[str, ...]) -> "RollIds":
        return RollIds(ids, before=self)


def _spliced(
    ids: tuple[str, ...], match: Match, action: Spliced, new_ids: Iterator[str]
) -> tuple[str, ...]:
    """Return the ids after events were inserted, replaced or removed.

    A new throw with the same dice as a replaced throw gets the id of that throw.

    Args:
        ids: The ids before the change.
        match: The match before the change.
        action: The change.
        new_ids: Ids for events that are new.
    """
    replaced = range(action.start, action.stop)
    old = [
        (tuple(sorted(event.dice)), ids[i])
        for i in replaced
        if isinstance(event := match.timeline[i], Thrown)
    ]
    middle = []
    for event in action.events:
        dice = tuple(sorted(event.dice)) if isinstance(event, Thrown) else None
        known = next((pair for pair in old if pair[0] == dice), None)
        if known:
            old.remove(known)
        middle.append(known[1] if known else next(new_ids))
    return (*ids[: action.start], *middle, *ids[action.stop :])
