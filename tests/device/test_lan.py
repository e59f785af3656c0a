"""The address that phones are sent to."""

import shutil
import subprocess
import sys

import pytest

from device.lan import interface_address, lan_address

ASKED = "from device.lan import lan_address; print(lan_address(''))"


def test_a_server_on_one_address_is_reached_at_that_address():
    assert lan_address("192.168.1.20") == "192.168.1.20"


def test_a_missing_interface_has_no_address():
    assert interface_address("lo") == "127.0.0.1"
    assert interface_address("nowhere0") is None


@pytest.mark.parametrize(
    ("given", "found"), [("10.42.0.1/24", "10.42.0.1"), ("169.254.7.7/16", "localhost")]
)
def test_a_hotspot_without_a_router_still_has_an_address(given, found):
    if not (shutil.which("unshare") and shutil.which("ip")):
        pytest.skip("a network of its own needs unshare and ip")
    script = (
        f"ip link add d0 type veth peer name d1 && ip addr add {given} dev d0 && ip link set d0 up && "
        f'exec "{sys.executable}" -c "{ASKED}"'
    )
    done = subprocess.run(
        ["unshare", "--user", "--map-root-user", "--net", "sh", "-c", script],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        pytest.skip(f"no network of its own here: {done.stderr.strip()[-80:]}")

    assert done.stdout.strip() == found
