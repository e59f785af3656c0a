"""The record of a supply voltage that was too low."""

from datetime import UTC, datetime
from errno import ENOSPC
from threading import enumerate as enumerate_threads

import pytest

from device.hardware import voltage
from device.hardware.voltage import VoltageWatch, is_low, last_low, watched_voltage

EVENING = datetime(2026, 11, 26, 20, 14, tzinfo=UTC)


@pytest.fixture
def pi(tmp_path):
    """The alarm and the id of the boot of a Pi, as files."""
    for name, text in (
        ("sys/class/hwmon/hwmon1/in0_lcrit_alarm", "0\n"),
        ("proc/sys/kernel/random/boot_id", "first\n"),
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True)
        path.write_text(text)
    return tmp_path


def set_alarm(pi, text):
    (pi / "sys/class/hwmon/hwmon1/in0_lcrit_alarm").write_text(text)


def test_an_alarm_is_remembered_after_it_is_over(pi):
    watch = VoltageWatch(pi, pi, lambda: EVENING)
    watch.sample()
    assert last_low(pi, pi) is None
    set_alarm(pi, "1\n")
    watch.sample()
    set_alarm(pi, "0\n")
    watch.sample()

    assert is_low(pi) is False
    assert last_low(pi, pi) == EVENING


def test_an_alarm_before_the_last_start_of_the_pi_does_not_count(pi):
    set_alarm(pi, "1\n")
    VoltageWatch(pi, pi, lambda: EVENING).sample()
    (pi / "proc/sys/kernel/random/boot_id").write_text("second\n")

    assert last_low(pi, pi) is None


def test_each_alarm_is_recorded_once(pi):
    times = iter([EVENING])
    watch = VoltageWatch(pi, pi, lambda: next(times))
    set_alarm(pi, "1\n")
    watch.sample()
    watch.sample()

    assert last_low(pi, pi) == EVENING


def test_an_alarm_on_a_full_disk_is_recorded_when_there_is_room_again(pi, monkeypatch, caplog):
    def full(*_):
        raise OSError(ENOSPC, "No space left on device")

    watch = VoltageWatch(pi, pi, lambda: EVENING)
    set_alarm(pi, "1\n")
    with monkeypatch.context() as patch:
        patch.setattr(voltage, "write_atomically", full)
        watch.sample()
        watch.sample()
    assert caplog.text.count("No space left on device") == 1
    watch.sample()

    assert last_low(pi, pi) == EVENING


@pytest.mark.parametrize("text", ["", "[]", '{"boot": "first", "when": "?"}', '{"boot": 1}'])
def test_a_damaged_record_counts_as_none(pi, text):
    (pi / "low-voltage.json").write_text(text)

    assert last_low(pi, pi) is None


def test_a_machine_without_the_alarm_is_not_watched(tmp_path):
    with watched_voltage(tmp_path, tmp_path):
        assert is_low(tmp_path) is None
        assert "voltage" not in [thread.name for thread in enumerate_threads()]
