"""What a process has taken so far, as Linux tells it."""

import os
from pathlib import Path

MOST, NOW, OWN = "VmHWM", "VmRSS", "RssAnon"
"""The most that it has ever held in memory; what it holds now, with and without files that it shares."""


def can_tell() -> bool:
    """Whether this system says what a process takes."""
    return Path("/proc/self/status").exists()


def memory_mb(pid: int, which: str = MOST) -> float:
    status = Path(f"/proc/{pid}/status").read_text("utf-8")
    return int(status.partition(f"{which}:")[2].split()[0]) / 1024


def cpu_s(pid: int) -> float:
    """What it has computed."""
    fields = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
