"""Plays, kills itself at a random moment, looks what is left, and goes on from there; again and again.

    python -m tests.campaigns.killing FOLDER KILLS SEED

Each round is a process of its own, ended by SIGKILL. The last line says how many rounds there were.
"""

import os
import random
import signal
import sys
import time
from contextlib import closing
from pathlib import Path

from device.session.live_match import LiveMatch
from device.storage.daily_backup import Backups
from device.storage.recovery import open_journal
from game.rules.scoring import keep_table
from tests.campaigns.account import Account, read_again
from tests.campaigns.evening import RULES, steps

LONGEST_S = 0.2
AN_EVENING = 100
"""Rounds before a new folder is used, because a long journal is slow."""

BACKUP = 0.05


def play(folder: Path, seed: int, out: int) -> None:
    """Play until killed. Each confirmation is one line of at most 20 bytes, which a pipe takes as a whole."""
    rng = random.Random(seed)
    backups = Backups(folder)
    journal, damage = open_journal(folder, backups)
    assert not damage, damage
    live_match = LiveMatch(journal)
    live_match.reload()

    def tell(word: str, match_id: int) -> None:
        os.write(out, f"{word} {match_id}\n".encode())

    for _ in steps(live_match, journal, rng, tell):
        if rng.random() < BACKUP:
            backups.make()


def kill_once(folder: Path, rng: random.Random, account: Account) -> int:
    """Return how many steps were in the journal without being confirmed."""
    told, out = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(told)
            play(folder, rng.randrange(1 << 30), out)
        finally:
            os._exit(1)
    os.close(out)
    time.sleep(rng.uniform(0, LONGEST_S))
    os.kill(child, signal.SIGKILL)
    assert os.WTERMSIG(os.waitpid(child, 0)[1]) == signal.SIGKILL, "it ended by itself"
    with closing(os.fdopen(told)) as lines:
        for line in lines:
            word, match_id = line.split()
            account.note(word, int(match_id))
    entries = read_again(folder)
    more = account.check(entries)
    account.follow(entries)
    _check_backups(folder)
    return more


def _check_backups(folder: Path) -> None:
    """Check that each file with its final name is complete."""
    backups = Backups(folder)
    assert len(list(backups.valid())) == len(list((folder / "backups").glob("traykeeper-*.zip")))


def main() -> None:
    folder, kills, seed = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    rng = random.Random(seed)
    for rules in RULES:  # worked out once for all rounds
        keep_table(rules)
    account, more, entries = Account(), 0, 0
    for number in range(kills):
        if number % AN_EVENING == 0:
            entries += len(account.order)
            account = Account()
            home = folder / str(number)
            home.mkdir()
        more += kill_once(home, rng, account)
    entries += len(account.order)
    print(
        f"{kills} kills: {entries} steps told or found, {more} written but not told,"
        " 0 lost, 0 twice, 0 invented"
    )


if __name__ == "__main__":
    main()
