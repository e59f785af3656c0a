"""Whether the broker that the settings name lets this tray in."""

import os
from queue import Empty, Queue

from device.broker.address import address
from device.broker.link import GOES_ON, BrokerClient, Ears
from device.doctor.finding import Finding, failed, ok, skipped
from device.doctor.patient import System
from device.doctor.troubles import NO_BROKER
from device.errors import UsageError

ANSWER_S = 8.0
"""Longer than a name that nobody knows takes to be looked up."""


def broker(patient: System) -> Finding:
    """Greets the broker as a client of its own, and leaves."""
    settings = patient.settings
    if not settings.mqtt:
        return skipped("none is set")
    try:
        there = address(settings.mqtt, secret=settings.mqtt_secret, ca=settings.mqtt_ca)
        said: Queue[str] = Queue()
        link = BrokerClient(there, f"traykeeper-doctor-{os.getpid()}", _ears(said))
    except UsageError as error:
        return failed(NO_BROKER, str(error))
    link.start()
    try:
        trouble = said.get(timeout=ANSWER_S)
    except Empty:
        trouble = f"{there} does not answer"
    finally:
        link.close()
    return failed(NO_BROKER, trouble) if trouble else ok(f"{there} lets us in")


def _ears(said: "Queue[str]") -> Ears:
    """An empty word once greeted, or the trouble."""
    return Ears(
        connected=lambda: said.put(""),
        lost=lambda: None,
        heard=lambda _topic, _payload: None,
        acknowledged=lambda _number, _refusal: None,
        warn=lambda line: said.put(line.removesuffix(GOES_ON)),
    )
