"""What threads let go is there for others."""

import platform
import subprocess
import sys

import pytest

HOLDS_AND_LETS_GO = """
import sys, threading
from device.arenas import share_memory
if sys.argv[1:]:
    share_memory()
gate = threading.Barrier(40)
def work():
    held = [bytes(1000) for _ in range(2000)]
    gate.wait()
threads = [threading.Thread(target=work) for _ in range(40)]
[t.start() for t in threads], [t.join() for t in threads]
starts = [int(line.split("-")[0], 16) for line in open("/proc/self/maps")]
print(sum(start % 0x4000000 == 0 for start in starts))  # an arena begins at a multiple of 64 MB
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="of glibc alone")
def test_forty_threads_have_no_memory_of_their_own():
    def arenas(*how):
        done = [sys.executable, "-c", HOLDS_AND_LETS_GO, *how]
        return int(subprocess.run(done, capture_output=True, text=True, check=True).stdout)

    assert arenas("shared") <= 2 < arenas()
