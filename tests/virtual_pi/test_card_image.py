"""The steps of the card image in a trixie root, and its first start from a read-only root to the page."""

import os
import shutil
import subprocess

import pytest
import yaml

from tests.virtual_pi.appliance import (
    PROJECT,
    Appliance,
    base,
    sh,
    take_checkout,
)

NEEDS = [program for program in ("debootstrap", "nsenter", "unshare") if not shutil.which(program)]
LAYER = PROJECT / "image" / "layer" / "traykeeper.d"
STATE_MB = 1500
REMOUNT = """#!/bin/sh
case "$*" in
"-o remount,rw /") exec /usr/bin/mount -o remount,bind,rw / ;;
"-o remount,ro /") exec /usr/bin/mount -o remount,bind,ro / ;;
*) exec /usr/bin/mount "$@" ;;
esac
"""
"""The root is an overlay here, which can only be remounted as a bind mount."""

PAGE = "python3 -c \"import urllib.request as u; print(u.urlopen('http://127.0.0.1{}').read().decode()[:5000])\""

pytestmark = [
    pytest.mark.timeout(1200),
    pytest.mark.skipif(os.geteuid() != 0, reason="boots a system in namespaces: needs root"),
    pytest.mark.skipif(
        bool(NEEDS), reason=f"missing: {', '.join(NEEDS)} (apt install debootstrap)"
    ),
]


def apt_packages():
    text = (LAYER.parent / "traykeeper.yaml").read_text("utf-8").partition("\n---\n")[2]
    return yaml.safe_load(text)["mmdebstrap"]["packages"]


@pytest.fixture(scope="module")
def card(tmp_path_factory):
    """Run the steps of our layer; return the layers of the root, and the image of the state partition."""
    work = tmp_path_factory.mktemp("card")
    upper, merged = work / "upper", work / "merged"
    for folder in (upper, merged, work / "work"):
        folder.mkdir()
    checkout = take_checkout(work / "checkout")
    sh("tar", "-cf", work / "release.tar", "-C", checkout, ".")
    root = base()
    layers = f"lowerdir={root},upperdir={upper},workdir={work / 'work'}"
    sh("mount", "-t", "overlay", "overlay", "-o", layers, merged)
    try:
        apt = ("chroot", merged, "apt-get", "install", "-y", "-qq", "--no-install-recommends")
        sh(
            *apt,
            "openssh-server",
            *apt_packages(),
            env=os.environ | {"DEBIAN_FRONTEND": "noninteractive"},
        )
        sh("cp", "-a", f"{LAYER / 'customize.overlay'}/.", merged)
        variables = {
            "IGconf_traykeeper_release": str(work / "release.tar"),
            "IGconf_traykeeper_port": "80",
        }
        for step in ("customize50-install", "preimage20-state"):
            sh(LAYER / "hooks" / step, merged, env=os.environ | variables)
        (merged / "usr/local/bin/mount").write_text(REMOUNT)
        (merged / "usr/local/bin/mount").chmod(0o755)
        fstab = merged / "etc" / "fstab"
        lines = fstab.read_text().splitlines(keepends=True)
        fstab.write_text("".join(line for line in lines if "PARTUUID" not in line))
        image = work / "state.ext4"
        with image.open("wb") as file:
            file.truncate(STATE_MB << 20)
        sh("mkfs.ext4", "-q", "-d", merged / "state", image)
        sh("rm", "-rf", merged / "state")
        (merged / "state").mkdir()
        (merged / "boot" / "firmware").mkdir(parents=True)
    finally:
        subprocess.run(["umount", merged], check=True)
    return [upper, root], image


def test_a_card_starts_from_a_read_only_root_to_the_page(card, tmp_path):
    layers, image = card
    pi = Appliance.boot(layers, tmp_path / "machine", image, STATE_AT="/state", READ_ONLY="yes")
    try:
        pi.until(lambda: pi.shown("ActiveState") == "active", 120)

        assert '"status"' in pi.run(PAGE.format("/healthz"))
        assert "Read-only file system" in pi.run("touch /usr/x 2>&1 || true")
        assert "Read-only file system" in pi.run("touch /etc/x 2>&1 || true")
        assert pi.run("ls /state/prepared")
        assert len(pi.run("cat /etc/machine-id").strip()) == 32
        assert "ssh_host_ed25519_key" in pi.run("ls /etc/ssh")
        for folder in ("/var", "/home", "/opt/traykeeper", "/etc/traykeeper"):
            assert pi.run(f"findmnt -no SOURCE {folder}").strip().endswith(f"[/{folder[1:]}]")
        assert "FAILED" not in pi.run("/usr/src/traykeeper/systemd/install --check")
        pi.run("PIP_NO_INDEX=1 /usr/src/traykeeper/systemd/install --port 81")
        assert '"status"' in pi.run(PAGE.format(":81/healthz"))
        assert "Read-only file system" in pi.run("touch /etc/x 2>&1 || true")
    finally:
        pi.kill()
