"""The companion of one table, as pages and programs see it."""

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
from device.companion.snapshots import Troubles
from device.companion.table_button import TableButton
from device.companion.table_worker import (
    JournalNotice,
    SafeModeNotice,
    TableParts,
    TableWorker,
)
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
        open_camera: Opens the camera, again after each failure; None if phones take the pictures.
        output: Lamp, buzzer and voice.
        button: The button, which posts to the inbox; None if there is none.
        no_button: Why there is no button.
        simulated_tray: The simulated tray, which can be thrown, if there is one.
        shut_down: Shuts the machine down after a very long hold; None if that is not allowed.
        restart: Called again and again while the camera hangs for good, to end this process if that helps.
        safe_mode: The notice of safe mode; None if this is no safe mode.
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
    """What the companion keeps besides the journal.

    Attributes:
        profiles: The calibration.
        throw_pictures: The picture of each throw; None keeps none.
        misreads: Pictures that people corrected; None keeps none.
        notice: What people have to know about the journal as it was found.
    """

    profiles: ProfileStore = field(default_factory=ProfileStore)
    throw_pictures: ThrowPictures | None = None
    misreads: MisreadStore | None = None
    notice: JournalNotice = field(default_factory=JournalNotice)


class Companion:
    """The companion of one table; it implements `web.contracts.table.Table`.

    Until it is started, it does its work on the thread that asks for something.

    Args:
        inbox: Where the parts post what happens.
        live_match: The match and its journal.
        rules: Rules of a match that begins at the button.
        equipment: The equipment of the table.
        stores: What is kept besides the journal.
        watch: How the tray is watched.
        scorekeeper: Who may change the match from a phone; None lets the first that asks.
        coach: Works out figures; None if there is no coach.
        other_tray: Returns what is known of the other tray of a shared match.
        on_turn: Called at every turn of the companion's loop, about once a second at least.
        bots: How bots play; None is the usual way.
        clock: Seconds that never run backwards; the camera's frames use the same clock.
        pause: Waits for a number of seconds.

    Attributes:
        scorekeeper: Who may change the match from a phone.
        tray_camera: The camera over the tray.
        loop: Processes the notes of the inbox.
        session: What is played. Only the companion's thread may touch it.
        simulated_tray: The simulated tray, if there is one.
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
        # Every thread that reads loads networks of some 31 MB, so all phones share this one.
        self._photo_reader = ThreadPoolExecutor(1, "phone pictures")
        self._button = TableButton(equipment.button, equipment.no_button, inbox, clock, pause)
        self.scorekeeper = scorekeeper or Scorekeeper(
            on_change=inbox.changed, has_button=self._button.is_real, clock=clock
        )
        self.tray_camera = TrayCamera(
            equipment.open_camera,
            inbox,
            stores.profiles,
            watch,
            simulated_tray=equipment.simulated_tray,
            has_real_button=self._button.is_real,
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
        if damage := stores.notice.message:  # in the message it is spoken, too
            table = self.session.table
            table.message = Paragraph(damage.sentences[0], table.message)
        output = equipment.output
        self._output = output if isinstance(output, Signals) else Signals(output)
        self._pictures = PictureKeeper(stores.throw_pictures, stores.misreads)
        self._worker = TableWorker(
            TableParts(
                session=self.session,
                bots=BotTurns(self.session.table, bots or BotOptions(clock=clock)),
                camera=self.tray_camera,
                button=self._button,
                output=self._output,
                pictures=self._pictures,
                scorekeeper=self.scorekeeper,
                coach=coach,
                notice=stores.notice,
                simulated_tray=equipment.simulated_tray,
                hands_off=watch.reports_settled_dice,
                is_alive=on_turn,
                safe_mode=equipment.safe_mode,
                other_tray=other_tray,
            )
        )
        self.loop = InboxLoop(inbox, self._worker, on_turn)

    def start(self) -> None:
        """Start the threads of the companion and of the camera."""
        self.loop.start()
        self.tray_camera.start()

    def close(self) -> None:
        """Finish what is queued, then give camera, button and lamp back."""
        self.tray_camera.close()
        self._photo_reader.shutdown(cancel_futures=True)
        self._button.close()
        self.loop.close()
        self._output.close()

    @property
    def wizard(self) -> Wizard:
        """The calibration of this table."""
        return self.tray_camera.wizard

    @property
    def troubles(self) -> Troubles:
        """What is wrong with the parts of the table."""
        return self._worker.troubles

    def snapshot(self) -> Snapshot:
        """Implement `Table.snapshot`."""
        return self._worker.publisher.snapshot

    def wait(self, after: int, timeout_s: float) -> Snapshot | None:
        """Implement `Table.wait`."""
        return self._worker.publisher.wait(after, timeout_s)

    def photo(self, photo_id: str) -> bytes | None:
        """Implement `Table.photo`."""
        return self._pictures.album.get(photo_id)

    def photo_die(self, photo_id: str, die: int) -> bytes | None:
        """Implement `Table.photo_die`."""
        return self._pictures.album.die(photo_id, die)

    def photo_clip(self, photo_id: str) -> bytes | None:
        """Implement `Table.photo_clip`."""
        return self._pictures.album.clip(photo_id)

    def view(self) -> bytes | None:
        """Implement `Table.view`."""
        return self.tray_camera.live_view.jpeg()

    def announce(self, join_url: str) -> Snapshot:
        """Let the QR code lead to this address from now on."""
        return self.loop.ask(Announce(join_url))

    def do(self, command: Command, request: str = "") -> Snapshot:
        """Implement `Table.do`.

        A press or a hold means the same as at the tray: what it leads to, or why it is refused, is in
        the message of the table.
        """
        match command:
            case Press() | Hold() | MoveSimulatedButton():
                self._button.use(command, request)
                return self.loop.ask(Refresh())
            case SubmitPhoto() if self.troubles.safe_mode:
                raise TableError(Message("In safe mode, no photos are read: tap the dice in."))
            case SubmitPhoto():
                reading = self._photo_reader.submit(
                    read_phone_picture, command.picture, self._clock()
                )
                return self.loop.ask(Photographed(reading.result(), command.step), request)
        return self.loop.ask(command, request)
