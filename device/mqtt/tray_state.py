"""The retained state of a tray, for club boards, Home Assistant and scripts."""

from typing import Any

from game.dice_log import DiceLog
from game.journal.feed import FeedLine
from game.stats.summary import summary
from web.contracts import Snapshot

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
    """Return the state of a tray and its match as JSON, without pictures.

    Args:
        snapshot: The current state of the tray and its match.
        line: The last published entry of the journal, with its match; None before the first.
    """
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
    """Return the latest throw that was made without a match, as JSON; None if there is none."""
    if log is None or log.last is None:
        return None
    throw = log.last
    return {"index": throw.index, "dice": [*throw.dice], "sum": throw.sum}
