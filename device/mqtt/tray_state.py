"""The retained state: what a board, Home Assistant or a script sees of a tray at any moment."""

from typing import Any

from game.dice_log import DiceLog
from game.journal.feed import FeedLine
from game.stats.summary import summary
from web.contracts.table import Snapshot

NO_MATCH: dict[str, Any] = {
    "rules": None,
    "target": 0,
    "rounds": 0,
    "players": [],
    "turn": None,
    "throw": None,
    "turns": 0,
    "last_round": False,
    "winner": None,
}


def state_json(snapshot: Snapshot, line: FeedLine | None) -> dict[str, Any]:
    """The table as it stands after that line of the journal; never a picture."""
    lamp = snapshot.lamp
    return {
        "match": line.entry.match if line else None,
        "seq": line.entry.seq if line else 0,
        "chain": line.entry.chain if line else "",
        **(summary(line.match) if line else NO_MATCH),
        "just_dice": _just_dice(snapshot.just_dice),
        "situation": snapshot.situation.value,
        "message": str(snapshot.message),
        "question": str(snapshot.question) if snapshot.question else None,
        "lamp": {"colour": lamp.colour, "blink": lamp.blink, "meaning": str(lamp.meaning)},
        "camera": snapshot.camera,
        "notice": str(snapshot.notice or ""),
        "page": snapshot.join_url,
    }


def _just_dice(log: DiceLog | None) -> dict[str, Any] | None:
    """The newest throw where no match is played; None without one."""
    if log is None or log.last is None:
        return None
    throw = log.last
    return {"index": throw.index, "dice": [*throw.dice], "sum": throw.sum}
