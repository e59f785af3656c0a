"""The connection to a broker: kept up by itself, its troubles said once and in words.

MQTT 5, because only there a broker says that it refused a message instead of dropping it.
"""

import logging
import shlex
import ssl
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from socket import gaierror
from time import monotonic
from typing import Any

from device.errors import UsageError
from device.mqtt.address import Address

log = logging.getLogger(__name__)

KEEPALIVE_S = 20
"""The broker tells the others that we are gone after one and a half times this."""

RETRY_S = (1, 30)
"""Between attempts to connect: at first, and at most."""

SHORT_S, RIVAL_SHORTS = 5.0, 3
"""So many connections in a row, each shorter than that: a broker that hangs up on one of two who
have the same name. Not every broker says so."""

MAX_QUEUED = 1_000
"""Messages under way in paho. Ours are at most some hundreds: the rest waits in the journal."""

LONGEST_WORD = 200

PAHO = "paho-mqtt>=2.1"
"""As the extra `mqtt` in pyproject.toml has it."""

RETRY_SUFFIX = "; trying again"
"""The end of every trouble."""


@dataclass(frozen=True, slots=True)
class Will:
    """What the broker says for us once it misses us."""

    topic: str
    payload: str


@dataclass(frozen=True, slots=True)
class BrokerEvents:
    """Who is told; every call comes on the link's own thread, and must return soon.

    Attributes:
        connected: the broker has greeted us.
        lost: it is gone, or was never there.
        heard: a message, by topic and payload.
        acknowledged: the broker has taken the message of this number, or says why it refuses.
        warn: a trouble in one line, said when it begins, and where it changes.
    """

    connected: Callable[[], object]
    lost: Callable[[], object]
    heard: Callable[[str, bytes], object]
    acknowledged: Callable[[int, str | None], object]
    warn: Callable[[str], object]


class BrokerClient:
    """One client of a broker. `start`, later `close`; between them it connects again by itself.

    Args:
        address: where the broker is.
        name: the client's, unlike any other there.
        will: said by the broker when the line breaks.

    Raises:
        UsageError: paho-mqtt is not installed, or the certificate cannot be read.
    """

    def __init__(
        self, address: Address, name: str, ears: BrokerEvents, will: Will | None = None
    ) -> None:
        self._mqtt = _paho()
        self._address, self._name, self._ears = address, name, ears
        self._trouble = ""
        self._closing = False
        self._greeted_s: float | None = None
        self._shorts = 0
        self._client = self._made(will)

    def __repr__(self) -> str:
        return f"<BrokerClient {self._name} to {self._address.url}, connected={self.connected}>"

    def _made(self, will: Will | None) -> Any:
        version = self._mqtt.CallbackAPIVersion.VERSION2
        client = self._mqtt.Client(version, client_id=self._name, protocol=self._mqtt.MQTTv5)
        if self._address.user is not None:
            client.username_pw_set(self._address.user, self._address.password)
        if context := self._address.tls_context():
            client.tls_set_context(context)
        if will:
            client.will_set(will.topic, will.payload, qos=1, retain=True)
        client.reconnect_delay_set(*RETRY_S)
        client.max_queued_messages_set(MAX_QUEUED)
        client.on_connect, client.on_connect_fail = self._on_connect, self._on_connect_fail
        client.on_disconnect, client.on_message = self._on_disconnect, self._on_message
        client.on_publish = self._on_publish
        return client

    @property
    def connected(self) -> bool:
        return bool(self._client.is_connected())

    def start(self) -> None:
        self._client.connect_async(self._address.host, self._address.port, KEEPALIVE_S)
        self._client.loop_start()

    def close(self) -> None:
        self._closing = True
        self._client.disconnect()
        self._client.loop_stop()

    def publish(self, topic: str, payload: str, *, qos: int = 1, retain: bool = False) -> int:
        """Send it, or have it sent once the broker is back; gives the number to acknowledge."""
        return int(self._client.publish(topic, payload, qos=qos, retain=retain).mid)

    def subscribe(self, *topics: str) -> None:
        """Ask for these topics; to be said again each time the broker has greeted us."""
        self._client.subscribe([(topic, self._mqtt.SubscribeOptions(qos=1)) for topic in topics])

    # What paho says, on its thread

    def _on_connect(self, _client: Any, _data: Any, _flags: Any, reason: Any, _props: Any) -> None:
        if reason.is_failure:
            self._warn(self._refusal(str(reason)))
            return
        self._greeted_s = monotonic()
        self._ears.connected()

    def _on_connect_fail(self, _client: Any, _data: Any) -> None:
        error = sys.exc_info()[1]  # paho calls this while it handles the error
        self._warn(why(error, self._address))
        self._ears.lost()

    def _on_disconnect(
        self, _client: Any, _data: Any, _flags: Any, reason: Any, _props: Any
    ) -> None:
        self._ears.lost()
        if self._closing:
            return
        if self._greeted_s is None:
            self._warn(self._trouble or self._silence())
        else:
            self._broken(monotonic() - self._greeted_s, str(reason))
        self._greeted_s = None

    def _broken(self, lasted_s: float, reason: str) -> None:
        """A connection that stood for so long is gone."""
        rival = reason == "Session taken over"
        if lasted_s >= SHORT_S:
            self._shorts, self._trouble = 0, ""
        else:
            self._shorts += 1
        if rival or self._shorts >= RIVAL_SHORTS:
            self._warn(f"{self._address} hangs up on us: is another called {self._name} there?")
        else:
            self._warn(f"the broker {self._address} is gone")

    def _silence(self) -> str:
        return f"the broker {self._address} hangs up: does it speak {_other(self._address)}?"

    def _on_message(self, _client: Any, _data: Any, message: Any) -> None:
        try:
            self._ears.heard(message.topic, message.payload)
        except Exception:  # else paho would end the connection for good
            log.exception("a message on %s was not understood", message.topic)

    def _on_publish(self, _client: Any, _data: Any, mid: int, reason: Any, _props: Any) -> None:
        self._ears.acknowledged(mid, str(reason) if reason.is_failure else None)

    def _refusal(self, reason: str) -> str:
        if reason == "Unsupported protocol version":
            return f"the broker {self._address} does not speak MQTT 5: Mosquitto does since 1.6"
        if reason in ("Bad user name or password", "Not authorized"):
            where = (
                self._address.secret
                or "a file named by mqtt_secret (the club: --secret), which is not set"
            )
            return f"the broker {self._address} wants another user or password: see {where}"
        return f"the broker {self._address} refuses us: {reason[:LONGEST_WORD]}"

    def _warn(self, trouble: str) -> None:
        if trouble != self._trouble:
            self._trouble = trouble
            self._ears.warn(f"{trouble}{RETRY_SUFFIX}")


def why(error: BaseException | None, address: Address) -> str:
    """Why there is no connection, with the remedy."""
    match error:
        case ssl.SSLCertVerificationError():
            what = error.verify_message
            return (
                f"the certificate of {address} does not hold ({what}): "
                "mqtt_ca names who signed it (the club: --ca)"
            )
        case ssl.SSLError() | ConnectionResetError() if address.tls:
            return f"no TLS with {address} ({error}): does it speak {_other(address)}?"
        case ConnectionRefusedError():
            return f"nobody listens at {address}: does the broker run?"
        case gaierror():
            return f"nobody knows the name {address.host}: mind its spelling"
        case TimeoutError():
            return f"{address} does not answer: does the broker run there?"
    return f"no way to {address} ({error})"


def _other(address: Address) -> str:
    return "mqtt:// there, without TLS" if address.tls else "mqtts:// there, with TLS"


def _paho() -> Any:
    try:
        mqtt = import_module("paho.mqtt.client")
    except ModuleNotFoundError:
        raise UsageError(f"mqtt: paho-mqtt is not installed: {_install()}") from None
    if not hasattr(mqtt, "CallbackAPIVersion"):
        raise UsageError(f"mqtt: this paho-mqtt is too old: {_install()}")
    return mqtt


def _install() -> str:
    """Into the environment that is at work: any other pip puts it elsewhere, or is refused."""
    return shlex.join((sys.executable, "-m", "pip", "install", PAHO))
