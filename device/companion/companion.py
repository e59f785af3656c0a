"""The companion of one table, put together from its parts, with the methods that web pages call."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from time import monotonic, sleep

from device.calibrating.profile_store import ProfileStore
from device.calibrating.wizard import Wizard
from device.cameras.base import Camera
from device.cameras.simulated.tray import SimulatedTray
from device.coach.coach import TableCoach
from device.companion.bot_turns import BotOptions, BotTurns
from device.companion.inbox import Announce, Inbox, InboxLoop, Photographed, Refresh
from device.companion.picture_keeper import PictureKeeper
from device.companion.table_button import TableButton
from device.companion.table_parts import (
    JournalNotice,
    SafeModeNotice,
    TableParts,
    Troubles,
)
from device.companion.table_worker import TableWorker
from device.companion.tray_camera import TrayCamera
from device.hardware.button import TrayButton
from device.hardware.outputs import Output, Signals
from device.session.live_match import LiveMatch
from device.session.session import Session
from device.storage.misreads import MisreadStore
from device.storage.throw_pictures import ThrowPictures
from device.watching.phone_picture import read_phone_picture
from device.watching.watch_loop import WatchOptions
from game.commands import Command, Hold, MoveSimulatedButton, Press, SubmitPhoto
from game.message import Message, Paragraph
from game.rules.ruleset import Ruleset
from game.situation import TableError
from web.access.scorekeeper import Scorekeeper
from web.contracts.shared_match import OtherTrayView
from web.contracts.table import Snapshot


@dataclass(frozen=True, slots=True)
class Equipment:
    """The equipment of one table.

    Attributes:
        open_camera: Opens the camera, and is called again after each failure; None if phones take
            the pictures.
        output: Lamp, buzzer and voice.
        button: The button, which posts to the inbox; None if there is none.
        no_button: Why there is no button; None if there is one, or if none is expected.
        simulated_tray: The simulated tray, in which dice can be thrown; None if the tray is real.
        shut_down: Shuts the machine down after a very long hold; None if that is not allowed.
        restart: Called repeatedly while the camera hangs and only a new process can use the camera
            again. The function may end this process.
        safe_mode: The notice that Traykeeper runs in safe mode; None if it does not.
    """

    open_camera: Callable[[], Camera] | None
    output: Output
    button: TrayButton | None = None
    no_button: Message | None = None
    simulated_tray: SimulatedTray | None = None
    shut_down: Callable[[], object] | None = None
    restart: Callable[[], object] = lambda: None
    safe_mode: SafeModeNotice | None = None


@dataclass(frozen=True, slots=True)
class Stores:
    """The data that the companion stores in addition to the journal.

    Attributes:
        profiles: The stored calibration.
        throw_pictures: Stores one picture of each throw; None means that none are stored.
        misreads: Stores pictures that were read wrongly; None means that none are stored.
        notice: What people have to know about damage found in the journal at start-up.
    """

    profiles: ProfileStore = field(default_factory=ProfileStore)
    throw_pictures: ThrowPictures | None = None
    misreads: MisreadStore | None = None
    notice: JournalNotice = field(default_factory=JournalNotice)


class Companion:
    """The companion of one table; it implements `web.contracts.table.Table`.

    Until the companion is started, its work is done on the calling thread.

    Args:
        inbox: The queue to which the parts of the table post what happens.
        live_match: The match and its journal.
        rules: Rules of a match that is started with the button.
        equipment: The equipment of the table.
        stores: The data that is stored in addition to the journal; None means the defaults of `Stores`.
        watch: How the tray is watched.
        scorekeeper: Decides which phone may change the match; None means a new one, which is not
            stored.
        coach: Calculates chances and the best decisions; None if there is no coach.
        other_tray: Returns what is known about the other tray of a shared match, or None if there is none.
        on_turn: Called in every pass of the companion's loop, about once a second or more often.
        bots: How bots play; None means the usual options.
        clock: Monotonic clock in seconds, the same as that of the camera's frames.
        pause: Sleeps for a number of seconds.

    Attributes:
        scorekeeper: Decides which phone may change the match.
        tray_camera: The camera over the tray.
        loop: Processes what was posted to the inbox.
        session: Decides what presses, readings and commands mean. Only the companion's thread may
            use it.
        simulated_tray: The simulated tray; None if the tray is real.
    """

    def __init__(
        self,
        inbox: Inbox,
        live_match: LiveMatch,
        rules: Ruleset,
        equipment: Equipment,
        stores: Stores | None = None,
        *,
        watch: WatchOptions = WatchOptions(),  # noqa: B008 - it is frozen
        scorekeeper: Scorekeeper | None = None,
        coach: TableCoach | None = None,
        other_tray: Callable[[], OtherTrayView | None] = lambda: None,
        on_turn: Callable[[], object] = lambda: None,
        bots: BotOptions | None = None,
        clock: Callable[[], float] = monotonic,
        pause: Callable[[float], object] = sleep,
    ) -> None:
        stores = stores or Stores()
        self._clock, self.simulated_tray = clock, equipment.simulated_tray
        # Every thread that reads dice loads networks of some 31 MB, so all phones share this thread.
        self._photo_reader = ThreadPoolExecutor(1, "phone pictures")
        button = TableButton(equipment.button, equipment.no_button, inbox, clock, pause)
        self.scorekeeper = scorekeeper or Scorekeeper(
            on_change=inbox.changed, has_button=button.is_real, clock=clock
        )
        self.tray_camera = TrayCamera(
            equipment.open_camera,
            inbox,
            stores.profiles,
            watch,
            n_dice=rules.n_dice,
            simulated_tray=equipment.simulated_tray,
            has_real_button=button.is_real,
            restart=equipment.restart,
            clock=clock,
            pause=pause,
        )
        self.session = Session(
            live_match,
            rules,
            self.tray_camera.watch,
            shut_down=equipment.shut_down,
        )
        self.session.camera.is_known = not self.tray_camera.is_expected
        if damage := stores.notice.message:  # the table's message is also spoken
            table = self.session.table
            table.message = Paragraph(damage.sentences[0], table.message)
        output = equipment.output
        self._parts = TableParts(
            session=self.session,
            bots=BotTurns(self.session.table, bots or BotOptions(clock=clock)),
            camera=self.tray_camera,
            button=button,
            output=output if isinstance(output, Signals) else Signals(output),
            pictures=PictureKeeper(
                stores.throw_pictures, stores.misreads, self.tray_camera.watch.note_faces
            ),
            scorekeeper=self.scorekeeper,
            coach=coach,
            notice=stores.notice,
            simulated_tray=equipment.simulated_tray,
            hands_off=watch.reports_settled_dice,
            is_alive=on_turn,
            safe_mode=equipment.safe_mode,
            other_tray=other_tray,
        )
        worker = TableWorker(self._parts)
        self._publisher = worker.publisher
        self.loop = InboxLoop(inbox, worker, on_turn)

    def start(self) -> None:
        """Start the threads of the companion and of the camera."""
        self.loop.start()
        self.tray_camera.start()

    def close(self) -> None:
        """Finish the queued work, then release the camera, the button and the lamp."""
        self.tray_camera.close()
        self._photo_reader.shutdown(cancel_futures=True)
        self._parts.button.close()
        self.loop.close()
        self._parts.output.close()

    @property
    def wizard(self) -> Wizard:
        """The wizard that calibrates this table."""
        return self.tray_camera.wizard

    @property
    def troubles(self) -> Troubles:
        """The current problems with the parts of the table."""
        return self._parts.troubles

    def snapshot(self) -> Snapshot:
        """Implement `Table.snapshot`: return the newest snapshot."""
        return self._publisher.snapshot

    def wait(self, after: int, timeout_s: float) -> Snapshot | None:
        """Implement `Table.wait`: return a snapshot newer than version `after`, or None after the timeout."""
        return self._publisher.wait(after, timeout_s)

    def photo(self, photo_id: str) -> bytes | None:
        """Implement `Table.photo`: return an annotated photo of a throw as JPEG, or None if it is no longer kept."""
        return self._parts.pictures.album.get(photo_id)

    def photo_die(self, photo_id: str, die: int) -> bytes | None:
        """Implement `Table.photo_die`: return one die in a photo as JPEG, or None if the photo is no longer kept."""
        return self._parts.pictures.album.die(photo_id, die)

    def photo_clip(self, photo_id: str) -> bytes | None:
        """Implement `Table.photo_clip`: return a clip of how the dice in a photo came to rest.

        The clip is Motion JPEG; the result is None if there is no clip.
        """
        return self._parts.pictures.album.clip(photo_id)

    def view(self) -> bytes | None:
        """Implement `Table.view`: return a live image of the tray as JPEG, or None if there is none."""
        return self.tray_camera.live_view.jpeg()

    def announce(self, join_url: str) -> Snapshot:
        """Set the address to which the QR code leads, and return the resulting snapshot."""
        return self.loop.ask(Announce(join_url))

    def do(self, command: Command, request: str = "") -> Snapshot:
        """Implement `Table.do`: carry out a command from a phone, and return the resulting snapshot.

        A press or a hold has the same effect as one at the tray. The table's message says what the
        press or hold led to, or why it was refused.
        """
        match command:
            case Press() | Hold() | MoveSimulatedButton():
                self._parts.button.use(command, request)
                return self.loop.ask(Refresh())
            case SubmitPhoto() if self.troubles.safe_mode:
                raise TableError(Message("In safe mode, no photos are read: tap the dice in."))
            case SubmitPhoto():
                reading = self._photo_reader.submit(
                    read_phone_picture, command.picture, self._clock()
                )
                return self.loop.ask(Photographed(reading.result(), command.step), request)
        return self.loop.ask(command, request)
