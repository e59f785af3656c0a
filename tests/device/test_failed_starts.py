"""The record of failed starts: what counts, what does not, and what a damaged file means."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from device import failed_starts
from device.failed_starts import (
    FAILED_STARTS_FILE,
    GOOD_S,
    LIMIT,
    WINDOW_S,
    FailedStart,
    StartPart,
    StartRecord,
)
from tests.clock import Clock


@pytest.fixture
def clock():
    return Clock(5000.0)


@pytest.fixture
def begin(tmp_path, clock):
    """Return a function that begins another start, as another process would."""

    def begin(boot="one"):
        clock.now_s += 1
        return StartRecord([tmp_path], boot, clock)

    return begin


def fail(record, part=StartPart.CAMERA, error=None):
    """Let a start fail, with or without an error message."""
    record.reach(part)
    if error:
        with pytest.raises(type(error)), record.attempt():
            raise error


def test_three_failed_starts_make_the_fourth_a_safe_one(begin, clock):
    for _ in range(LIMIT):
        record = begin()
        assert not record.is_safe_mode_due
        fail(record)
        clock.now_s += 120

    assert begin().is_safe_mode_due


def test_a_start_that_is_killed_leaves_a_record_of_the_part_that_it_had_reached(begin):
    begin().reach(StartPart.PINS)

    assert begin().earlier == (FailedStart(5001.0, StartPart.PINS),)


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (OSError(28, "No space left"), "[Errno 28] No space left"),
        (RuntimeError("one\ntwo"), "one two"),
        (RuntimeError(), "RuntimeError"),
        (SystemExit(3), "exit 3"),
    ],
)
def test_the_error_of_a_start_is_kept_in_one_line(begin, error, why):
    fail(begin(), error=error)

    assert [start.why for start in begin().earlier] == [why]


def test_a_start_that_has_lasted_long_enough_forgets_the_failed_ones(begin, clock, tmp_path):
    for _ in range(LIMIT - 1):
        fail(begin())
    record = begin()
    clock.now_s += GOOD_S - 1
    record.tick()
    assert (tmp_path / FAILED_STARTS_FILE).exists()
    clock.now_s += 1
    record.tick()

    assert not (tmp_path / FAILED_STARTS_FILE).exists()


def test_a_crash_long_after_the_start_is_not_a_failed_start(begin, clock):
    for _ in range(10):
        record = begin()
        record.reach(StartPart.RUNNING)
        clock.now_s += GOOD_S
        record.tick()
        clock.now_s += 60

    assert not begin().is_safe_mode_due


def test_failed_starts_are_forgotten_after_ten_minutes(begin, clock):
    for _ in range(LIMIT):
        fail(begin())
    clock.now_s += WINDOW_S + 1

    assert begin().earlier == ()


def test_failed_starts_before_a_reboot_do_not_count(begin, clock):
    for _ in range(LIMIT):
        fail(begin())
    clock.now_s = 12.0

    assert begin("two").earlier == ()


def test_an_orderly_end_is_not_a_failed_start(begin):
    for _ in range(LIMIT + 1):
        record = begin()
        with record.attempt():
            record.reach(StartPart.RUNNING)

    assert begin().earlier == ()


def test_a_start_that_systemd_ended_before_it_was_ready_has_failed(begin):
    record = begin()
    with record.attempt():
        record.reach(StartPart.CAMERA)

    assert [start.part for start in begin().earlier] == [StartPart.CAMERA]


def test_safe_mode_stays_until_somebody_asks_for_a_normal_start(begin, clock):
    for _ in range(LIMIT):
        fail(begin())
    safe = begin()
    clock.now_s += GOOD_S
    safe.tick()
    assert begin().is_safe_mode_due
    with safe.attempt():
        safe.reach(StartPart.RUNNING)
        safe.allow_one_try()

    normal = begin()
    assert not normal.is_safe_mode_due
    fail(normal)
    assert begin().is_safe_mode_due


def test_a_start_in_safe_mode_that_fails_says_what_failed(begin):
    for _ in range(LIMIT):
        fail(begin(), StartPart.CAMERA)
    fail(begin(), StartPart.JOURNAL)

    assert begin().earlier[-1].part is StartPart.JOURNAL


@given(st.binary(max_size=300) | st.just(b"[" * 5000))
def test_a_damaged_file_counts_as_an_empty_one(tmp_path_factory, data):
    folder = tmp_path_factory.mktemp("state")
    (folder / FAILED_STARTS_FILE).write_bytes(data)
    record = StartRecord([folder], "one", Clock(9.0))

    assert record.earlier == ()
    assert json.loads((folder / FAILED_STARTS_FILE).read_text())["boot"] == "one"


VALUES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9)


@given(
    st.lists(
        st.dictionaries(st.sampled_from(["began_s", "part", "why"]), VALUES) | VALUES, max_size=5
    )
)
def test_a_file_with_other_contents_never_prevents_a_start(tmp_path_factory, starts):
    folder = tmp_path_factory.mktemp("state")
    (folder / FAILED_STARTS_FILE).write_text(json.dumps({"boot": "one", "starts": starts}))

    assert not StartRecord([folder], "one", Clock(9.0)).is_safe_mode_due


def test_a_folder_that_cannot_be_written_is_replaced_by_the_next_one(tmp_path, clock):
    state, run = tmp_path / "state", tmp_path / "run"
    state.write_text("not a folder")
    for _ in range(LIMIT):
        fail(StartRecord([state, run], "one", clock), StartPart.JOURNAL)
        clock.now_s += 5

    assert StartRecord([state, run], "one", clock).is_safe_mode_due


def test_no_failed_start_is_lost_if_the_folder_becomes_read_only(tmp_path, clock, monkeypatch):
    state, run = tmp_path / "state", tmp_path / "run"
    fail(StartRecord([state, run], "one", clock))
    clock.now_s += 5
    write = failed_starts.write_atomically

    def read_only(path, *args, **options):
        if path.parent == state:
            raise OSError(30, "Read-only file system")
        write(path, *args, **options)

    monkeypatch.setattr(failed_starts, "write_atomically", read_only)
    for _ in range(LIMIT - 1):
        fail(StartRecord([state, run], "one", clock))
        clock.now_s += 5

    assert len(StartRecord([state, run], "one", clock).earlier) == LIMIT


def test_without_systemd_nothing_is_written(tmp_path):
    record = StartRecord.of_service(tmp_path, {})
    fail(record, error=RuntimeError("by hand"))

    assert list(tmp_path.iterdir()) == []
