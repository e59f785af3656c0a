"""The connection to an MQTT broker: paho-mqtt's client, with each problem reported once and in plain words.

paho reconnects by itself and then sends unacknowledged QoS 1 messages again. MQTT 5 is required, because with earlier
versions a broker silently drops messages that it refuses.
"""

import logging
import shlex
import ssl
import sys
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from importlib import import_module
from socket import gaierror
from time import monotonic, time
from typing import Any

from device.errors import UsageError
from device.mqtt.address import Address

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
class Will:
    """A retained message that the broker publishes if a client disappears without disconnecting."""

    topic: str
    payload: str


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
        on_trouble: Called with one line when a problem has begun or changed.
    """

    on_connected: Callable[[], object] = lambda: None
    on_lost: Callable[[], object] = lambda: None
    on_message: Callable[[str, bytes], object] = lambda _topic, _payload: None
    on_acknowledged: Callable[[int, str | None], object] = lambda _number, _refusal: None
    on_trouble: Callable[[str], object] = lambda _trouble: None


class BrokerClient:
    """An MQTT client that reconnects to its broker by itself, between `start` and `close`.

    Args:
        address: Address of the broker.
        name: Client identifier, unique on the broker.
        events: Callbacks of the connection.
        will: Message that the broker publishes if the connection breaks; None if there is none.

    Attributes:
        state: The state of the connection. Any thread may read it.

    Raises:
        UsageError: If paho-mqtt is not installed, or the certificate cannot be read.
    """

    def __init__(
        self, address: Address, name: str, events: BrokerEvents, will: Will | None = None
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

    def _report(self, trouble: str) -> None:
        self.state = replace(self.state, trouble=trouble)
        if trouble != self._trouble:
            self._trouble = trouble
            self._events.on_trouble(f"{trouble}{RETRY_SUFFIX}")


def _paho_client(address: Address, name: str, will: Will | None) -> Any:
    mqtt = _import_paho()
    client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, client_id=name, protocol=mqtt.MQTTv5)
    if address.user is not None:
        client.username_pw_set(address.user, address.password)
    if context := address.tls_context():
        client.tls_set_context(context)
    if will:
        client.will_set(will.topic, will.payload, qos=1, retain=True)
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
