"""An evening of so many steps, to be watched by the witness: what is told stands in a file.

python -m tests.campaigns.playing FOLDER STEPS SEED [SYNCHRONOUS]
"""

import os
import random
import sys
from pathlib import Path

from device.session.live_match import LiveMatch
from device.storage.daily_backup import Backups
from device.storage.recovery import open_journal
from tests.campaigns.evening import steps

TOLD = "told"
RESTART = 0.004


def main() -> None:
    folder, n_steps, seed = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    rng = random.Random(seed)
    out = os.open(folder / TOLD, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def tell(word: str, match_id: int) -> None:
        os.write(out, f"{word} {match_id}\n".encode())

    left = n_steps
    while left:
        journal, _ = open_journal(folder, Backups(folder))
        if sys.argv[4:]:  # as if neither journal nor trace waited for the disk
            journal._db.execute(f"PRAGMA synchronous={sys.argv[4]}")
            os.fdatasync = lambda _: None
        live_match = LiveMatch(journal)
        live_match.reload()
        for _ in steps(live_match, journal, rng, tell):
            left -= 1
            if not left or rng.random() < RESTART:
                break
        journal.close()


if __name__ == "__main__":
    main()
