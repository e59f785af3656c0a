"""A tray in its own process: reads commands from stdin and prints its last entry to stdout.

python tray_process.py FOLDER SETTINGS_JSON
"""

import json
import sys
from pathlib import Path

from device.mqtt.publisher import publish_to_broker
from device.settings import Settings
from game.commands import Bank, EnterThrow, KeepDice, StartMatch, Undo
from game.journal.history import Feed
from game.journal.journal import JOURNAL_FILE
from tests.device.mqtt.conftest import TapTable

COMMANDS = {
    "new_match": StartMatch, "dice": EnterThrow, "keep": KeepDice, "bank": Bank, "undo": Undo,
}  # fmt: skip


def _frozen(value):
    return tuple(value) if isinstance(value, list) else value


def main(folder: Path, settings: Settings) -> None:
    table = TapTable(folder)
    with publish_to_broker(settings, table, folder, sys.stderr.write):
        for line in sys.stdin:
            what, *args = json.loads(line)
            table.do(COMMANDS[what](*map(_frozen, args)))
            sys.stdout.write(json.dumps(stands(folder)) + "\n")
            sys.stdout.flush()
    table.close()


def stands(folder: Path) -> dict:
    """Return the last entry of the newest match in the journal."""
    feed = Feed(folder / JOURNAL_FILE)
    *_, last = feed.whole(feed.match_sizes()[-1][0])
    return {"match": last.entry.match, "seq": last.entry.seq, "chain": last.entry.chain}


if __name__ == "__main__":
    main(Path(sys.argv[1]), Settings(**json.loads(sys.argv[2])))
