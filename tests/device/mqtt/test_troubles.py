"""What goes wrong with a broker is said in one line, and the table plays on."""

import shlex
import socket
import sys
import tomllib
from contextlib import closing
from pathlib import Path
from threading import Thread

import pytest

from device.club_board import ClubOptions, serving
from device.errors import UsageError
from device.mqtt import client
from device.mqtt.address import address, tray_name
from game.commands import EnterThrow, StartMatch
from tests.mosquitto import PASSWORD, certify, mosquitto, needs_mosquitto, until

ROOT = Path(__file__).parents[3]


@pytest.fixture(autouse=True)
def _impatient(monkeypatch):
    """What is refused is tried again at once."""
    monkeypatch.setattr(client, "RETRY_S", (0.1, 0.1))


def plays_on(table):
    table.do(StartMatch(["Anna", "Ben"]))
    table.do(EnterThrow((1, 1, 2, 3, 4, 6)))
    return table.match.state.turn.last is not None


@needs_mosquitto
def test_a_wrong_password(table, join, broker, troubles, tmp_path):
    secret = tmp_path / "wrong.toml"
    secret.touch(mode=0o600)
    secret.write_text('user = "club"\npassword = "guess"\n')
    join.stay(mqtt_secret=str(secret))
    (line,) = until(lambda: troubles)

    assert "wants another user or password: see " in line
    assert str(secret) in line
    assert "guess" not in line
    assert plays_on(table)


@needs_mosquitto
def test_no_password(table, join, broker, troubles):
    join.stay(mqtt_secret="")
    (line,) = until(lambda: troubles)

    assert "a file named by mqtt_secret" in line
    assert plays_on(table)


SOCKET_LEFT = "ignore:.*SSLSocket:pytest.PytestUnraisableExceptionWarning"
"""Paho leaves the socket of a failed handshake to the garbage collector."""


@needs_mosquitto
@pytest.mark.filterwarnings(SOCKET_LEFT)
def test_a_wrong_certificate(table, join, troubles, tmp_path):
    (tmp_path / "other").mkdir()
    certify(tmp_path / "other")
    with mosquitto(tmp_path / "tls", tls=True) as broker:
        other = str(tmp_path / "other" / "ca.crt")
        with join(**broker.settings() | {"mqtt_ca": other}):
            (line,) = until(lambda: troubles)

            assert "does not hold" in line
            assert "mqtt_ca names who signed it" in line
            assert plays_on(table)


@needs_mosquitto
@pytest.mark.filterwarnings(SOCKET_LEFT)
def test_tls_where_none_is_spoken(table, join, broker, troubles):
    join.stay(mqtt=f"mqtts://localhost:{broker.port}")
    (line,) = until(lambda: troubles)

    assert "does it speak mqtt:// there, without TLS?" in line
    assert plays_on(table)


@needs_mosquitto
def test_plain_words_where_tls_is_spoken(table, join, troubles, tmp_path):
    with mosquitto(tmp_path / "tls", tls=True) as broker:
        join.stay(**broker.settings() | {"mqtt": f"mqtt://localhost:{broker.port}"})
        (line,) = until(lambda: troubles)

        assert "does it speak mqtts:// there, with TLS?" in line
        assert plays_on(table)


@needs_mosquitto
def test_no_right_to_write(table, join, troubles, tmp_path):
    with mosquitto(tmp_path / "tight", rights="topic read #") as broker:
        join.stay(**broker.settings())
        (line,) = until(lambda: troubles)

        assert "refuses what t1 says (Not authorized)" in line
        assert plays_on(table)


@needs_mosquitto
def test_a_second_tray_of_that_name(table, join, broker, troubles):
    join.stay()
    rival = address(broker.url, secret=str(broker.secret))
    quiet = client.BrokerEvents(*[lambda *_: None] * 5)
    second = client.BrokerClient(rival, "traykeeper-t1", quiet)
    second.start()
    until(lambda: any("is another called traykeeper-t1 there?" in line for line in troubles))
    second.close()

    assert plays_on(table)


@needs_mosquitto
def test_no_broker_and_one_that_comes_back_are_told_once(table, join, broker, troubles):
    broker.kill()
    join.stay()
    (line,) = until(lambda: troubles)
    broker.start()

    assert f"nobody listens at localhost:{broker.port}: does the broker run?" in line
    assert line.endswith("; trying again, the table plays on")
    assert plays_on(table)


def test_a_club_board_without_its_broker_is_told_of_no_table_and_no_setting(tmp_path, troubles):
    options = ClubOptions("mqtt://localhost:9", host="127.0.0.1", port=0, state=str(tmp_path))
    with serving(options, troubles.append):
        (line,) = until(lambda: troubles)

    assert line == (
        "traykeeper club: nobody listens at localhost:9: does the broker run?; trying again"
    )


def test_a_broker_that_speaks_an_older_mqtt(troubles):
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        Thread(target=greet_as_of_old, args=(server,), daemon=True).start()
        old = client.BrokerClient(
            address(f"mqtt://127.0.0.1:{server.getsockname()[1]}"),
            "t1",
            client.BrokerEvents(*[lambda *_: None] * 4, warn=troubles.append),
        )
        old.start()
        (line,) = until(lambda: troubles)
        old.close()

    assert "does not speak MQTT 5: Mosquitto does since 1.6; trying again" in line


def greet_as_of_old(server):
    """MQTT 3.1.1: connection refused, unacceptable protocol version."""
    connection, _ = server.accept()
    with connection:
        connection.recv(1024)
        connection.sendall(b"\x20\x02\x00\x01")
        connection.recv(1024)


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("broker", "is no address: write mqtt://"),
        ("http://broker", "is no address"),
        ("mqtt://", "is no address"),
        ("mqtt://broker:99999", "is no address"),
        ("mqtt://broker/club", "is no address"),
        ("mqtt://broker..local", "is no address: write mqtt://"),
        (f"mqtt://{'b' * 64}.local", "is no address"),
        ("mqtt://me:secret@broker", "belong into the file that mqtt_secret"),
    ],
)
def test_an_address_that_does_not_hold(url, words):
    with pytest.raises(UsageError, match="mqtt") as refused:
        address(url)

    assert words in str(refused.value)


def test_addresses_that_hold():
    assert str(address("mqtt://broker.local")) == "broker.local:1883"
    assert address("mqtts://broker.local").port == 8883
    assert address("mqtts://broker.local").tls
    assert address("mqtt://[fe80::1]:1884").host == "fe80::1"


def test_a_secret_that_others_can_read(tmp_path):
    secret = tmp_path / "mqtt.toml"
    secret.write_text(f'user = "a"\npassword = "{PASSWORD}"\n')
    secret.chmod(0o644)
    with pytest.raises(UsageError, match="others can read the password: chmod 600"):
        address("mqtt://broker", secret=str(secret))
    secret.chmod(0o600)

    there = address("mqtt://broker", secret=str(secret))

    assert there.password == PASSWORD
    assert PASSWORD not in repr(there)


def test_a_secret_without_its_two_lines(tmp_path):
    secret = tmp_path / "mqtt.toml"
    secret.touch(mode=0o600)
    secret.write_text("hunter2")
    with pytest.raises(UsageError, match="it needs two lines") as refused:
        address("mqtt://broker", secret=str(secret))

    assert "hunter2" not in str(refused.value)


def test_a_certificate_that_is_none(tmp_path):
    with pytest.raises(UsageError, match="no certificate can be read there"):
        address("mqtts://broker", ca=str(tmp_path / "none")).tls_context()


def test_names_of_trays():
    assert tray_name("table-3") == "table-3"
    assert tray_name("")
    with pytest.raises(UsageError, match="mqtt_tray"):
        tray_name("Tisch #3")


@pytest.mark.parametrize("found", ["no_such_module", "json"], ids=["none", "one that is too old"])
def test_without_paho_it_says_how_to_get_it_into_this_environment(monkeypatch, found):
    monkeypatch.setattr(sys, "executable", "/opt/my dice/bin/python3")
    monkeypatch.setattr(client, "import_module", lambda name: __import__(found))
    with pytest.raises(UsageError) as refused:
        client.BrokerClient(
            address("mqtt://broker"), "t1", client.BrokerEvents(*[lambda *_: None] * 5)
        )

    _, _, command = str(refused.value).rpartition(": ")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    paho = project["optional-dependencies"]["mqtt"]
    assert shlex.split(command) == ["/opt/my dice/bin/python3", "-m", "pip", "install", *paho]
