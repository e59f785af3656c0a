"""The connection to an MQTT broker: paho-mqtt's client, with each problem reported once and in plain words.

paho reconnects by itself and then sends unacknowledged QoS 1 messages again. MQTT 5 is required, because with earlier
versions a broker silently drops messages that it refuses.
"""

import logging
import re
import shlex
import socket
import ssl
import sys
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from importlib import import_module
from socket import gaierror
from time import monotonic, time
from typing import Any

from device.addresses import NetworkAddress
from device.errors import UsageError
from device.files import read_secret_file
from game.errors import quoted

MAX_NAME_LENGTH = 40
EXAMPLE = "mqtt://broker.local, or mqtts://broker.local:8883"

ROOT = "traykeeper"

BIRTH = "homeassistant/status"
"""Topic on which Home Assistant reports that it has started and that devices must be announced again."""

ONLINE, OFFLINE = "online", "offline"
_BOARD = re.compile(r"[a-z0-9-]{1,40}")


@dataclass(frozen=True, slots=True)
class Address(NetworkAddress):
    """A broker and the user who connects to it.

    Attributes:
        ca: File with the certificate of the authority that signed the broker's certificate; None trusts the
            system's authorities.
        secret: File that the user name and password were read from, for messages; None if there is none.
    """

    ca: str | None = None
    user: str | None = field(default=None, repr=False)
    password: str | None = field(default=None, repr=False)
    secret: str | None = None

    @property
    def tls(self) -> bool:
        """Whether the connection uses TLS."""
        return self.scheme == "mqtts"

    def tls_context(self) -> ssl.SSLContext | None:
        """Return the TLS context that checks the broker's certificate, or None without TLS.

        The certificate of a home-made authority rarely contains everything that RFC 5280 requires. Python 3.13
        rejects such a certificate by default; 3.12 did not. If the user names an authority, it is trusted anyway.

        Raises:
            UsageError: If the file `ca` contains no readable certificate.
        """
        if not self.tls:
            return None
        try:
            context = ssl.create_default_context(cafile=self.ca)
        except (OSError, ssl.SSLError) as error:
            raise UsageError(
                f"{self.ca}: this file contains no readable certificate ({error})"
            ) from None
        if self.ca:
            context.verify_flags &= ~ssl.VERIFY_X509_STRICT
        return context


def parse_address(url: str, *, secret: str = "", ca: str = "") -> Address:
    """Parse the URL of a broker, and read the user name and password for it.

    Args:
        url: `mqtt://HOST[:PORT]` or `mqtts://HOST[:PORT]`.
        secret: File with the user name and password; empty connects without them.
        ca: File with the certificate of the authority that signed the broker's certificate; empty trusts the
            system's authorities.

    Raises:
        UsageError: If the URL or the file `secret` is not valid.
    """
    found = NetworkAddress.parse(url, ("mqtt", "mqtts"))
    if "@" in url:
        raise UsageError(
            "the broker address contains a user name: move the user name and password to a file, "
            "and name it in mqtt_secret (for the club: --secret)"
        )
    if found is None or found.path != "/":
        raise UsageError(f"this is not the address of a broker: write {EXAMPLE}")
    user, password = _read_secret(secret) if secret else (None, None)
    return Address(
        found.scheme,
        found.host,
        found.port,
        ca=ca or None,
        user=user,
        password=password,
        secret=secret or None,
    )


def _read_secret(path: str) -> tuple[str, str]:
    """Read the user name and password from a file with the lines `user = "..."` and `password = "..."`."""
    expected = 'two lines, user = "..." and password = "..."'
    table = read_secret_file(path, "mqtt_secret (for the club: --secret)", expected)
    return table.line("user"), table.line("password")


def tray_name(wanted: str) -> str:
    """Return the name of the tray in MQTT topics: `wanted` from the settings, or the host name if it is empty.

    Raises:
        UsageError: If the name contains characters other than `a-z`, digits, `-` and `_`, or is too long.
    """
    name = wanted or re.sub(r"[^a-z0-9-]+", "-", socket.gethostname().lower()).strip("-")
    if not is_tray_name(name[:MAX_NAME_LENGTH] if not wanted else name):
        raise UsageError(
            f"mqtt_tray: {quoted(wanted)} cannot be the name of a tray: "
            f"use 1 to {MAX_NAME_LENGTH} of the letters a-z, digits, - and _"
        )
    return name[:MAX_NAME_LENGTH]


def is_tray_name(name: str) -> bool:
    """Return whether a text can be the name of a tray in MQTT topics."""
    return bool(re.fullmatch(rf"[a-z0-9_-]{{1,{MAX_NAME_LENGTH}}}", name))


class Topics:
    """The MQTT topics of one tray, or of every tray.

    Args:
        tray: Name of the tray; "+" matches every tray.

    Attributes:
        tray: Name of the tray.
        availability: Availability of the tray, `online` or `offline`.
        state: Current state of the tray and its match; the broker retains the last message.
        event: Entries of the journal.
        moment: Special moments of a match, such as a farkle, for lights and sounds.
        replay: Requests of club boards for missed entries.
        assign: Matches that a club board assigns to the tray.
        assigned: Whether the tray accepts or declines a match that a club board has assigned to it.
        discovery: The announcement of the tray to Home Assistant.
    """

    def __init__(self, tray: str) -> None:
        self.tray = tray
        self.availability = f"{ROOT}/{tray}/availability"
        self.state = f"{ROOT}/{tray}/state"
        self.event = f"{ROOT}/{tray}/event"
        self.moment = f"{ROOT}/{tray}/moment"
        self.replay = f"{ROOT}/{tray}/replay"
        self.assign = f"{ROOT}/{tray}/assign"
        self.assigned = f"{self.assign}/answer"
        self.discovery = f"homeassistant/device/{ROOT}_{tray}/config"

    def answer(self, board: str) -> str:
        """Return the topic on which a club board receives the answers to its requests."""
        return f"{self.replay}/{board}"


def is_board(name: object) -> bool:
    """Return whether a value can be the name of a club board in topics."""
    return isinstance(name, str) and _BOARD.fullmatch(name) is not None


log = logging.getLogger(__name__)

KEEPALIVE_S = 20
"""Keep-alive interval in seconds. A broker declares a client gone after one and a half times this."""

RETRY_S = (1, 30)
"""First and longest wait between two attempts to connect, in seconds; paho doubles the wait each time."""

STABLE_S, MAX_SHORT = 5.0, 3
"""If `MAX_SHORT` connections in a row last less than `STABLE_S` seconds each, another client has the same name.

The two clients then take the session from each other. Mosquitto 2.0.11 does not send the reason code for that.
"""

MAX_QUEUED = 1_000
"""Largest number of messages in paho's queue. Only a few hundred ever wait there; the rest wait in the journal."""

MAX_REASON_LENGTH = 200

PAHO = "paho-mqtt>=2.1"
"""The requirement in the extra `mqtt` of pyproject.toml; both must be the same."""

RETRY_SUFFIX = "; trying again"
"""The end of every message about a problem."""


@dataclass(frozen=True, slots=True)
class BrokerState:
    """The state of the connection to a broker.

    Attributes:
        broker: Address of the broker without secrets; "" if the settings name none that can be used.
        is_connected: Whether the broker has accepted the connection, and it has not been lost since.
        since_s: When the connection was made or lost, or when the first attempt began, in seconds since 1970.
        trouble: One line about the latest problem; "" if there was none.
    """

    broker: str
    is_connected: bool = False
    since_s: float = field(default_factory=time)
    trouble: str = ""


@dataclass(frozen=True, slots=True)
class BrokerEvents:
    """Callbacks for a connection to a broker. They run on the client's thread and must return quickly.

    Attributes:
        on_connected: Called when the broker has accepted the connection.
        on_lost: Called when the connection has been lost, or could not be made.
        on_message: Called with the topic and payload of each message that arrives.
        on_acknowledged: Called when the broker has answered a message, with two arguments: the message's number,
            and why the broker refused it (None if it did not).
        on_subscription_refused: Called with the reason when the broker has refused a subscription.
        on_trouble: Called with one line when a problem has begun or changed.
    """

    on_connected: Callable[[], object] = lambda: None
    on_lost: Callable[[], object] = lambda: None
    on_message: Callable[[str, bytes], object] = lambda _topic, _payload: None
    on_acknowledged: Callable[[int, str | None], object] = lambda _number, _refusal: None
    on_subscription_refused: Callable[[str], object] = lambda _refusal: None
    on_trouble: Callable[[str], object] = lambda _trouble: None


class BrokerClient:
    """An MQTT client that reconnects to its broker by itself, between `start` and `close`.

    Args:
        address: Address of the broker.
        name: Client identifier, unique on the broker.
        events: Callbacks of the connection.
        will: Topic and payload of a retained message that the broker publishes if the connection breaks; None if there
            is none.

    Attributes:
        state: The state of the connection. Any thread may read it.

    Raises:
        UsageError: If paho-mqtt is not installed, or the certificate cannot be read.
    """

    def __init__(
        self, address: Address, name: str, events: BrokerEvents, will: tuple[str, str] | None = None
    ) -> None:
        self._address, self._name, self._events = address, name, events
        self._trouble = ""
        self.state = BrokerState(str(address))
        self._is_closing, self._n_short = False, 0
        self._connected_s: float | None = None
        self._client = _paho_client(address, name, will)
        self._client.on_connect = self._on_connect
        self._client.on_connect_fail = self._on_connect_fail
        self._client.on_disconnect = self._on_disconnect
        self._client.on_message = self._on_message
        self._client.on_publish = self._on_publish
        self._client.on_subscribe = self._on_subscribe

    def __repr__(self) -> str:
        connected = bool(self._client.is_connected())
        return f"<BrokerClient {self._name} to {self._address}, connected={connected}>"

    def start(self) -> None:
        """Connect in the background."""
        self._client.connect_async(self._address.host, self._address.port, KEEPALIVE_S)
        self._client.loop_start()

    def close(self) -> None:
        """Disconnect from the broker and end the client's thread."""
        self._is_closing = True
        self._client.disconnect()
        self._client.loop_stop()

    def publish(self, topic: str, payload: str, *, qos: int = 1, retain: bool = False) -> int:
        """Send a message now, or as soon as the broker can be reached again.

        Args:
            topic: Topic to publish on.
            payload: Text of the message. An empty retained message deletes the retained one.
            qos: 1 sends the message again until it is acknowledged; 0 sends it once.
            retain: Whether the broker keeps the message for later subscribers.

        Returns:
            The number of the message, which `BrokerEvents.on_acknowledged` repeats.
        """
        return int(self._client.publish(topic, payload, qos=qos, retain=retain).mid)

    def subscribe(self, *topics: str) -> None:
        """Subscribe to topics. Call this after each connection, because the broker forgets subscriptions."""
        for topic in topics:
            self._client.subscribe(topic, qos=1)

    # Callbacks that paho calls on its own thread

    def _on_connect(self, _client: Any, _data: Any, _flags: Any, reason: Any, _props: Any) -> None:
        if reason.is_failure:
            self._report(_refusal(str(reason), self._address))
            return
        self._connected_s = monotonic()
        self.state = BrokerState(str(self._address), is_connected=True)
        self._events.on_connected()

    def _on_connect_fail(self, _client: Any, _data: Any) -> None:
        error = sys.exc_info()[1]  # paho calls this while it is handling the error
        self._report(_failure(error, self._address))
        self._events.on_lost()

    def _on_disconnect(
        self, _client: Any, _data: Any, _flags: Any, reason: Any, _props: Any
    ) -> None:
        if self.state.is_connected:
            self.state = BrokerState(str(self._address))
        self._events.on_lost()
        if self._is_closing:
            return
        connected_s, self._connected_s = self._connected_s, None
        if connected_s is not None:
            self._on_connection_lost(monotonic() - connected_s, str(reason))
        elif not self._trouble:
            self._report(f"the broker {self._address} hangs up: {_try_other(self._address)}")

    def _on_connection_lost(self, duration_s: float, reason: str) -> None:
        if duration_s >= STABLE_S:
            self._n_short, self._trouble = 0, ""
        else:
            self._n_short += 1
        if reason == "Session taken over" or self._n_short >= MAX_SHORT:
            self._report(
                f"the broker {self._address} keeps closing the connection: "
                f"check that no other client is called {self._name}"
            )
        else:
            self._report(f"the connection to the broker {self._address} is lost")

    def _on_message(self, _client: Any, _data: Any, message: Any) -> None:
        try:
            self._events.on_message(message.topic, message.payload)
        except Exception:  # an exception would end paho's thread
            log.exception("failed to handle a message on %s", message.topic)

    def _on_publish(self, _client: Any, _data: Any, mid: int, reason: Any, _props: Any) -> None:
        self._events.on_acknowledged(mid, str(reason) if reason.is_failure else None)

    def _on_subscribe(self, _client: Any, _data: Any, _mid: int, reasons: Any, _props: Any) -> None:
        for reason in reasons:
            if reason.is_failure:
                self._events.on_subscription_refused(str(reason))

    def _report(self, trouble: str) -> None:
        self.state = replace(self.state, trouble=trouble)
        if trouble != self._trouble:
            self._trouble = trouble
            self._events.on_trouble(f"{trouble}{RETRY_SUFFIX}")


def _paho_client(address: Address, name: str, will: tuple[str, str] | None) -> Any:
    mqtt = _import_paho()
    client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, client_id=name, protocol=mqtt.MQTTv5)
    if address.user is not None:
        client.username_pw_set(address.user, address.password)
    if context := address.tls_context():
        client.tls_set_context(context)
    if will:
        client.will_set(*will, qos=1, retain=True)
    client.reconnect_delay_set(*RETRY_S)
    client.max_queued_messages_set(MAX_QUEUED)
    return client


def _refusal(reason: str, address: Address) -> str:
    """Return one line that says why the broker refused a connection, given its MQTT 5 reason, and what to do."""
    if reason == "Unsupported protocol version":
        return f"the broker {address} does not support MQTT 5: update it (Mosquitto has supported it since 1.6)"
    if reason in ("Bad user name or password", "Not authorized"):
        remedy = (
            f"correct them in {address.secret}"
            if address.secret
            else "name a file with them in mqtt_secret (for the club: --secret)"
        )
        return f"the broker {address} refuses the user name or password: {remedy}"
    return f"the broker {address} refuses the connection: {reason[:MAX_REASON_LENGTH]}"


def _failure(error: BaseException | None, address: Address) -> str:
    """Return one line that says why no connection to the broker could be made, and what to do."""
    match error:
        case ssl.SSLCertVerificationError():
            return (
                f"the certificate of {address} is not trusted ({error.verify_message}): "
                "name the authority that signed it in mqtt_ca (for the club: --ca)"
            )
        case ssl.SSLError() | ConnectionResetError() if address.tls:
            return f"no TLS connection to {address} ({error}): {_try_other(address)}"
        case ConnectionRefusedError():
            return f"no broker answers at {address}: check that it is running"
        case gaierror():
            return f"the host name {address.host} is unknown: check its spelling"
        case TimeoutError():
            return f"{address} is not answering: check that the broker is running there"
    return f"no connection to {address} ({error})"


def _try_other(address: Address) -> str:
    return "try mqtt://, without TLS" if address.tls else "try mqtts://, with TLS"


def _import_paho() -> Any:
    try:
        mqtt = import_module("paho.mqtt.client")
    except ModuleNotFoundError:
        raise UsageError(f"mqtt: paho-mqtt is not installed: {_install_command()}") from None
    if not hasattr(mqtt, "CallbackAPIVersion"):
        raise UsageError(f"mqtt: the installed paho-mqtt is too old: {_install_command()}")
    return mqtt


def _install_command() -> str:
    """Return the command that installs paho for this Python; another `pip` might install it elsewhere."""
    return shlex.join((sys.executable, "-m", "pip", "install", PAHO))
