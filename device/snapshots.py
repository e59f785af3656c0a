"""What is shown of the table: the snapshot for the phones and the sign for the lamp, drawn anew each time."""

from dataclasses import dataclass, field

from device.hardware.lamp import LAMPS
from device.session.indicator import Indicator, indicator_for
from device.session.session import Session
from device.session.table_state import NeedsAttention, OpenQuestion
from game.message import Message
from web.contracts.coach import Coaching
from web.contracts.table import Photo, ScorekeeperView, Snapshot


@dataclass(frozen=True, slots=True)
class Troubles:
    """What the running companion knows to be wrong: a line for each part, empty where all is well.

    Attributes:
        camera: why there is none.
        journal: why the last step could not be written.
        record: what happened to the journal when it was opened.
        output: which of button, lamp, buzzer and voice fail.
    """

    camera: Message | None = None
    journal: Message | None = None
    record: Message | None = None
    output: Message | None = None

    @property
    def at_the_table(self) -> tuple[Message, ...]:
        """What everybody at the table has to know; a camera that is away is told there anyway."""
        return tuple(each for each in (self.record, self.journal, self.output) if each)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What is around the session: the parts of the table as they stand now.

    Attributes:
        by_phone: whether phones take the pictures, and no camera is missed.
        hands_off: whether thrown dice are read by themselves.
        photo: the picture of what is in view, if there is one.
        held_s: for how long the button is down; None where it is not.
        moved: whether the tray lies elsewhere than it was calibrated.
        testing: the colour that calibration asks about.
        calibrated: whether camera and tray were fitted to each other, or need not be.
        notice: what has changed since then.
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


def draw(version: int, session: Session, around: Surroundings, coaching: Coaching) -> Snapshot:
    """All that a phone needs, at this moment."""
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
        scorekeeper=around.scorekeeper,
        coach=coaching,
    )


def indicator_of(session: Session, around: Surroundings) -> Indicator:
    """The one sign that the parts by the tray show."""
    return indicator_for(
        session.table.situation,
        session.table.match,
        held_s=around.held_s or 0.0,
        has_camera=session.camera.is_present or around.by_phone,
        started=session.camera.is_known,
        moved=around.moved,
        testing=around.testing,
        asked=around.scorekeeper.by_button,
        may_shut_down=session.may_shut_down,
    )
