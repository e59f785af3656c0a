"""How the reader uses a machine: by its memory, by a measurement, or by the settings."""

import platform
import subprocess
import sys

import pytest

from device import machine_fit as fit
from device.bench import Measured, choose
from device.errors import UsageError
from device.machine_fit import AUTO, WIDTHS_PX, Fit

HOLDS_AND_LETS_GO = """
import sys, threading
from device.machine_fit import limit_malloc_arenas
if sys.argv[1:]:
    limit_malloc_arenas()
gate = threading.Barrier(40)
def work():
    held = [bytes(1000) for _ in range(2000)]
    gate.wait()
threads = [threading.Thread(target=work) for _ in range(40)]
[t.start() for t in threads], [t.join() for t in threads]
starts = [int(line.split("-")[0], 16) for line in open("/proc/self/maps")]
print(sum(start % 0x4000000 == 0 for start in starts))  # an arena begins at a multiple of 64 MB
"""

FREES_BELOW_WHAT_IT_HOLDS = """
from pathlib import Path
from device.machine_fit import return_free_memory
def own_kb():
    return int(Path("/proc/self/status").read_text().partition("RssAnon:")[2].split()[0])
large, small = b"x" * 64_000, b"x" * 1_000  # sizes that malloc takes from its heap
freed, held = [], []
for _ in range(500):
    freed.append(bytearray(large))
    held.append(bytearray(small))
freed.clear()
before = own_kb()
return_free_memory()
print(before - own_kb())
"""

PEAKS_MB = {2304: 270, 1536: 260, 1152: 250}


def measured(seconds, *, faster=1.0, memory_mb=3800):
    """A measurement: seconds to read the largest picture, and the gain from each further thread."""
    reads_s = {
        (width_px, threads): seconds * (width_px / WIDTHS_PX[0]) ** 2 * faster ** (threads - 1)
        for width_px in WIDTHS_PX
        for threads in (1, 2, 4)
    }
    return Measured(reads_s, 0.002, PEAKS_MB, memory_mb)


def test_auto_uses_the_saved_measurement(tmp_path):
    fit.save(Fit(1152, 1, 1), tmp_path)

    assert fit.from_settings(AUTO, AUTO, AUTO, tmp_path) == Fit(1152, 1, 1)


def test_a_setting_comes_before_a_measurement(tmp_path):
    fit.save(Fit(1152, 1, 1), tmp_path)

    assert fit.from_settings("1536", AUTO, "3", tmp_path) == Fit(1536, 1, 3)


def test_a_measurement_of_an_earlier_version_is_used(tmp_path):
    (tmp_path / fit.FIT_FILE).write_text('{"picture_px": 1152, "threads": 1, "looks": 1}')

    assert fit.load(tmp_path) == Fit(1152, 1, 1)


@pytest.mark.parametrize(
    "broken",
    ["", "[]", '{"picture_px": 0}', '{"burst_frames": "two"}', '{"x": 1}', "[" * 100_000],
)
def test_a_damaged_measurement_is_ignored_with_a_warning(tmp_path, broken, caplog):
    assert fit.load(tmp_path) is None
    assert not caplog.messages
    (tmp_path / fit.FIT_FILE).write_text(broken)

    assert fit.from_settings(AUTO, AUTO, AUTO, tmp_path) == fit.default_fit()
    assert "run `traykeeper bench fit` again" in caplog.text


@pytest.mark.parametrize("said", ["", "many", "0", "65", "-1", "1.5", "\u0663"])
def test_a_value_that_is_neither_auto_nor_a_number_is_refused(tmp_path, said):
    with pytest.raises(UsageError, match="threads is ") as refused:
        fit.from_settings(AUTO, said, AUTO, tmp_path)

    assert str(refused.value).endswith('use "auto", or "1" to "64"')


def test_a_fast_machine_reads_the_largest_pictures_twice():
    assert choose(measured(0.1)) == Fit(2304, 1, 2)


def test_a_slower_machine_reads_smaller_pictures_before_it_reads_only_once():
    assert choose(measured(1.2)) == Fit(1536, 1, 2)
    assert choose(measured(5.0)) == Fit(1152, 1, 1)


def test_threads_that_gain_little_are_left_to_the_pages():
    assert choose(measured(0.6, faster=0.98)).threads == 1
    assert choose(measured(0.6, faster=0.6)).threads == 4


def test_a_machine_that_is_too_slow_uses_the_quickest_way():
    assert choose(measured(60.0)) == Fit(1152, 1, 1)


@pytest.mark.parametrize(("memory_mb", "picture_px"), [(440, 2304), (410, 1536), (395, 1152)])
def test_a_machine_with_little_memory_reads_smaller_pictures(memory_mb, picture_px):
    assert choose(measured(0.1, memory_mb=memory_mb)) == Fit(picture_px, 1, 2)


def test_a_machine_with_too_little_memory_reads_the_smallest_pictures():
    assert choose(measured(0.1, memory_mb=100)) == Fit(1152, 1, 2)


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="of glibc alone")
def test_forty_threads_share_their_free_memory():
    def arenas(*how):
        done = [sys.executable, "-c", HOLDS_AND_LETS_GO, *how]
        return int(subprocess.run(done, capture_output=True, text=True, check=True).stdout)

    assert arenas("shared") <= 2 < arenas()


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="of glibc alone")
def test_freed_memory_below_memory_in_use_is_returned_to_the_system():
    done = [sys.executable, "-c", FREES_BELOW_WHAT_IT_HOLDS]
    returned_kb = subprocess.run(done, capture_output=True, text=True, check=True).stdout

    assert int(returned_kb) > 500 * 64 * 0.8
