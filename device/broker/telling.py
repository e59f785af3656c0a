"""The retained state: what a board, Home Assistant or a script sees of a tray at any moment."""

from typing import Any

from game.entry import Entry
from game.match import Match
from game.summary import summary
from web.table import Snapshot

NO_MATCH: dict[str, Any] = {
    "rules": None,
    "target": 0,
    "players": [],
    "turn": None,
    "throw": None,
    "turns": 0,
    "last_round": False,
    "winner": None,
}


def state_json(snapshot: Snapshot, entry: Entry | None, match: Match | None) -> dict[str, Any]:
    """The table as it stands after that entry; never a picture."""
    lamp = snapshot.lamp
    return {
        "match": entry.match if entry else None,
        "seq": entry.seq if entry else 0,
        "chain": entry.chain if entry else "",
        **(summary(match) if match else NO_MATCH),
        "situation": snapshot.situation.value,
        "message": snapshot.message,
        "question": snapshot.question,
        "lamp": {"colour": lamp.colour, "blink": lamp.blink, "meaning": lamp.meaning},
        "camera": snapshot.camera,
        "notice": snapshot.notice,
        "page": snapshot.join_url,
    }
