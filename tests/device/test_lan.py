"""The address that phones are sent to."""

import os
import shutil
import subprocess
import sys

import pytest

from device.errors import UsageError
from device.lan import as_page_url, as_page_urls, interface_address, lan_address, own_address

ASKED = """
import sys
from pathlib import Path
from device.lan import lan_address
print(lan_address(sys.argv[1], Path(sys.argv[2])))
"""


def network(script, host="", system="/"):
    """Return the address that is found in a network of its own, which a shell script sets up."""
    if not (shutil.which("unshare") and shutil.which("ip")):
        pytest.skip("a network of its own needs unshare and ip")
    ask = f'exec "{sys.executable}" -c "$ASKED" "{host}" "{system}"'
    done = subprocess.run(
        ["unshare", "--user", "--map-root-user", "--net", "sh", "-c", f"{script} && {ask}"],
        env={**os.environ, "ASKED": ASKED},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        pytest.skip(f"no network of its own here: {done.stderr.strip()[-80:]}")
    return done.stdout.strip()


def link(name, address, *more):
    """Return the commands that add an interface, whose other end is up as well."""
    up = "".join(f" && ip link set {each} up" for each in (name, f"{name}x"))
    options = " nodad" if ":" in address else ""
    return " && ".join(
        [
            f"ip link add {name} type veth peer name {name}x",
            f"ip addr add {address} dev {name}{options}{up}",
            *more,
        ]
    )


def network_card(system, name, *above):
    """Add an interface that is hardware, and interfaces on top of it."""
    folder = system / "sys/class/net"
    (folder / name / "device").mkdir(parents=True)
    for each in above:
        (folder / each / f"lower_{name}").mkdir(parents=True)


def test_a_server_on_one_address_is_reached_at_that_address():
    assert lan_address("192.168.1.20") == "192.168.1.20"


def test_a_missing_interface_has_no_address():
    assert interface_address("lo") == "127.0.0.1"
    assert interface_address("nowhere0") is None


@pytest.mark.parametrize(
    ("given", "found"), [("10.42.0.1/24", "10.42.0.1"), ("169.254.7.7/16", "localhost")]
)
def test_a_hotspot_without_a_router_still_has_an_address(given, found):
    assert network(link("d0", given)) == found


VPN = link("vpn0", "10.8.0.2/24", "ip route add default via 10.8.0.1")
DOCKER = link("docker0", "172.17.0.1/16")


@pytest.mark.parametrize(
    "before", [VPN, DOCKER, f"{VPN} && {DOCKER}"], ids=["VPN", "Docker", "both"]
)
@pytest.mark.parametrize("on_top", [(), ("lan0",)], ids=["card", "bridge"])
def test_the_address_is_the_one_of_a_network_card_and_not_of_a_vpn_or_docker(
    tmp_path, before, on_top
):
    network_card(tmp_path, "eth0" if on_top else "lan0", *on_top)

    assert (
        network(f"{before} && {link('lan0', '192.168.1.20/24')}", system=tmp_path) == "192.168.1.20"
    )


def test_of_two_network_cards_the_one_towards_the_router_counts(tmp_path):
    for name in ("lan0", "lan1"):
        network_card(tmp_path, name)
    router = link("lan1", "192.168.2.20/24", "ip route add default via 192.168.2.1")

    assert network(f"{link('lan0', '10.0.0.5/24')} && {router}", system=tmp_path) == "192.168.2.20"


def test_a_network_with_ipv6_only_has_an_address_in_brackets():
    six = link("lan0", "fd00:1::7/64")

    assert network(six, host="::") == "[fd00:1::7]"
    assert network(six, host="0.0.0.0") == "localhost"  # noqa: S104


def test_ipv4_is_preferred_where_there_are_both():
    both = link("lan0", "fd00:1::7/64", "ip addr add 192.168.1.20/24 dev lan0")

    assert network(both, host="::") == "192.168.1.20"


@pytest.mark.parametrize(
    ("host", "found"), [("::", "127.0.0.1"), ("", "127.0.0.1"), ("fd00::1", "[fd00::1]")]
)
def test_this_machine_reaches_its_own_server(host, found):
    assert own_address(host) == found


@pytest.mark.parametrize(
    "text", ["dice", "ftp://dice", "http://dice/page", "http://:80", "http://a:x"]
)
def test_an_address_that_is_not_a_page_is_refused(text):
    with pytest.raises(
        UsageError, match=r"is not the address of a page: write http://dice\.example:8000"
    ):
        as_page_url(text)


def test_the_address_of_a_page_ends_with_a_slash():
    assert as_page_url("https://dice.example:8443") == "https://dice.example:8443/"
    assert as_page_url("") == ""


@pytest.mark.parametrize("text", ["*", "foundry.local:30000", "http://a/game", "http://a, b"])
def test_readers_that_are_no_addresses_are_refused_with_the_remedy(text):
    with pytest.raises(UsageError, match="readers: write the whole address of each page"):
        as_page_urls(text)


def test_readers_are_compared_as_browsers_write_them():
    text = "http://Foundry.local:30000 http://a:80 https://b:443/ https://c:80"

    assert as_page_urls(text) == [
        "http://foundry.local:30000/",
        "http://a/",
        "https://b/",
        "https://c:80/",
    ]
