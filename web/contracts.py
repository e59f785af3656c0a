"""What the pages and the API need from the device: immutable snapshots, and a few requests.

The coach, the shared match, the images of corrected throws, the table, the maintenance and the calibration each have a
protocol. Packages of `device` implement them, because `web` must not import `device`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, BinaryIO, Literal, Protocol

from game.commands import Command
from game.dice_log import DiceLog
from game.errors import TraykeeperError
from game.match.events import PlayerStyle
from game.match.match import Match
from game.match.rolloff import RollOff
from game.message import Message
from game.odds.review import Caveat, Figures, Review
from game.practice.handicap import HeadStart
from game.rules.ruleset import Ruleset
from game.situation import MATCH_IN_THE_WAY, READY_FOR_MATCH, Choice, HoldEffect, Situation
from game.stats.counts import Totals


class CoachMode(StrEnum):
    """The amount of advice that the coach gives during a match."""

    OFF = "off"
    AFTER = "after"
    """The coach comments only on turns that are over."""

    WHY = "why"
    """The coach also states what each decision cost."""

    LIVE = "live"


@dataclass(frozen=True, slots=True)
class Coaching:
    """The coach's current advice.

    Attributes:
        mode: The amount of advice that the coach gives.
        figures: The odds; None while they are being calculated, or if the coach is off.
        solving: How much of the calculation of chances of winning is done, from 0 to 1; None if none
            is running.
        trouble: Why there will be no chances of winning; None if there are some, or may be later.
    """

    mode: CoachMode = CoachMode.OFF
    figures: Figures | None = None
    solving: float | None = None
    trouble: Message | None = None


@dataclass(frozen=True, slots=True)
class ReviewedMatch:
    """A past match, reviewed by the coach.

    Attributes:
        review: Luck and decisions of each turn.
        solved: Whether the review contains chances of winning.
        caveats: The rules and circumstances that these chances do not take into account.
        solving: As in `Coaching`, for the rules of this match.
        trouble: As in `Coaching`, for the rules of this match.
    """

    review: Review
    solved: bool
    caveats: tuple[Caveat, ...] = ()
    solving: float | None = None
    trouble: Message | None = None


class Coach(Protocol):
    """Calculates odds and reviews matches in the background. Any thread may call its methods, most of which return at once."""

    def review(self, match_id: int, steps: int) -> ReviewedMatch | None:
        """Return the review of a match, or None while it is being calculated.

        Args:
            match_id: Number of the match in the journal.
            steps: How many steps of the match are in the journal; after another step, it is reviewed again.

        Raises:
            OddsError: If the review has failed too often to be tried again.
        """

    def has_review(self, match_id: int, steps: int) -> bool:
        """Return whether `review` would return the review of a match, without asking for it.

        Args:
            match_id: Number of the match in the journal.
            steps: How many steps of the match are in the journal.
        """

    def solve(self, match_id: int) -> None:
        """Start calculating the chances of winning under the rules of a match.

        Raises:
            JournalError: If there is no such match.
        """

    def counts(self) -> Totals | None:
        """Return the statistics over all matches, or None if counting them takes longer than a second.

        Raises:
            OddsError: If counting has failed too often to be tried again before the next step of a match.
        """

    def style(self, name: str, rules: Ruleset) -> PlayerStyle:
        """Return how a person plays. This takes seconds, unlike most of the other methods.

        Args:
            name: Name of the person.
            rules: Rules of the match in which a bot will play in this style.

        Raises:
            OddsError: If the person has made too few decisions.
            TableError: If the coach does not answer.
        """

    def head_start(self, rules: Ruleset) -> HeadStart:
        """Return the head start that gives two equally good players the same chance of winning.

        Raises:
            OddsError: If the chances of winning under these rules have not been computed.
            TableError: If the coach does not answer.
        """

    def start_dice_set(self, name: str) -> None:
        """Count matches that begin from now on towards the dice set with this name.

        Raises:
            TableError: If this cannot be saved.
        """


class SharedPhase(StrEnum):
    """The stages of a shared match."""

    INVITING = "inviting"
    JOINING = "joining"
    PLAYING = "playing"


@dataclass(frozen=True, slots=True)
class OtherTrayView:
    """The other tray of a shared match.

    Attributes:
        phase: The stage of the match.
        seats: The seats of the players at the other tray.
        is_reachable: Whether the other tray has answered in the last few seconds.
        trouble: Why the trays cannot play together now, and what to do; None if they can.
        sets_aside: Whether the match may begin although another one is being played here.
    """

    phase: SharedPhase
    seats: tuple[int, ...] = ()
    is_reachable: bool = False
    trouble: Message | None = None
    sets_aside: bool = False


class UnknownCodeError(TraykeeperError):
    """A message is signed with a code that belongs to no match at this tray."""


class SharedPlay(Protocol):
    """Plays matches together with another tray. Any thread may call its methods."""

    def view(self) -> OtherTrayView | None:
        """Return what the page shows about the other tray, or None if there is none."""

    def invitation(self, page: str) -> str:
        """Return the secret invitation for the other tray, also during the match; "" if there is none.

        Args:
            page: Address of this tray's page.
        """

    def invite(
        self,
        names: tuple[str, ...],
        rules: str | None,
        target: int | None,
        options: Mapping[str, Any] | None,
        best_of: int | None = None,
    ) -> None:
        """Make a code that lets another tray join a match.

        Args:
            names: The players at this tray.
            rules: Name of published rules; None means the default of this tray.
            target: Points to play for; None means the target of the rules.
            options: Options that differ from the rules.
            best_of: Number of matches of the series that begins; None or 1 means a single match.

        Raises:
            GameError: If these players cannot form a match, or the rules are not valid.
        """

    def join(self, invitation: str, names: tuple[str, ...]) -> None:
        """Join a match to which another tray has invited this one, or reach its tray at another address.

        Args:
            invitation: The link or the code that the other tray shows.
            names: The players at this tray.

        Raises:
            TableError: If the invitation cannot be read, or the trays would need a broker to meet.
        """

    def leave(self) -> None:
        """Withdraw the invitation or, if the match has begun, play on alone."""

    def set_aside(self) -> None:
        """Let the match with the other tray begin although another one is being played here.

        That one stays in the list of matches.

        Raises:
            TableError: If no match with another tray is waiting to begin.
        """

    def exchange(self, keys_id: str, text: str, mac: str) -> str:
        """Process a message from the other tray, and return the answer as JSON.

        Args:
            keys_id: Id of the keys that sign the message.
            text: The message.
            mac: The signature of the message.

        Raises:
            UnknownCodeError: If the message is not signed with the code of a match that is known here.
            TraykeeperError: If the message cannot be understood.
        """


@dataclass(frozen=True, slots=True)
class MisreadStatus:
    """How many images are kept, and how many may be.

    Attributes:
        on: Whether new images are kept.
        pictures: How many images are kept.
        size_bytes: The storage space that the images take, in bytes.
        most: Largest number of images to keep.
        most_bytes: Largest space for images.
    """

    on: bool
    pictures: int
    size_bytes: int
    most: int
    most_bytes: int


class Misreads(Protocol):
    """Images of throws that were read wrongly, with the true values. Any thread may call its methods."""

    def status(self) -> MisreadStatus:
        """Return how many images are kept, and how many may be."""

    def set_enabled(self, *, on: bool) -> None:
        """Set whether new images are kept. The choice survives a restart.

        Raises:
            TableError: If the choice cannot be saved.
        """

    def zip_parts(self) -> Iterator[bytes]:
        """Yield a zip file with all images and their labels, in parts."""

    def delete_all(self) -> None:
        """Delete all images.

        Raises:
            TableError: If the images cannot be deleted.
        """


@dataclass(frozen=True, slots=True)
class PhotoDie:
    """A die in the photo. Positions and sizes are fractions of the photo's width and height.

    Attributes:
        value: The face; None if it is uncertain.
        x: Horizontal position of the centre of its top face.
        y: Vertical position of the centre of its top face.
        w: Width of its box.
        h: Height of its box.
        angle: Rotation of its edges in degrees, from 0 to below 90.
        zone: Where the die lies: in the tray, or in the set-aside area.
        problem: Why the face is uncertain, if it is.
        slot: Position of the die in the throw that the photo shows; None if it is not part of that throw.
    """

    value: int | None
    x: float
    y: float
    w: float
    h: float
    angle: float
    zone: str
    problem: str | None
    slot: int | None = None


@dataclass(frozen=True, slots=True)
class Photo:
    """The annotated photo of the dice in view; `Album.photo` returns its JPEG.

    Attributes:
        id: A hash of what the photo shows, so that different photos never have the same id.
        width: Width in pixels.
        height: Height in pixels.
        dice: The dice in the photo.
        index: Index of its throw in the timeline of the match; None if the photo belongs to an open question.
        has_clip: Whether `Album.clip` returns how these dice came to rest.
    """

    id: str
    width: int
    height: int
    dice: tuple[PhotoDie, ...]
    index: int | None = None
    has_clip: bool = False


@dataclass(frozen=True, slots=True)
class Lamp:
    """The light that the lamp at the tray shows.

    Attributes:
        colour: The colour as "#rrggbb".
        blink: How often it blinks, in times per second; 0 means steady.
        meaning: What the colour and the blinking mean, in words.
    """

    colour: str
    blink: float
    meaning: Message


@dataclass(frozen=True, slots=True)
class ScorekeeperView:
    """Who the scorekeeper is, in a form that every phone may see. Phones are identified by their badges.

    Attributes:
        holder: The scorekeeper's phone, or "" if there is none.
        asking: The phone that is asking to take over, or "" if none is.
        by_button: Whether the next press of the real button makes the asking phone the scorekeeper.
        by_holder: Whether the scorekeeper is active and is being asked instead.
        own_turn: Whether a player's own phone may keep, bank and correct during that player's turn.
        players: (phone, player's name) of each phone that belongs to a player.
        asker: A name for the asking phone: its player, or its kind; "" if none is asking.
    """

    holder: str = ""
    asking: str = ""
    by_button: bool = False
    by_holder: bool = False
    own_turn: bool = False
    players: tuple[tuple[str, str], ...] = ()
    asker: str | Message = ""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All data that a phone needs to show the table as it is at one moment.

    Attributes:
        version: A number that increases with every change.
        situation: The state of the table, which decides what the button does.
        message: What has just happened, in one line.
        lamp: The light that the lamp shows.
        hold: What holding the button for a second would do.
        advice: What to do now, one sentence for each problem.
        match: The match; None if there is none.
        step: A number that increases whenever the match changes, even when a step is undone.
        rolloff: The roll-off that decides who starts; None if there is none.
        photo: The annotated photo of the dice in view; None if there is none.
        just_dice: The throws without a match; None if a match is being played or may be set up.
        unread_throw: Why nothing can be kept or banked before a throw is read; None if no throw is
            unread.
        question: The open question. A hold of the button picks the first of `choices`.
        choices: Answers to the question or, without a question, other interpretations of the last throw.
        can_undo_more: Whether undo can take back something else than a step of the match: an object that
            somebody said is not a die, or the start of the match.
        simulated: Whether the tray is simulated; the page then has buttons to throw and to press.
        camera: Name of the camera; None while there is none and throws are entered by hand.
        hands_off: Whether the dice are read without a press of the button.
        join_url: The address in the QR code.
        calibrated: Whether the tray is calibrated or needs no calibration.
        notice: The changes since the calibration; None if nothing has changed.
        troubles: The problems of the appliance, one sentence for each.
        safe_mode: Whether the camera and the button are off because several starts failed.
        scorekeeper: Who the scorekeeper is.
        coach: The coach's advice about the match.
        other_tray: The other tray of a match that is played at two trays; None if there is none.
    """

    version: int
    situation: Situation
    message: Message
    lamp: Lamp
    advice: tuple[Message, ...] = ()
    match: Match | None = None
    step: int = 0
    rolloff: RollOff | None = None
    photo: Photo | None = None
    just_dice: DiceLog | None = None
    unread_throw: Message | None = None
    question: Message | None = None
    choices: tuple[Choice, ...] = ()
    can_undo_more: bool = False
    hold: HoldEffect = HoldEffect.NOTHING
    simulated: bool = False
    camera: str | None = None
    hands_off: bool = False
    join_url: str = ""
    calibrated: bool = True
    notice: Message | None = None
    troubles: tuple[Message, ...] = ()
    safe_mode: bool = False
    scorekeeper: ScorekeeperView = field(default_factory=ScorekeeperView)
    coach: Coaching = field(default_factory=Coaching)
    other_tray: OtherTrayView | None = None

    @property
    def is_busy(self) -> bool:
        """Whether something is being played here that a match with another tray would replace."""
        has_rolls = self.rolloff is not None and bool(self.rolloff.rolls)
        return self.situation not in READY_FOR_MATCH or has_rolls

    @property
    def keeps_other_tray_waiting(self) -> bool:
        """Whether a match with another tray cannot begin until the match here is finished or set aside."""
        other = self.other_tray
        if other is None or other.phase is SharedPhase.PLAYING:
            return False
        return self.is_busy and not other.sets_aside

    @property
    def other_tray_trouble(self) -> Message | None:
        """Why a match with the other tray cannot be played now, and what to do; None if it can."""
        if self.keeps_other_tray_waiting:
            return MATCH_IN_THE_WAY
        return self.other_tray.trouble if self.other_tray else None


class Album(Protocol):
    """The latest photos of dice, by `Photo.id`. Any thread may call its methods."""

    def photo(self, name: str, /) -> bytes | None:
        """Return an annotated photo as JPEG, or None if it is no longer kept."""

    def die(self, name: str, number: int, /) -> bytes | None:
        """Return one die in a photo as JPEG, at full resolution and without annotation.

        Return None if the image is no longer kept.

        Args:
            name: The photo's `Photo.id`.
            number: Position of the die in `Photo.dice`, from 0.
        """

    def clip(self, name: str, /) -> bytes | None:
        """Return a clip of how the dice in a photo came to rest, as Motion JPEG, or None if there is none."""


class Table(Protocol):
    """The companion, as the pages and the API see it. Any thread may call its methods."""

    @property
    def album(self) -> Album:
        """The latest photos of dice."""

    def snapshot(self) -> Snapshot:
        """Return the newest snapshot."""

    def wait(self, after: int, timeout_s: float) -> Snapshot | None:
        """Return the newest snapshot as soon as there is a newer one.

        Args:
            after: The version that the caller already has.
            timeout_s: How long to wait before returning None, in seconds.
        """

    def view(self) -> bytes | None:
        """Return a small live image of the tray as JPEG, or None if there is none."""

    def do(self, command: Command, request: str = "") -> Snapshot:
        """Run a command and return the snapshot after it.

        Args:
            command: The command to carry out.
            request: Mark of the request, which the journal stores with the steps that the request
                causes; "" if there is none.

        Raises:
            GameError: If the rules refuse the command.
            TableError: If the table refuses the command.
        """


Level = Literal["ok", "skipped", "warning", "failed"]


@dataclass(frozen=True, slots=True)
class HealthCheck:
    """One line of the health page.

    Attributes:
        name: The name of the check, in one word.
        level: `ok`; `failed` needs a repair, `warning` needs attention, `skipped` was not checked.
        line: The result of the check.
        remedy: What to do about it; None if there is nothing to do.
    """

    name: Message
    level: Level
    line: Message
    remedy: Message | None = None

    @property
    def is_bad(self) -> bool:
        """Whether the check found a problem that somebody should look at."""
        return self.level in ("warning", "failed")


@dataclass(frozen=True, slots=True)
class FoundBackup:
    """A backup that somebody put on a USB stick or on the SD card.

    Attributes:
        line: What the backup contains, or why it cannot be used.
        is_usable: Whether the backup can be restored.
    """

    line: Message
    is_usable: bool


@dataclass(frozen=True, slots=True)
class DeliveryAttempt:
    """An attempt to send a step to the webhook.

    Attributes:
        time_s: When the attempt was made, in seconds since 1970.
        step: The kinds of events in the step, separated by commas.
        trouble: Why the receiver did not accept the step; None if it did.
        wait_s: Seconds from a failed attempt to the next one; 0 if there will be none.
    """

    time_s: float
    step: str
    trouble: Message | None = None
    wait_s: float = 0.0


@dataclass(frozen=True, slots=True)
class WebhookReport:
    """How the latest steps for the webhook were delivered.

    Attributes:
        receiver: Host and port of the receiver; "" if the settings name none that can be used.
        attempts: The latest attempts to send a step, newest first.
        trouble: Why the receiver does not accept the steps; None if nothing is wrong.
        is_gone: Whether the receiver has answered that it wants no more steps (status 410).
    """

    receiver: str
    attempts: tuple[DeliveryAttempt, ...] = ()
    trouble: Message | None = None
    is_gone: bool = False


class Maintainer(Protocol):
    """Checks the appliance, backs it up and restores it. Any thread may call its methods."""

    def health(self) -> tuple[HealthCheck, ...]:
        """Run every check and return the results, always in the same order."""

    def webhook(self) -> WebhookReport | None:
        """Return how the latest steps for the webhook were delivered, or None if there is no webhook."""

    def backup(self) -> BinaryIO:
        """Return matches, calibration and settings as one zip file, to be read once.

        Raises:
            GameError: If the backup cannot be made, or one is already being made for somebody else.
        """

    def receive(self, at: int, part: bytes) -> int:
        """Store the next part of a backup and return the offset of the part after it.

        Args:
            at: Offset of the part, in bytes; 0 starts a new backup.
            part: The bytes of the part.

        Raises:
            TableError: If another part is expected, or the backup is too long.
        """

    def restore(self) -> Snapshot:
        """Restore the backup that was received, and return the state of the table afterwards.

        Raises:
            TableError: If the backup cannot be used.
        """

    def found_backup(self) -> FoundBackup | None:
        """Return the backup found on a USB stick or the SD card.

        None means that there is none, or that it has been restored or dismissed.
        """

    def restore_found(self) -> Snapshot:
        """Restore the backup that was found, and return the state of the table afterwards.

        Raises:
            TableError: If the backup cannot be used.
        """

    def dismiss_found(self) -> None:
        """Ignore the backup that was found, from now on."""

    def frame(self, position: int) -> bytes | None:
        """Return the camera image of a throw as JPEG, or None if it is not kept.

        Args:
            position: Position of the throw in the journal.
        """

    def clip(self, position: int) -> bytes | None:
        """Return a clip of how the dice of a throw came to rest, as Motion JPEG, or None if none is kept.

        Args:
            position: Position of the throw in the journal.
        """

    def clip_positions(self) -> frozenset[int]:
        """Return the positions in the journal of all throws that have a clip."""


Point = tuple[float, float]
Points = tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The result of one check of the image.

    Attributes:
        name: The name of the check.
        ok: Whether the check passed; None if the image does not allow the check.
        verdict: The result in a sentence.
        advice: What to do about it; None if there is nothing to do.
    """

    name: str
    ok: bool | None
    verdict: Message
    advice: Message | None


@dataclass(frozen=True, slots=True)
class SeenDie:
    """A die in the image.

    Attributes:
        value: The face that was read; None if it is uncertain.
        x: Horizontal position of its centre, as a share of the image's width.
        y: Vertical position of its centre, as a share of the image's height.
        w: Width of its box, as a share of the image's width.
        problem: Why the face is uncertain, if it is.
    """

    value: int | None
    x: float
    y: float
    w: float
    problem: str | None


@dataclass(frozen=True, slots=True)
class DiceProgress:
    """How much of the dice set has been learnt.

    Attributes:
        looked_at: How many dice have been measured.
        needed: How many dice have to be measured.
        learnt: Whether the dice set is known.
        words: Description of the dice; None while they are unknown.
    """

    looked_at: int
    needed: int
    learnt: bool
    words: Message | None


@dataclass(frozen=True, slots=True)
class SelfTestThrow:
    """One throw of the self-test.

    Attributes:
        values: The faces that were read.
        passed: Whether every die was read with certainty.
        words: The result in a sentence.
    """

    values: tuple[int, ...]
    passed: bool
    words: Message


@dataclass(frozen=True, slots=True)
class HardwareCheck:
    """The check of the button and the lamp.

    Attributes:
        real_button: Whether there is a real button.
        pressed: Whether a press of the button was noticed.
        held: Whether a hold of the button was noticed.
        lamp: Colour -> whether a person saw it on the lamp; None if nobody has said yet.
        showing: The colour that the lamp shows for the check; None outside the check.
    """

    real_button: bool
    pressed: bool
    held: bool
    lamp: dict[str, bool | None]
    showing: str | None


@dataclass(frozen=True, slots=True)
class CalibrationState:
    """The state of the calibration. The fields have the same names as in the API's JSON.

    Attributes:
        camera: Name of the camera; None while there is none.
        simulated: Whether the tray is simulated; the page then offers to throw.
        width: Width of the image in pixels.
        height: Height of the image in pixels.
        tray: Corners of the tray.
        sure: Whether the tray was found with certainty; None if a person set the corners.
        words: How the corners were found, in a sentence.
        aside: Corners of the set-aside area; None if it is off.
        room: Whether there is room for a set-aside area.
        checks: The latest checks of the image.
        dice: The dice that were seen last.
        learning: The progress in learning the dice set.
        trials: The throws of the self-test so far.
        needed: How many throws have to pass.
        n_dice: How many dice each throw has.
        parts: The check of the button and the lamp.
        made: When the saved profile was made; None if there is none.
        unsaved: Whether there are changes to save.
        drift: The changes since the profile was made; None if nothing has changed.
    """

    camera: str | None
    simulated: bool
    width: int
    height: int
    tray: Points
    sure: bool | None
    words: Message
    aside: Points | None
    room: bool
    checks: tuple[CheckResult, ...]
    dice: tuple[SeenDie, ...]
    learning: DiceProgress
    trials: tuple[SelfTestThrow, ...]
    needed: int
    n_dice: int
    parts: HardwareCheck
    made: str | None
    unsaved: bool
    drift: Message | None


class CalibrationStep(StrEnum):
    """A command without arguments. Each value is the last part of a path of the API."""

    FIND = "find"
    """Look for the tray and propose a set-aside area next to it."""

    PROPOSE = "propose"
    """Turn on the set-aside area where there is most room."""

    CHECK = "check"
    """Check the quality of a new image."""

    FOCUS = "focus"
    """Set focus and exposure again, if the camera can."""

    THROW = "throw"
    """Throw all simulated dice."""

    LEARN = "learn"
    """Learn from the dice of one throw."""

    FORGET = "forget"
    """Forget the dice, to learn them again."""

    TEST = "test"
    """Read one throw of the self-test."""

    RETEST = "retest"
    """Start the self-test again."""

    SAVE = "save"
    """Save the profile."""

    DISCARD = "discard"
    """Go back to the saved profile."""


class Calibration(Protocol):
    """Makes the profile from what the camera sees. Any thread may call its methods.

    Every command returns the new state, or raises `game.situation.TableError` if it is refused.
    """

    def state(self) -> CalibrationState:
        """Return the current state."""

    def keep_alive(self) -> None:
        """Reserve the button and the lamp for the calibration for a few more seconds."""

    def picture(self) -> bytes | None:
        """Return the current image as JPEG, or None while there is no camera."""

    def do(self, step: CalibrationStep) -> CalibrationState:
        """Run a command without arguments."""

    def set_corners(self, tray: Points, aside: Points | None) -> CalibrationState:
        """Set the corners that a person has placed.

        Args:
            tray: Corners of the tray.
            aside: Corners of the set-aside area; None turns it off.
        """

    def set_button_use(self, to: str) -> CalibrationState:
        """Set what a press of the button is used for while the calibration page is open.

        Args:
            to: "button" checks the button, "learn" measures dice to learn the dice set, "test" reads
                a throw of the self-test, and "" leaves the button to the match.
        """

    def show_colour(self, colour: str) -> CalibrationState:
        """Show "red", "green" or "blue" on the lamp, or "" for its usual colour."""

    def confirm_colour(self, colour: str, *, seen: bool) -> CalibrationState:
        """Record what a person saw on the lamp.

        Args:
            colour: The colour that was shown.
            seen: Whether the person saw that colour.
        """
