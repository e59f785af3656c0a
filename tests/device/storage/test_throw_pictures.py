"""Pictures of throws are kept for a while, and never affect the match."""

import os
import time
from contextlib import closing
from types import SimpleNamespace

import numpy as np
import pytest

from device.cameras.roll_clip import ClipFrame, RollClip
from device.cameras.tray_picture import encode_jpeg
from device.storage import throw_pictures
from device.storage.daily_backup import Backups
from device.storage.restore import restore_backup
from device.storage.throw_pictures import DAY_S, FRAMES_FOLDER, ThrowPictures, delete_after
from game.commands import RestoreBackup, StartMatch
from tests.clock import Clock
from tests.device.rig import open_rig
from tests.waiting import until

IMAGE = np.random.default_rng(1).integers(0, 255, (300, 400, 3), np.uint8)
CLIP = RollClip(tuple(ClipFrame(encode_jpeg(IMAGE), n / 15) for n in range(3)))
NOW_S = time.time()


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "frames"


def kept(folder, suffix=".jpg"):
    return [int(path.stem) for path in sorted(folder.glob(f"*{suffix}"))]


def keep(folder, *positions, clip=None, **options):
    """Keep pictures one after the other, because pictures that arrive too fast are skipped."""
    for position in positions:
        with closing(ThrowPictures(folder, **options)) as found:
            found.keep(position, IMAGE, clip)


def test_a_picture_comes_back_as_jpeg(folder):
    keep(folder, 7)
    with closing(ThrowPictures(folder)) as again:
        assert again.get(7).startswith(b"\xff\xd8\xff")
        assert again.get(8) is None


def test_a_clip_comes_back_as_motion_jpeg(folder):
    keep(folder, 7, clip=CLIP)
    keep(folder, 8)
    with closing(ThrowPictures(folder)) as again:
        assert again.clip(7) == CLIP.motion_jpeg
        assert again.clip(8) is None
        assert again.clip_positions() == {7}


def test_clips_count_towards_the_limit_and_are_deleted_with_their_pictures(folder):
    keep(folder, 1, clip=CLIP)
    size = sum(path.stat().st_size for path in folder.iterdir())
    keep(folder, *range(2, 9), clip=CLIP, max_bytes=3 * size + size // 2)

    assert kept(folder) == kept(folder, ".mjpeg") == [6, 7, 8]


def test_clips_after_a_position_are_deleted(folder):
    keep(folder, 1, 2, clip=CLIP)
    delete_after(folder, 1)

    assert kept(folder) == kept(folder, ".mjpeg") == [1]


def test_the_newest_pictures_are_kept_within_the_limit(folder):
    keep(folder, 1)
    size = (folder / "000000001.jpg").stat().st_size
    keep(folder, *range(2, 9), max_bytes=3 * size + size // 2)

    assert kept(folder) == [6, 7, 8]


def test_pictures_after_a_position_are_deleted(folder):
    keep(folder, 1, 2, 3)
    delete_after(folder, 1)

    assert kept(folder) == [1]


def test_a_picture_that_cannot_be_deleted_does_not_save_the_others(folder, caplog):
    keep(folder, 1, 2)
    (folder / "000000003.jpg").mkdir()
    delete_after(folder, 0)

    assert kept(folder) == [3]
    assert "cannot delete the picture of a throw" in caplog.text


def date(folder, ages_days):
    """Set the times of pictures to this many days ago; None means a time before the clock was set."""
    for position, days in ages_days.items():
        written_s = 12.0 if days is None else NOW_S - days * DAY_S
        os.utime(folder / f"{position:09}.jpg", (written_s, written_s))


def test_old_pictures_are_deleted_but_not_those_without_a_date(folder):
    keep(folder, *range(1, 9))
    date(folder, {1: 9, 2: 8, 3: None, 4: 6.5, 5: 5, 6: 3.5, 7: 2, 8: 1})
    keep(folder, 9, max_age_s=7 * DAY_S)

    assert kept(folder) == [3, 4, 5, 6, 7, 8, 9]


@pytest.mark.parametrize("now", [-366, 366])
def test_a_clock_that_jumps_a_year_ahead_and_back_deletes_no_pictures(folder, now):
    keep(folder, 1, 2, 3, 4)
    date(folder, {1: 2, 2: 1, 3: -366, 4: now})
    keep(folder, 5, max_age_s=90 * DAY_S)
    date(folder, {5: 0})
    keep(folder, 6, max_age_s=90 * DAY_S)

    assert kept(folder) == [1, 2, 3, 4, 5, 6]


def test_old_pictures_are_deleted_at_the_start_although_nobody_throws(folder):
    keep(folder, 1, 2, 3, clip=CLIP)
    date(folder, {1: 3, 2: 0.5, 3: 0.4})
    with closing(ThrowPictures(folder, max_age_s=DAY_S)):
        until(lambda: kept(folder) == kept(folder, ".mjpeg") == [2, 3])


def test_pictures_are_deleted_once_a_day_although_nobody_throws(folder):
    keep(folder, 1, 2)
    date(folder, {1: 3, 2: 1})
    clock = Clock(NOW_S)
    with closing(ThrowPictures(folder, max_age_s=5 * DAY_S, clock=clock, check_s=0.01)):
        for days, left in ((1, [1, 2]), (2.5, [2]), (4.5, [])):
            clock.now_s = NOW_S + days * DAY_S
            until(lambda left=left: kept(folder) == left)


def test_a_date_that_is_too_old_does_not_make_a_picture_older_than_those_before_it(folder):
    """While picture 3 was written, the clock was ten years behind."""
    keep(folder, 1, 2, 3, 4)
    date(folder, {1: 9, 2: 2, 3: 3650, 4: 1})
    keep(folder, 5, max_age_s=7 * DAY_S)

    assert kept(folder) == [2, 3, 4, 5]


def test_a_clock_that_is_a_year_ahead_at_two_checks_deletes_no_pictures(folder):
    keep(folder, 1, 2)
    for ahead_days in (366, 367, 0):
        with closing(ThrowPictures(folder, clock=lambda ahead=ahead_days: NOW_S + ahead * DAY_S)):
            pass

    assert kept(folder) == [1, 2]


def test_after_half_a_year_without_power_pictures_are_deleted_within_a_week(folder):
    keep(folder, 1, 2)
    for day in range(7):
        with closing(ThrowPictures(folder, clock=lambda day=day: NOW_S + (180 + day) * DAY_S)):
            pass

    assert kept(folder) == []


def test_with_a_limit_of_0_old_pictures_are_deleted_and_not_returned(folder):
    keep(folder, 1, 2, clip=CLIP)
    with closing(ThrowPictures(folder, max_bytes=0)) as found:
        assert found.get(1) is None
        assert found.clip(2) is None
        assert found.clip_positions() == frozenset()

    assert kept(folder) == kept(folder, ".mjpeg") == []


def test_a_lower_limit_is_applied_at_the_start(folder):
    keep(folder, 1)
    size = (folder / "000000001.jpg").stat().st_size
    keep(folder, *range(2, 9))
    with closing(ThrowPictures(folder, max_bytes=3 * size + size // 2)):
        pass

    assert kept(folder) == [6, 7, 8]


def test_no_pictures_are_written_while_the_disk_is_nearly_full(folder, monkeypatch):
    little = SimpleNamespace(free=throw_pictures.SPARE_BYTES - 1)
    monkeypatch.setattr(throw_pictures.shutil, "disk_usage", lambda _: little)
    keep(folder, 1)

    assert kept(folder) == []


def test_no_pictures_are_kept_with_a_limit_of_0(folder):
    keep(folder, 1, max_bytes=0)

    assert not folder.exists()


def test_a_folder_that_cannot_be_created_does_no_harm(folder, caplog):
    folder.write_text("in the way")
    keep(folder, 1)

    assert "cannot keep the picture of a throw" in caplog.text


def test_pictures_that_arrive_too_fast_are_skipped(folder):
    found = ThrowPictures(folder)
    for position in range(500):
        found.keep(position, IMAGE)
    found.close()

    assert 0 < len(kept(folder)) < 500


def test_the_first_throw_after_a_restored_backup_has_its_picture(tmp_path):
    """It has the same position in the journal as the throw that was lost."""
    folder = tmp_path / FRAMES_FOLDER
    with (
        closing(ThrowPictures(folder)) as pictures,
        open_rig(tmp_path, throw_pictures=pictures) as rig,
    ):
        rig.companion.do(StartMatch(("Anna", "Ben")))
        backups, live_match = Backups(tmp_path), rig.companion.session.live_match
        good = backups.collect()
        rig.throw(1, 1, 1, 2, 3, 4)
        lost = live_match.last_seen_position
        until(lambda: pictures.get(lost))
        journal = live_match._journal
        rig.companion.do(RestoreBackup(lambda: restore_backup(good, journal, tmp_path, backups)))
        assert pictures.get(lost) is None
        rig.throw(2, 2, 3, 4, 5, 6)

        assert live_match.last_seen_position == lost
        assert until(lambda: pictures.get(lost))
