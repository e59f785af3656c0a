"""An hour of throws: every preview of every roll is taken, and is in its clip."""

from itertools import pairwise

import pytest

from bench.clips import RollingTable
from device.cameras.roll_clip import MAX_BYTES
from device.watching.motion import STILL_S
from device.watching.tray_watch import PREVIEW_PERIOD_S
from tests.campaigns.size import SOAK, count
from tests.campaigns.test_many_matches import resident_mb

SECONDS = count(10, 3600)
"""Time on the clock of the tray, on which one throw follows the other."""

WARMING_UP = 10
"""Rolls until the reader knows the tray, which takes 13 MB, with and without clips."""

GROWTH_MB = 8


@pytest.mark.long
@pytest.mark.campaign
@pytest.mark.timeout(7200)
def test_no_preview_of_a_roll_is_dropped_in_an_hour_of_throws():
    # The whole campaign runs alone, at the speed of this machine. Beside other tests, a pause of the machine
    # would count as a fault, so the simulated one needs no time there.
    table = RollingTable(records_clips=True, slower=1.0 if SOAK else 0.0)
    for _ in range(WARMING_UP):
        table.roll()
    before_mb, end_s, rolls, frames = resident_mb(), table.now_s + SECONDS, 0, 0
    rolled_s = cpu_s = 0.0
    while table.now_s < end_s:
        roll = table.roll()
        times_s = [frame.time_s for frame in roll.clip.frames]
        gaps_s = [b - a for a, b in pairwise(times_s[:-1])]
        rolls, frames = rolls + 1, frames + len(times_s)
        rolled_s, cpu_s = rolled_s + roll.seconds, cpu_s + roll.cpu_s

        assert roll.dropped == 0
        # A longer gap is a rest: a die that falls late, after the watch took the tray for still.
        assert all(gap_s < 1.5 * PREVIEW_PERIOD_S or gap_s > STILL_S for gap_s in gaps_s)
        assert len(roll.clip.motion_jpeg) <= MAX_BYTES

    assert resident_mb() - before_mb < GROWTH_MB
    print(
        f"\n{rolls} rolls in {SECONDS} s, {rolled_s:.0f} s of rolling dice, {frames} frames in clips, "
        f"{100 * cpu_s / rolled_s:.2f} % of a core"
    )
