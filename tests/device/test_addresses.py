"""Addresses are read with care, and only their scheme, host and port are shown."""

import pytest

from device.addresses import NetworkAddress, reduce_urls
from device.cli import main


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("http://10.0.0.7:8080/video", "http://10.0.0.7:8080"),
        ("HTTP://Den.local", "http://den.local:80"),
        ("rtsp://me:secret@10.0.0.7/live?pw=secret", "rtsp://10.0.0.7:554"),
        ("rtsp://me:sec@ret@den/", "rtsp://den:554"),
        ("rtsp://10.0.0.7:554/user=a_password=secret_channel=1.sdp", "rtsp://10.0.0.7:554"),
        ("mqtts://broker.local", "mqtts://broker.local:8883"),
        ("http://[fe80::1%25eth0]:8080/", "http://[fe80::1%25eth0]:8080"),
        ("http://küche.local/", "http://küche.local:80"),
    ],
)
def test_scheme_host_and_port_are_shown(url, shown):
    found = NetworkAddress.parse(url)

    assert str(found) == shown
    assert "secret" not in repr(found)


@pytest.mark.parametrize(
    "url",
    [
        *(
            "rtsp://me:sec#ret@den/",
            "rtsp://me:12#4@den/",
            "rtsp://me:1/2@den/",
            "rtsp://me:1?2@den/",
        ),
        *("rtsp://me:se cret@den/", "rtsp://me:se\\cret@den/", "rtsp://me:s[cret@den/"),
        *("http://den;pw=secret/", "http://den:80a/", "http://den:0/", "http://a..b/", "http:///x"),
        *("http://[1]/", "http://[den]/", "den.local", "ftp://den/", "http://den/\n", ""),
    ],
)
def test_an_address_that_can_be_misunderstood_is_not_valid(url):
    assert NetworkAddress.parse(url) is None


def test_the_zone_of_an_ipv6_address_is_decoded_for_connections():
    assert NetworkAddress.parse("http://[fe80::1%25eth0]/").host == "fe80::1%eth0"


def test_addresses_in_a_text_are_reduced():
    text = (
        "no answer from http://me:secret@den/hook: see (rtsp://me:s#t@den/x), https://python.org."
    )

    assert reduce_urls(text) == (
        "no answer from http://den:80: see (rtsp://***), https://python.org:443."
    )


def test_an_address_in_the_wrong_place_of_a_command_is_not_repeated(capsys):
    with pytest.raises(SystemExit):
        main(["play", "rtsp://me:secret@den/live"])

    said = capsys.readouterr().err
    assert "rtsp://den:554" in said
    assert "secret" not in said
