"""The two views of the table: a snapshot for the phones, and an indicator for the lamp."""

from dataclasses import replace
from threading import Condition

from device.companion.table_parts import TableParts
from device.hardware.lamp import LAMPS
from device.hardware.voice import spoken_text
from device.session.indicator import STUCK_S, Indicator, indicator_for
from device.session.table_state import NeedsAttention, OpenQuestion
from game.stats.announcements import has_banked
from web.contracts.coach import Coaching
from web.contracts.table import Snapshot


class SnapshotPublisher:
    """Publishes what the table shows, on the phones and at the tray.

    Args:
        parts: The parts of the table.

    Attributes:
        snapshot: The newest snapshot; any thread may read it.
        join_url: Address to which the QR code leads.
        held_s: How long the button has been down, in seconds; None if it is up.
    """

    def __init__(self, parts: TableParts) -> None:
        self._parts = parts
        self.join_url = ""
        self.held_s: float | None = None
        self.snapshot = self._draw(1, self._indicator)
        self._published = Condition()

    def wait(self, after: int, timeout_s: float) -> Snapshot | None:
        """Implement `Table.wait`: return a snapshot newer than version `after`, or None after the timeout."""
        with self._published:
            is_newer = self._published.wait_for(lambda: self.snapshot.version > after, timeout_s)
            return self.snapshot if is_newer else None

    def publish(self) -> Snapshot:
        """Publish a snapshot if the table shows anything new, and return the newest snapshot."""
        before, indicator = self.snapshot, self._indicator
        drawn = self._draw(before.version, indicator)
        if drawn == before:
            return before
        with self._published:
            self.snapshot = replace(drawn, version=before.version + 1)
            self._published.notify_all()
        words = spoken_text(drawn.message, drawn.advice)
        banked = has_banked(before.match, drawn.match)
        self._parts.output.show(indicator, words, banked=banked)
        return self.snapshot

    @property
    def has_news(self) -> bool:
        """Whether something has changed that can change although no note arrives, such as the lamp or a problem."""
        parts, shown = self._parts, self.snapshot
        return (
            shown.lamp != LAMPS[self._indicator]
            or shown.troubles != parts.troubles.at_the_table
            or shown.scorekeeper != parts.scorekeeper.view()
            or shown.other_tray != parts.other_tray()
            or shown.unread_throw != parts.session.table.unread_throw
        )

    @property
    def _indicator(self) -> Indicator:
        """What the lamp should show in the current state of the table."""
        parts, session = self._parts, self._parts.session
        held_s = STUCK_S if parts.button.is_stuck else self.held_s
        return indicator_for(
            session.table.situation,
            session.table.match,
            held_s=held_s or 0.0,
            has_camera=session.camera.is_present or not parts.camera.is_expected,
            started=session.camera.is_known,
            moved=parts.camera.drift.has_moved,
            testing=parts.camera.wizard.page.colour,
            asked=parts.scorekeeper.view().by_button,
            safe_mode=parts.safe_mode is not None,
            may_shut_down=session.may_shut_down,
            is_elsewhere=session.table.is_elsewhere,
        )

    def _draw(self, version: int, indicator: Indicator) -> Snapshot:
        """Return everything that a phone needs to draw the table.

        Args:
            version: Version of the snapshot.
            indicator: The current indicator for the lamp.
        """
        parts, session, camera = self._parts, self._parts.session, self._parts.camera
        table, match, overlay = session.table, session.table.match, session.table.overlay
        return Snapshot(
            version=version,
            situation=table.situation,
            message=table.message,
            lamp=LAMPS[indicator],
            advice=overlay.advice if isinstance(overlay, NeedsAttention) else (),
            match=match,
            step=table.live_match.steps,
            rolloff=table.rolloff if match is None and table.dice_log is None else None,
            photo=parts.pictures.photo(table),
            just_dice=table.dice_log,
            unread_throw=table.unread_throw,
            question=overlay.question if isinstance(overlay, OpenQuestion) else None,
            choices=table.choices,
            has_ignored_objects=session.results.has_ignored_objects,
            simulated=parts.simulated_tray is not None,
            camera=camera.name,
            hands_off=parts.hands_off,
            join_url=self.join_url,
            calibrated=camera.is_calibrated,
            notice=camera.notice,
            troubles=parts.troubles.at_the_table,
            safe_mode=parts.safe_mode is not None,
            scorekeeper=parts.scorekeeper.view(),
            coach=parts.coach.coaching(match) if parts.coach else Coaching(),
            other_tray=parts.other_tray(),
        )
