"""The two views of the table: a snapshot for the phones, and an indicator for the lamp."""

from dataclasses import dataclass, field, replace
from threading import Condition

from device.hardware.lamp import LAMPS
from device.hardware.outputs import Signals
from device.hardware.voice import spoken_text
from device.session.indicator import Indicator, indicator_for
from device.session.session import Session
from device.session.table_state import NeedsAttention, OpenQuestion
from game.message import Message
from game.stats.announcements import has_banked
from web.contracts.coach import Coaching
from web.contracts.shared_match import OtherTrayView
from web.contracts.table import Photo, ScorekeeperView, Snapshot


@dataclass(frozen=True, slots=True)
class Troubles:
    """The current problems of the companion; an attribute is None if there is no such problem.

    Attributes:
        camera: Why there is no camera.
        journal: Why the last step could not be written.
        record: What happened to the journal when it was opened, or when it was repaired.
        output: What is wrong with the button, the lamp, the buzzer or the voice.
        safe_mode: Why Traykeeper runs in safe mode.
    """

    camera: Message | None = None
    journal: Message | None = None
    record: Message | None = None
    output: Message | None = None
    safe_mode: Message | None = None

    @property
    def at_the_table(self) -> tuple[Message, ...]:
        """The problems to show to everybody, except a missing camera, which the table's message reports."""
        known = (self.safe_mode, self.record, self.journal, self.output)
        return tuple(each for each in known if each)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The parts of a snapshot besides the session: the camera, photos, calibration, problems and so on.

    Attributes:
        simulated: Whether the tray is simulated.
        camera: Name of the camera; None while there is none.
        by_phone: Whether phones take the pictures, so that no camera is needed.
        hands_off: Whether thrown dice are read without a press of the button.
        photo: The photo of the open question or the last throw; None if there is none.
        join_url: Address to which the QR code leads.
        held_s: How long the button has been down, in seconds; None if it is up.
        moved: Whether the tray has moved since it was calibrated.
        testing: The colour of the lamp that calibration is asking about; "" if it is not asking.
        calibrated: Whether the camera is calibrated, or needs no calibration.
        notice: What people should know about the calibration; None if there is nothing.
        troubles: The current problems of the companion.
        scorekeeper: Which phone may change the match.
        other_tray: The other tray of a shared match; None if there is none.
    """

    simulated: bool
    camera: str | None = None
    by_phone: bool = False
    hands_off: bool = False
    photo: Photo | None = None
    join_url: str = ""
    held_s: float | None = None
    moved: bool = False
    testing: str = ""
    calibrated: bool = True
    notice: Message | None = None
    troubles: Troubles = field(default_factory=Troubles)
    scorekeeper: ScorekeeperView = field(default_factory=ScorekeeperView)
    other_tray: OtherTrayView | None = None


def draw(version: int, session: Session, around: Surroundings, coaching: Coaching) -> Snapshot:
    """Return everything that a phone needs to draw the table.

    Args:
        version: Version of the snapshot.
        session: The session, with the state of the table.
        around: The parts of the snapshot besides the session, such as the camera and the photo.
        coaching: The coach's advice.
    """
    table, match, overlay = session.table, session.table.match, session.table.overlay
    return Snapshot(
        version=version,
        situation=table.situation,
        message=table.message,
        lamp=LAMPS[indicator_of(session, around)],
        advice=overlay.advice if isinstance(overlay, NeedsAttention) else (),
        match=match,
        step=table.live_match.steps,
        rolloff=table.rolloff if match is None and table.dice_log is None else None,
        photo=around.photo,
        just_dice=table.dice_log,
        unread_throw=table.unread_throw,
        question=overlay.question if isinstance(overlay, OpenQuestion) else None,
        choices=table.choices,
        has_ignored_objects=session.results.has_ignored_objects,
        simulated=around.simulated,
        camera=around.camera,
        hands_off=around.hands_off,
        join_url=around.join_url,
        calibrated=around.calibrated,
        notice=around.notice,
        troubles=around.troubles.at_the_table,
        safe_mode=around.troubles.safe_mode is not None,
        scorekeeper=around.scorekeeper,
        coach=coaching,
        other_tray=around.other_tray,
    )


def indicator_of(session: Session, around: Surroundings) -> Indicator:
    """Return what the lamp shows in the current state of the table.

    Args:
        session: The session, with the state of the table.
        around: The parts of the snapshot besides the session, such as the camera and the photo.
    """
    return indicator_for(
        session.table.situation,
        session.table.match,
        held_s=around.held_s or 0.0,
        has_camera=session.camera.is_present or around.by_phone,
        started=session.camera.is_known,
        moved=around.moved,
        testing=around.testing,
        asked=around.scorekeeper.by_button,
        safe_mode=around.troubles.safe_mode is not None,
        may_shut_down=session.may_shut_down,
        is_elsewhere=session.table.is_elsewhere,
    )


class SnapshotPublisher:
    """Publishes what the table shows, on the phones and at the tray.

    Args:
        first: The snapshot that is shown until another one is published.
        output: Lamp, buzzer and voice.

    Attributes:
        snapshot: The newest snapshot; any thread may read it.
    """

    def __init__(self, first: Snapshot, output: Signals) -> None:
        self.snapshot, self._output = first, output
        self._published = Condition()

    def wait(self, after: int, timeout_s: float) -> Snapshot | None:
        """Implement `Table.wait`: return a snapshot newer than version `after`, or None after the timeout."""
        with self._published:
            is_newer = self._published.wait_for(lambda: self.snapshot.version > after, timeout_s)
            return self.snapshot if is_newer else None

    def publish(self, drawn: Snapshot, indicator: Indicator) -> Snapshot:
        """Publish a snapshot if it shows anything new, and return the newest snapshot.

        Args:
            drawn: The current snapshot of the table, still with the version of the newest snapshot.
            indicator: The current indicator for the lamp.
        """
        before = self.snapshot
        if drawn == before:
            return before
        with self._published:
            self.snapshot = replace(drawn, version=before.version + 1)
            self._published.notify_all()
        words = spoken_text(drawn.message, drawn.advice)
        self._output.show(indicator, words, banked=has_banked(before.match, drawn.match))
        return self.snapshot
