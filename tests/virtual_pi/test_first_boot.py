"""From the card to the page without a terminal: Debian's own cloud-init takes what is on the card.

As on Raspberry Pi OS, its seed lies on the boot partition; here that is a folder. The network is a
line that can be cut.
"""

import os
import re
import shutil
import stat
import subprocess
import sys
from datetime import datetime

import pytest

from tests.source_package import packed
from tests.virtual_pi.appliance import CACHE, HERE, PROJECT, Appliance, sh

NEEDS = [program for program in ("debootstrap", "nsenter", "unshare") if not shutil.which(program)]
PACKAGES = ("systemd", "systemd-sysv", "dbus", "udev", "iproute2", "kmod", "cloud-init")
INSTALLED_S = 1800

pytestmark = [
    pytest.mark.timeout(3600),
    pytest.mark.skipif(os.geteuid() != 0, reason="boots a system in namespaces: needs root"),
    pytest.mark.skipif(
        bool(NEEDS), reason=f"missing: {', '.join(NEEDS)} (apt install debootstrap)"
    ),
]

SEED = {
    "meta-data": "instance-id: from-the-imager\n",
    "user-data": "#cloud-config\nhostname: den\nruncmd:\n  - [touch, /run/what-the-imager-asked-for]\n",
}
SYSTEM = {
    "etc/cloud/cloud.cfg.d/99_card.cfg": (
        "datasource_list: [NoCloud]\n"
        "datasource: {NoCloud: {seedfrom: 'file:///boot/firmware/'}}\n"
        "network: {config: disabled}\n"
    ),
    "etc/systemd/system.conf.d/line.conf": (
        "[Manager]\nDefaultEnvironment=http_proxy=http://127.0.0.1:3128"
        " https_proxy=http://127.0.0.1:3128 no_proxy=127.0.0.1 TRAYKEEPER_RETRY_S=3\n"
    ),
    "etc/apt/apt.conf.d/line": 'Acquire::http::Pipeline-Depth "0";\n',
    "usr/local/bin/pinctrl": '#!/bin/sh\necho "$@" >>/run/lamp\n',
}


class Line:
    """Give a system without a network access to the internet."""

    def __init__(self, pi):
        self._pi, self._process = pi, None

    def join(self):
        self._process = subprocess.Popen([sys.executable, HERE / "line.py", str(self._pi.init)])

    def cut(self):
        self._process.kill()
        self._process.wait()


@pytest.fixture(scope="module")
def card(tmp_path_factory):
    """Write the files of Raspberry Pi Imager, and the two files that the user copies to the card."""
    upper = tmp_path_factory.mktemp("card") / "upper"
    boot = upper / "boot" / "firmware"
    boot.mkdir(parents=True)
    shutil.copy(packed(tmp_path_factory.mktemp("release")), boot)
    shutil.copy(PROJECT / "systemd" / "cloud-init" / "vendor-data", boot)
    for name, text in SEED.items():
        (boot / name).write_text(text)
    for name, text in SYSTEM.items():
        (upper / name).parent.mkdir(parents=True, exist_ok=True)
        (upper / name).write_text(text)
    (upper / "usr/local/bin/pinctrl").chmod(0o755)
    (upper / "usr/sbin").mkdir()
    os.mknod(upper / "usr/sbin/policy-rc.d", stat.S_IFCHR)  # an overlay's word for: not there
    return upper


@pytest.fixture
def pi(card, tmp_path):
    root = CACHE / "card"
    sh(HERE / "rootfs.sh", root, *PACKAGES)
    appliance = Appliance.boot([card, root], tmp_path / "machine")
    yield appliance
    appliance.kill()


@pytest.fixture
def line(pi):
    line = Line(pi)
    line.join()
    yield line
    line.cut()


def told(pi):
    """Return the text file on the card."""
    return pi.ask("cat /boot/firmware/traykeeper.txt")


def steps(text):
    """Return each line with the seconds until the next one."""
    lines = [(datetime.fromisoformat(line[:19]), line[21:]) for line in text.splitlines()]
    times = [at for at, _ in lines]
    return [
        (said, (after - at).seconds)
        for (at, said), after in zip(lines, [*times[1:], times[-1]], strict=True)
    ]


def show(text):
    for said, seconds in steps(text):
        print(f"{seconds:5d} s  {said}")  # noqa: T201 - it is asked for with -s


def test_a_card_installs_itself_without_a_keyboard(pi, line):
    pi.until(lambda: "ready: " in told(pi), INSTALLED_S)
    text = told(pi)
    show(text)

    assert [said[:6] for said, _ in steps(text) if " of 4" in said] == sorted(
        said[:6] for said, _ in steps(text) if " of 4" in said
    )
    assert "ready: http://den.local/" in text
    assert (
        "traykeeper"
        in pi.run(
            'curl -sS http://127.0.0.1/healthz 2>&1 || python3 -c "'
            "import urllib.request as u; print(u.urlopen('http://127.0.0.1/').read()[:9999])\""
        ).lower()
    )
    assert pi.ask("systemctl is-enabled traykeeper-first-boot") == "disabled"
    assert pi.run("ls /run/what-the-imager-asked-for")
    assert pi.shown("ActiveState") == "active"


def test_a_lost_connection_is_reported_and_tried_again(pi, line):
    pi.until(lambda: "3 of 4: installing Python packages" in told(pi), INSTALLED_S)
    line.cut()
    pi.until(lambda: "The next attempt is in" in told(pi), 300)
    pi.until(lambda: re.search(r"set 22 op dh\nset 23 op dl", pi.ask("cat /run/lamp")), 60)
    assert "check that the Pi is on the internet" in told(pi)
    line.join()
    pi.until(lambda: "ready: " in told(pi), INSTALLED_S)
    show(told(pi))

    assert pi.shown("ActiveState") == "active"
