"""Events that tell other programs what happens at the table.

The event stream and the webhook send them.

The events of a match are derived from its journal alone, so a program that missed some events gets
exactly the same events later. `docs/events.md` describes the format for users.
"""

from collections.abc import Iterator, Mapping
from enum import StrEnum
from itertools import count, takewhile
from typing import Final, Literal, NamedTuple, TypedDict

from game.dice_log import DiceLog, DiceThrow
from game.journal.history import FeedLine, RollIds
from game.match.match import Match
from game.match.state import State, Throw, Turn, TurnEnding
from game.stats.summary import MatchSummary, summary

SCHEMA_VERSION: Final = 1
"""Version of the schema. It increases when a field changes its meaning or disappears, but not when
fields or kinds are added."""


class StepKind(StrEnum):
    """The kinds of events that other programs receive."""

    STARTED = "started"
    WANTED = "wanted"
    ROLLED = "rolled"
    READ = "read"
    CORRECTED = "corrected"
    KEPT = "kept"
    BANKED = "banked"
    FARKLED = "farkled"
    WON = "won"
    UNDONE = "undone"
    REDONE = "redone"
    CHANGED = "changed"


class RollSummary(TypedDict):
    """The current state of a roll. A later event with the same `id` replaces it.

    `seat` and `player` are null outside a match. `dice` are the sorted faces, empty until the roll
    is read, and `n_dice` is their number. `by_hand` means that a person entered the faces. `kept`
    are the dice set aside, null until that is decided; they score `points`. `assumed` means that
    the companion worked out the keep. `ending` says how the turn ended with this roll ("bank",
    "farkle", "reset", "win" or "skip") and is null otherwise; `turn_points` is what the turn added
    to the score. `counts` is false once the roll has been undone or removed.
    """

    id: str
    seat: int | None
    player: str | None
    n_dice: int
    dice: list[int]
    by_hand: bool
    kept: list[int] | None
    assumed: bool
    points: int
    ending: str | None
    turn_points: int
    counts: bool


class DiceWanted(TypedDict):
    """The next roll: the player, and the numbers of dice that the rules allow."""

    seat: int
    player: str
    dice: list[int]


class StepEvent(TypedDict):
    """Something that happened at the table.

    `version` is the version of this schema. `id` is unique to the event and stays the same if the
    event is sent again. `kind` is one of the kinds in docs/events.md or a newer one, which a program should
    ignore. `match` is the id of the match, null outside a match. `seq` is the number
    of the step in the match, or outside a match the number of the event. `roll` is the roll that
    the event is about, `wanted` the next roll, and `table` the match after the step.
    """

    version: Literal[1]
    id: str
    kind: str
    match: str | None
    seq: int
    roll: RollSummary | None
    wanted: DiceWanted | None
    table: MatchSummary | None


class GapReason(StrEnum):
    """The reason why a program misses events."""

    UNKNOWN = "unknown id"
    TOO_MANY = "too many steps"
    JOURNAL = "another journal"


class StepGap(TypedDict):
    """A notice that a program misses events, because they cannot be sent again.

    `version` is the version of this schema. `reason` is "unknown id" if the journal does not contain the last event
    that the program has received, "too many steps" if more steps were taken since than are sent again, and "another
    journal" if a backup was restored.
    """

    version: Literal[1]
    reason: str


class _Part(NamedTuple):
    """The fields that differ between the events of one step."""

    kind: StepKind
    roll: RollSummary | None = None
    wanted: DiceWanted | None = None


def step_events(line: FeedLine) -> list[StepEvent]:
    """Return the events of one entry of the journal, in order. There is always at least one."""
    parts = list(_parts(line)) or [_Part(StepKind.CHANGED)]
    entry, table = line.entry, summary(line.match)
    return [
        _event(f"{entry.match}-{entry.seq}-{entry.chain}-{n}", part, entry.match, entry.seq, table)
        for n, part in enumerate(parts)
    ]


def _event(
    event_id: str, part: _Part, match: str | None, seq: int, table: MatchSummary | None
) -> StepEvent:
    return {
        "version": SCHEMA_VERSION,
        "id": event_id,
        "kind": part.kind,
        "match": match,
        "seq": seq,
        "roll": part.roll,
        "wanted": part.wanted,
        "table": table,
    }


def _parts(line: FeedLine) -> Iterator[_Part]:
    before, after = line.before, line.match
    if before is None:
        yield _Part(StepKind.STARTED)
    else:
        n_same = _number_of_same_turns(before.state, after.state)
        old = _rolls(before, line.ids_before, n_same)
        new = _rolls(after, line.ids, n_same)
        always = _only_kind(line)
        yield from list(_roll_parts(old, new, always)) or [_Part(always or StepKind.CHANGED)]
        if after.state.winner is not None and after.state.winner != before.state.winner:
            yield _Part(StepKind.WON, next(reversed(new.values()), None))
    wanted = _wanted(after.state)
    if wanted and (before is None or _turn_position(before) != _turn_position(after)):
        yield _Part(StepKind.WANTED, wanted=wanted)


def _roll_parts(
    old: Mapping[str, RollSummary], new: Mapping[str, RollSummary], always: StepKind | None
) -> Iterator[_Part]:
    """Yield what happened to each roll: first the rolls that no longer count, the newest of them first.

    `always` is the kind of every event, or None if the kinds follow from the changes.
    """
    for roll_id in reversed(list(old)):
        if roll_id not in new:
            yield _Part(always or StepKind.UNDONE, {**old[roll_id], "counts": False})
    for roll_id, roll in new.items():
        before = old.get(roll_id)
        if before is None or {**before, "player": roll["player"]} != roll:  # names may differ
            for kind in [always] if always else _kinds(before, roll):
                yield _Part(kind, _unread(roll) if kind is StepKind.ROLLED else roll)


def _only_kind(line: FeedLine) -> StepKind | None:
    """Return the kind of all events of a step if it is an undo or a redo, otherwise None."""
    kinds = {action["kind"] for action in line.entry.body["actions"]}
    if kinds == {"undone"}:
        return StepKind.UNDONE
    return StepKind.REDONE if kinds == {"redone"} else None


def _number_of_same_turns(old: State, new: State) -> int:
    """Return how many finished turns, counted from the first, a step has left unchanged."""
    pairs = zip(old.turns, new.turns, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] is pair[1], pairs))


def _rolls(match: Match, ids: RollIds, skipped_turns: int) -> dict[str, RollSummary]:
    """Return the rolls of a match by their ids, without the rolls of its first `skipped_turns` turns."""
    state = match.state
    return {
        ids.ids[throw.index]: _roll(ids.ids[throw.index], state, turn, throw)
        for turn in (*state.turns[skipped_turns:], state.turn)
        for throw in turn.throws
    }


def _roll(roll_id: str, state: State, turn: Turn, throw: Throw) -> RollSummary:
    ended = turn.ending is not None and throw is turn.last
    return {
        "id": roll_id,
        "seat": turn.seat,
        "player": state.players[turn.seat].name,
        "n_dice": len(throw.dice),
        "dice": [*throw.dice],
        "by_hand": throw.is_entered_by_hand,
        "kept": [*throw.keep.dice] if throw.keep else None,
        "assumed": throw.assumed,
        "points": throw.keep.score if throw.keep else 0,
        "ending": turn.ending.value if turn.ending and ended else None,
        "turn_points": turn.points if ended else 0,
        "counts": True,
    }


class _Decisions(TypedDict):
    """The players' decisions about a roll after it was read."""

    kept: list[int] | None
    assumed: bool
    points: int
    ending: str | None
    turn_points: int


_UNDECIDED: _Decisions = {
    "kept": None,
    "assumed": False,
    "points": 0,
    "ending": None,
    "turn_points": 0,
}


def _unread(roll: RollSummary) -> RollSummary:
    """Return a roll as it was before its faces were read."""
    return {**roll, **_UNDECIDED, "dice": []}


def _kinds(old: RollSummary | None, new: RollSummary) -> list[StepKind]:
    """Return the kinds of events that lead from the old to the new state of a roll, in order."""
    kinds = []
    if old is None:
        kinds += [StepKind.ROLLED, StepKind.READ]
    elif old["dice"] != new["dice"]:
        kinds.append(StepKind.CORRECTED)
    if new["kept"] is not None and (old is None or old["kept"] != new["kept"]):
        kinds.append(StepKind.KEPT)
    ended = (new["ending"], new["turn_points"])
    if old is None or (old["ending"], old["turn_points"]) != ended:
        match new["ending"]:
            case TurnEnding.BANK:
                kinds.append(StepKind.BANKED)
            case TurnEnding.FARKLE | TurnEnding.RESET:
                kinds.append(StepKind.FARKLED)
    return kinds or [StepKind.CHANGED]


def _turn_position(match: Match) -> tuple[int, int, DiceWanted | None]:
    """Return facts about a match, at least one of which changes whenever another roll is expected."""
    state = match.state
    return len(state.turns), len(state.turn.throws), _wanted(state)


def _wanted(state: State) -> DiceWanted | None:
    """Return the next roll of the current player, or None once somebody has won."""
    if state.winner is not None:
        return None
    last = state.turn.last
    if last is None or last.keep or not state.keeps:
        allowed = {state.dice_in_hand}
    else:
        allowed = {keep.dice_left or state.rules.n_dice for keep in state.keeps}
    if last is None and state.offer and not state.turn.took_over:
        allowed.add(state.offer.dice)
    return {"seat": state.turn.seat, "player": state.player.name, "dice": sorted(allowed)}


class DiceLogEvents:
    """The events of throws outside a match, for use by one thread.

    Such throws are not in a journal, so only programs that are connected at the time get their
    events.

    Args:
        name: Beginning of all ids, different for each run of the program.
        log: The throws so far, for which there are no events; None while a match is being played.
    """

    def __init__(self, name: str, log: DiceLog | None) -> None:
        self._name, self._log = name, log
        self._event_numbers, self._roll_numbers = count(), count()
        self._ids: dict[int, str] = {}

    def update(self, log: DiceLog | None) -> list[StepEvent]:
        """Return the events since the last call.

        Args:
            log: All throws so far; None while a match is being played.
        """
        before, self._log = self._log or DiceLog(), log
        return (
            [] if log is None else [self._event(*change) for change in self._changes(before, log)]
        )

    def _changes(self, before: DiceLog, log: DiceLog) -> Iterator[tuple[StepKind, RollSummary]]:
        old = {throw.index: throw for throw in before.throws}
        for index in sorted(old, reverse=True):
            if index >= log.n_throws:
                yield StepKind.UNDONE, {**self._roll(old[index]), "counts": False}
                self._ids.pop(index)
        for throw in log.throws:
            known = old.get(throw.index)
            if known is None and throw.index >= before.n_throws:
                self._ids.pop(throw.index, None)
                yield StepKind.ROLLED, _unread(self._roll(throw))
                yield StepKind.READ, self._roll(throw)
            elif known and known.dice != throw.dice:
                yield StepKind.CORRECTED, self._roll(throw)

    def _roll(self, throw: DiceThrow) -> RollSummary:
        if throw.index not in self._ids:
            self._ids[throw.index] = f"{self._name}-{next(self._roll_numbers)}"
        return _plain_roll(self._ids[throw.index], throw)

    def _event(self, kind: StepKind, roll: RollSummary) -> StepEvent:
        number = next(self._event_numbers)
        return _event(f"{self._name}-event-{number}", _Part(kind, roll), None, number, None)


def _plain_roll(roll_id: str, throw: DiceThrow) -> RollSummary:
    return {
        "id": roll_id,
        "seat": None,
        "player": None,
        "n_dice": len(throw.thrown),
        "dice": [*throw.thrown],
        "by_hand": throw.is_entered_by_hand,
        **_UNDECIDED,
        "counts": True,
    }


class WebhookBody(TypedDict):
    """The body of a request to the webhook: the events of one step, in order."""

    type: Literal["traykeeper.step"]
    version: Literal[1]
    tray: str
    events: list[StepEvent]
