"""Problems with a broker are reported in one line, and the match continues."""

import json
import shlex
import socket
import sys
import tomllib
import urllib.request
from contextlib import closing
from pathlib import Path
from threading import Thread

import pytest

from device.app import PlayOptions
from device.app import serving as serving_tray
from device.club_board import ClubOptions, serving
from device.errors import UsageError
from device.mqtt import client
from device.mqtt.client import parse_address, tray_name
from game.commands import EnterThrow, StartMatch
from tests.mosquitto import PASSWORD, certify, mosquitto, needs_mosquitto
from tests.waiting import PATIENCE_S, until

ROOT = Path(__file__).parents[3]


@pytest.fixture(autouse=True)
def _impatient(monkeypatch):
    """Reconnect at once."""
    monkeypatch.setattr(client, "RETRY_S", (0.1, 0.1))


def text_of(port, path):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=PATIENCE_S) as answer:
        return answer.read().decode()


@needs_mosquitto
def test_a_killed_broker_is_seen_on_the_board_and_on_the_health_page_until_it_is_back(
    broker, tmp_path
):
    club = ClubOptions(
        broker.url,
        secret=str(broker.secret),
        state=str(tmp_path / "club"),
        host="127.0.0.1",
        port=0,
    )
    tray = PlayOptions(
        camera="usb:97", host="127.0.0.1", port=0, state=str(tmp_path / "tray"), mqtt_tray="den",
        **broker.settings(),
    )  # fmt: skip
    with serving(club, print) as (board, _), serving_tray(tray) as (companion, server):
        companion.do(StartMatch(("Anna", "Ben")))
        until(lambda: json.loads(text_of(board.port, "/healthz"))["trays"] == 1)
        until(lambda: "Anna" in text_of(board.port, "/board"))
        assert "No connection to the broker" not in text_of(board.port, "/board")
        assert "connected to mqtt://localhost" in text_of(server.port, "/health")

        broker.kill()
        until(lambda: "No connection to the broker since" in text_of(board.port, "/board"))
        health = json.loads(text_of(board.port, "/healthz"))
        assert (health["status"], health["trays"]) == ("warning", 0)
        assert "no connection to the broker since" in health["troubles"][0]["line"]
        assert json.loads(text_of(board.port, "/api/v1/club"))["broker_lost_s"]
        until(lambda: "no connection to mqtt://localhost" in text_of(server.port, "/health"))
        troubles = json.loads(text_of(server.port, "/healthz"))["troubles"]
        assert any("broker" in trouble["check"] for trouble in troubles)

        broker.start()
        until(lambda: json.loads(text_of(board.port, "/healthz"))["trays"] == 1)
        assert "No connection to the broker" not in text_of(board.port, "/board")
        until(lambda: "connected to mqtt://localhost" in text_of(server.port, "/health"))


def match_continues(table):
    table.do(StartMatch(["Anna", "Ben"]))
    table.do(EnterThrow((1, 1, 2, 3, 4, 6)))
    return table.match.state.turn.last is not None


@needs_mosquitto
def test_a_wrong_password_is_reported(table, join, broker, troubles, tmp_path):
    secret = tmp_path / "wrong.toml"
    secret.touch(mode=0o600)
    secret.write_text('user = "club"\npassword = "guess"\n')
    join.stay(mqtt_secret=str(secret))
    (line,) = until(lambda: troubles)

    assert "refuses the user name or password: correct them in " in line
    assert str(secret) in line
    assert "guess" not in line
    assert match_continues(table)


@needs_mosquitto
def test_a_missing_password_is_reported(table, join, broker, troubles):
    join.stay(mqtt_secret="")
    (line,) = until(lambda: troubles)

    assert "name a file with them in mqtt_secret" in line
    assert match_continues(table)


SOCKET_LEFT = "ignore:.*SSLSocket:pytest.PytestUnraisableExceptionWarning"
"""paho leaves the socket of a failed handshake to the garbage collector."""


@needs_mosquitto
@pytest.mark.filterwarnings(SOCKET_LEFT)
def test_an_untrusted_certificate_is_reported(table, join, troubles, tmp_path):
    (tmp_path / "other").mkdir()
    certify(tmp_path / "other")
    with mosquitto(tmp_path / "tls", tls=True) as broker:
        other = str(tmp_path / "other" / "ca.crt")
        with join(**broker.settings() | {"mqtt_ca": other}):
            (line,) = until(lambda: troubles)

            assert "is not trusted" in line
            assert "name the authority that signed it in mqtt_ca" in line
            assert match_continues(table)


@needs_mosquitto
@pytest.mark.filterwarnings(SOCKET_LEFT)
def test_tls_to_a_broker_without_tls_is_reported(table, join, broker, troubles):
    join.stay(mqtt=f"mqtts://localhost:{broker.port}")
    line, *_ = until(lambda: troubles)  # at the next attempt, the same trouble may have other words

    assert "try mqtt://, without TLS" in line
    assert match_continues(table)


@needs_mosquitto
def test_a_plain_connection_to_a_broker_with_tls_is_reported(table, join, troubles, tmp_path):
    with mosquitto(tmp_path / "tls", tls=True) as broker:
        join.stay(**broker.settings() | {"mqtt": f"mqtt://localhost:{broker.port}"})
        (line,) = until(lambda: troubles)

        assert "try mqtts://, with TLS" in line
        assert match_continues(table)


@needs_mosquitto
def test_a_missing_permission_to_publish_is_reported(table, join, troubles, tmp_path):
    with mosquitto(tmp_path / "tight", rights="topic read #") as broker:
        join.stay(**broker.settings())
        (line,) = until(lambda: troubles)

        assert "refuses the messages of t1 (Not authorized)" in line
        assert match_continues(table)


@needs_mosquitto
def test_a_second_tray_with_the_same_name_is_reported(table, join, broker, troubles):
    join.stay()
    rival = parse_address(broker.url, secret=str(broker.secret))
    second = client.BrokerClient(rival, "traykeeper-t1", client.BrokerEvents())
    second.start()
    until(lambda: any("no other client is called traykeeper-t1" in line for line in troubles))
    second.close()

    assert match_continues(table)


@needs_mosquitto
def test_an_outage_is_reported_once(table, join, broker, troubles):
    broker.kill()
    join.stay()
    (line,) = until(lambda: troubles)
    broker.start()

    assert f"no broker answers at mqtt://localhost:{broker.port}: check that it is running" in line
    assert line.endswith("; trying again, the match continues")
    assert match_continues(table)


def test_a_club_board_without_its_broker_reports_neither_a_match_nor_a_setting(tmp_path, troubles):
    options = ClubOptions("mqtt://localhost:9", host="127.0.0.1", port=0, state=str(tmp_path))
    with serving(options, troubles.append):
        (line,) = until(lambda: troubles)

    assert line == (
        "traykeeper club: no broker answers at mqtt://localhost:9: check that it is running; trying again"
    )


def test_a_broker_with_an_older_mqtt_is_reported(troubles):
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        Thread(target=refuse_mqtt_5, args=(server,), daemon=True).start()
        old = client.BrokerClient(
            parse_address(f"mqtt://127.0.0.1:{server.getsockname()[1]}"),
            "t1",
            client.BrokerEvents(on_trouble=troubles.append),
        )
        old.start()
        (line,) = until(lambda: troubles)
        old.close()

    assert (
        "does not support MQTT 5: update it (Mosquitto has supported it since 1.6); trying again"
        in line
    )


def refuse_mqtt_5(server):
    """MQTT 3.1.1: connection refused, unacceptable protocol version."""
    connection, _ = server.accept()
    with connection:
        connection.recv(1024)
        connection.sendall(b"\x20\x02\x00\x01")
        connection.recv(1024)


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("broker", "is not the address of a broker: write mqtt://"),
        ("http://broker", "is not the address of a broker"),
        ("mqtt://", "is not the address of a broker"),
        ("mqtt://broker:99999", "is not the address of a broker"),
        ("mqtt://broker/club", "is not the address of a broker"),
        ("mqtt://broker..local", "is not the address of a broker: write mqtt://"),
        (f"mqtt://{'b' * 64}.local", "is not the address of a broker"),
        ("mqtt://me:secret@broker", "move the user name and password to a file"),
    ],
)
def test_an_invalid_address_is_refused(url, words):
    with pytest.raises(UsageError, match="mqtt") as refused:
        parse_address(url)

    assert words in str(refused.value)


def test_valid_addresses_are_parsed():
    assert str(parse_address("mqtt://broker.local")) == "mqtt://broker.local:1883"
    assert parse_address("mqtts://broker.local").port == 8883
    assert parse_address("mqtts://broker.local").tls
    assert parse_address("mqtt://[fe80::1]:1884").host == "fe80::1"


def test_a_secret_that_other_users_can_read_is_refused(tmp_path):
    secret = tmp_path / "mqtt.toml"
    secret.write_text(f'user = "a"\npassword = "{PASSWORD}"\n')
    secret.chmod(0o644)
    with pytest.raises(UsageError, match="other users can read this secret: chmod 600"):
        parse_address("mqtt://broker", secret=str(secret))
    secret.chmod(0o600)

    there = parse_address("mqtt://broker", secret=str(secret))

    assert there.password == PASSWORD
    assert PASSWORD not in repr(there)


def test_a_secret_without_its_two_lines_is_refused_and_not_quoted(tmp_path):
    secret = tmp_path / "mqtt.toml"
    secret.touch(mode=0o600)
    secret.write_text("hunter2")
    with pytest.raises(UsageError, match="write two lines") as refused:
        parse_address("mqtt://broker", secret=str(secret))

    assert "hunter2" not in str(refused.value)


def test_an_unreadable_certificate_is_refused(tmp_path):
    with pytest.raises(UsageError, match="this file contains no readable certificate"):
        parse_address("mqtts://broker", ca=str(tmp_path / "none")).tls_context()


def test_the_name_of_a_tray_is_checked():
    assert tray_name("table-3") == "table-3"
    assert tray_name("")
    with pytest.raises(UsageError, match="mqtt_tray"):
        tray_name("Tisch #3")


@pytest.mark.parametrize("found", ["no_such_module", "json"], ids=["none", "one that is too old"])
def test_a_missing_paho_is_reported_with_the_command_to_install_it_here(monkeypatch, found):
    monkeypatch.setattr(sys, "executable", "/opt/my dice/bin/python3")
    monkeypatch.setattr(client, "import_module", lambda name: __import__(found))
    with pytest.raises(UsageError) as refused:
        client.BrokerClient(parse_address("mqtt://broker"), "t1", client.BrokerEvents())

    _, _, command = str(refused.value).rpartition(": ")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    paho = project["optional-dependencies"]["mqtt"]
    assert shlex.split(command) == ["/opt/my dice/bin/python3", "-m", "pip", "install", *paho]
