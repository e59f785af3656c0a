"""Measures the memory and processor time of a process, as Linux reports them in /proc, and finds a free port."""

import os
import socket
from pathlib import Path

PEAK, RESIDENT, ANONYMOUS = "VmHWM", "VmRSS", "RssAnon"
"""Fields of /proc/PID/status: the largest resident memory so far, the resident memory now, and the part of it that
is not backed by files."""


def has_proc() -> bool:
    """Return whether this system reports the memory and processor time of a process in /proc."""
    return Path("/proc/self/status").exists()


def memory_mb(pid: int, field: str = PEAK) -> float:
    """Return the memory of a process in MB.

    Args:
        pid: Process ID.
        field: Which memory: PEAK, RESIDENT or ANONYMOUS.
    """
    status = Path(f"/proc/{pid}/status").read_text("utf-8")
    return int(status.partition(f"{field}:")[2].split()[0]) / 1024


def cpu_s(pid: int) -> float:
    """Return the processor time that a process has used so far, in seconds, given its process ID."""
    fields = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def free_port() -> int:
    """Return the number of a port of this machine on which nothing listens yet."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
    return port
