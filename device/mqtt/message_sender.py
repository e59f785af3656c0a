"""The messages that a tray publishes on a broker. docs/mqtt.md describes them."""

import json
from collections.abc import Mapping
from typing import Any

from device.mqtt.address import Address
from device.mqtt.client import BrokerClient, BrokerEvents, Will
from device.mqtt.discovery import discovery
from device.mqtt.topics import BIRTH, OFFLINE, ONLINE, Topics
from device.mqtt.tray_state import state_json
from game.journal.feed import FeedLine
from game.stats.announcements import announcements
from web.contracts import Snapshot


class MessageSender:
    """Sends the messages that one tray publishes over its connection to a broker.

    Args:
        address: Address of the broker.
        tray: Name of the tray in topics.
        events: Callbacks of the connection.
        discover: Whether to announce the tray to Home Assistant.

    Attributes:
        client: The connection to the broker.
        topics: The topics of the tray.
    """

    def __init__(
        self, address: Address, tray: str, events: BrokerEvents, *, discover: bool
    ) -> None:
        self.topics = Topics(tray)
        will = Will(self.topics.availability, OFFLINE)
        self.client = BrokerClient(address, f"traykeeper-{tray}", events, will)
        self._discover = discover
        self._last_state = ""

    def __repr__(self) -> str:
        return f"<MessageSender {self.topics.tray} by {self.client!r}>"

    def on_connected(self, page: str) -> None:
        """Subscribe to the tray's topics, publish that the tray is online, and announce it to Home Assistant.

        Everything is published again after each connection, because the broker may have lost it.
        """
        self._last_state = ""
        self.client.subscribe(self.topics.replay, self.topics.assign, BIRTH)
        self.client.publish(self.topics.availability, ONLINE, retain=True)
        self.announce(page)

    def announce(self, page: str) -> None:
        """Announce the tray to Home Assistant with the address of its page.

        If announcements are turned off in the settings, an earlier announcement is withdrawn instead.
        """
        payload = json.dumps(discovery(self.topics, page)) if self._discover else ""
        self.client.publish(self.topics.discovery, payload, retain=True)

    def on_home_assistant_birth(self, payload: bytes, page: str) -> None:
        """Announce the tray again if Home Assistant reports that it has started.

        Args:
            payload: The message that Home Assistant published on its birth topic.
            page: Address of the tray's page.
        """
        if self._discover and payload == ONLINE.encode():
            self.announce(page)
            self._last_state = ""

    def offline(self) -> None:
        """Publish that the tray is going offline."""
        self.client.publish(self.topics.availability, OFFLINE, retain=True)

    def entry(self, line: FeedLine, *, is_live: bool) -> int:
        """Publish an entry of the journal.

        Args:
            line: The entry, with the match before and after it.
            is_live: Whether the step has just happened. Only then are moments (such as a farkle) published, so
                that no lights flash for what happened during an outage.

        Returns:
            The number of the message, which the broker's acknowledgement repeats.
        """
        if is_live:
            for moment in announcements(line.before, line.match):
                self.client.publish(self.topics.moment, compact_json(moment), qos=0)
        return self.client.publish(self.topics.event, compact_json(line.entry.to_json()))

    def state(self, snapshot: Snapshot, line: FeedLine | None) -> None:
        """Publish the state of the tray and its match, unless it has not changed.

        Args:
            snapshot: The current state of the tray and its match.
            line: The last entry that was published; None if there is none.
        """
        state = compact_json(state_json(snapshot, line))
        if state != self._last_state:
            self._last_state = state
            self.client.publish(self.topics.state, state, retain=True)

    def replay_answer(self, board: str, answer: Mapping[str, Any]) -> None:
        """Answer a club board that has missed entries.

        Args:
            board: Name of the club board.
            answer: The answer, as returned by `GapReplay.answer`.
        """
        self.client.publish(self.topics.answer(board), compact_json(answer))

    def invitation_answer(self, invitation: str, *, is_accepted: bool) -> None:
        """Tell the club board whether the players accepted an invitation.

        Args:
            invitation: Identifier of the invitation.
            is_accepted: Whether the match begins.
        """
        answer = compact_json({"id": invitation, "accepted": is_accepted})
        self.client.publish(self.topics.assigned, answer)


def compact_json(data: Mapping[str, Any]) -> str:
    """Return data as JSON without spaces."""
    return json.dumps(data, separators=(",", ":"), ensure_ascii=False)
