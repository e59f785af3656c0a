"""A real Mosquitto on the loopback interface, with password and TLS, that can be killed and restarted."""

import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import SystemRandom
from threading import Event

import paho.mqtt.client as mqtt
import pytest

from tests.waiting import PATIENCE_S, until

PROGRAM = shutil.which("mosquitto", path="/usr/sbin:/usr/local/sbin:/usr/bin")
USER, PASSWORD = "club", "loaded dice"

needs_mosquitto = pytest.mark.skipif(
    PROGRAM is None, reason="needs Debian's mosquitto: apt install mosquitto"
)


@dataclass
class Mosquitto:
    """A broker with its own folder, which can be started and killed any number of times."""

    folder: Path
    tls: bool = False
    rights: str = ""
    more: str = ""
    port: int = 0
    process: subprocess.Popen | None = field(default=None, repr=False)

    @property
    def url(self) -> str:
        return f"{'mqtts' if self.tls else 'mqtt'}://localhost:{self.port}"

    @property
    def secret(self) -> Path:
        """The file for `mqtt_secret`."""
        path = self.folder / "secret.toml"
        path.touch(mode=0o600)
        path.write_text(f'user = "{USER}"\npassword = "{PASSWORD}"\n')
        return path

    @property
    def ca(self) -> Path | None:
        return self.folder / "ca.crt" if self.tls else None

    def settings(self) -> dict[str, str]:
        """Return the settings of a tray for this broker."""
        return {
            "mqtt": self.url,
            "mqtt_secret": str(self.secret),
            "mqtt_ca": str(self.ca) if self.ca else "",
        }

    def start(self) -> None:
        self.port = self.port or _free_port()
        config = self.folder / "mosquitto.conf"
        config.write_text(self._config())
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen([PROGRAM, "-c", str(config)], stdout=log, stderr=log)
        try:
            until(self._answers)
        except AssertionError:
            raise AssertionError((self.folder / "log").read_text()) from None

    def _answers(self) -> bool:
        with closing(socket.socket()) as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def _config(self) -> str:
        passwords = self.folder / "passwords"
        tool = ["mosquitto_passwd", "-c", "-b", str(passwords), USER, PASSWORD]
        subprocess.run(tool, check=True, capture_output=True)
        lines = [
            f"listener {self.port} 127.0.0.1",
            "user root",
            "allow_anonymous false",
            f"password_file {passwords}",
        ]
        if self.rights:
            (self.folder / "rights").write_text(f"user {USER}\n{self.rights}\n")
            lines.append(f"acl_file {self.folder / 'rights'}")
        if self.more:
            lines.append(self.more)
        if self.tls:
            certify(self.folder)
            lines += [f"certfile {self.folder / 'broker.crt'}", f"keyfile {self.folder / 'key'}"]
        return "\n".join(lines) + "\n"

    def kill(self) -> None:
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process = None


def certify(folder: Path) -> None:
    """Create an authority (ca.crt) and its certificate for localhost (broker.crt, key)."""
    if (folder / "ca.crt").exists():
        return
    new = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2"
    _run(f"{new} -keyout ca.key -out ca.crt -subj /CN=club", folder)
    _run(
        f"{new} -keyout key -out broker.crt -subj /CN=localhost -CA ca.crt -CAkey ca.key "
        "-addext subjectAltName=DNS:localhost -addext basicConstraints=critical,CA:FALSE",
        folder,
    )


def _run(command: str, folder: Path) -> None:
    subprocess.run(command.split(), cwd=folder, check=True, capture_output=True)


def _free_port() -> int:
    """Return a port below the kernel's range for connections, so that it stays free while the broker is away."""
    while True:
        port = SystemRandom().randrange(20_000, 32_000)
        with suppress(OSError), closing(socket.create_server(("127.0.0.1", port))):
            return port


@contextmanager
def mosquitto(
    folder: Path, *, tls: bool = False, rights: str = "", more: str = ""
) -> Iterator[Mosquitto]:
    """Run a broker, with additional lines of configuration in `more`."""
    folder.mkdir(parents=True, exist_ok=True)
    broker = Mosquitto(folder, tls, rights, more)
    broker.start()
    try:
        yield broker
    finally:
        broker.kill()


class Listener:
    """A client that receives every message and can publish any.

    Attributes:
        heard: Topic, payload and retain flag of every message, in order.
        listening: Set while the broker sends it every message.
    """

    def __init__(self, broker: Mosquitto) -> None:
        self.heard: list[tuple[str, bytes, bool]] = []
        version = mqtt.CallbackAPIVersion.VERSION2
        self._client = mqtt.Client(version, protocol=mqtt.MQTTv5)
        self._client.username_pw_set(USER, PASSWORD)
        if broker.ca:
            self._client.tls_set(str(broker.ca))
        self._client.on_message = self._on_message
        self._client.on_connect = lambda client, *_: client.subscribe("#", qos=1)
        self.listening = Event()
        self._client.on_subscribe = lambda *_: self.listening.set()
        self._client.on_disconnect = lambda *_: self.listening.clear()
        self._client.reconnect_delay_set(0.02, 0.02)
        self._client.connect("localhost", broker.port)
        self._client.loop_start()
        assert self.listening.wait(PATIENCE_S), "the broker does not let the listener listen"

    def _on_message(self, _client, _data, message) -> None:
        self.heard.append((message.topic, message.payload, bool(message.retain)))

    def on(self, topic: str) -> list[bytes]:
        """Return all payloads received on a topic, in order."""
        return [payload for where, payload, _ in list(self.heard) if where == topic]

    def say(self, topic: str, payload: str | bytes, *, retain: bool = False) -> None:
        self._client.publish(topic, payload, qos=1, retain=retain).wait_for_publish(PATIENCE_S)

    def close(self) -> None:
        self._client.disconnect()
        self._client.loop_stop()
