"""Whatever breaks, it is said what and what to do, the table goes on, and nothing told is lost."""

import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from threading import Event

import pytest

from device.app import PlayOptions, open_upkeep
from device.cameras.simulated.tray import SimulatedTray
from device.hardware.lamp import RgbLamp
from device.hardware.outputs import Signals
from device.watching import camera_thread
from game.errors import JournalError
from game.situation import Situation
from tests.device import disks
from tests.device.rig import PATIENCE_S, open_rig

THOUSAND = (1, 1, 1, 2, 3, 4)
COMMAND = [str(Path(sys.executable).with_name("traykeeper"))]


@contextmanager
def table(folder):
    """A companion without a camera over this folder, and what looks after it."""
    options = PlayOptions(camera="usb:97", state=str(folder), frames_mb=0)
    with open_upkeep(options) as upkeep:
        yield upkeep


def levels(upkeep):
    return {check.name: check.level for check in upkeep.health()}


def play_a_turn(companion):
    companion.dice(THOUSAND)
    return companion.bank()


def scores(companion):
    return [player.score for player in companion.snapshot().match.state.players]


def test_on_a_full_disk_nothing_is_accepted_and_with_room_again_it_goes_on(tmp_path):
    with disks.small_disk(tmp_path / "disk") as disk, table(disk) as upkeep:
        companion = upkeep.companion
        companion.new_match(("Anna", "Ben"))
        play_a_turn(companion)
        filler = disks.fill(disk)
        with pytest.raises(JournalError, match="is the disk full or read-only"):  # noqa: PT012
            while True:  # what the log has room for already is still taken
                play_a_turn(companion)
        told = scores(companion)
        with pytest.raises(JournalError, match="disk is full"):
            companion.undo()

        assert scores(companion) == told
        assert levels(upkeep)["journal"] == "failed"
        assert "is the disk full" in companion.snapshot().troubles[0]
        filler.unlink()
        situation = play_a_turn(companion).situation
        assert situation in (Situation.TURN_OVER, Situation.WON)
        assert companion.snapshot().troubles == ()
        told = scores(companion)
        companion.close()
        upkeep.journal.close()
        with table(disk) as again:
            assert scores(again.companion) == told


def test_a_start_on_a_full_disk_goes_on_or_says_why_not(tmp_path):
    with disks.small_disk(tmp_path / "disk") as disk:
        with table(disk) as upkeep:
            upkeep.companion.new_match(("Anna", "Ben"))
            play_a_turn(upkeep.companion)
        filler = disks.fill(disk)
        done = run_play(disk)

        assert done.returncode == 2
        assert "is the disk full or read-only?" in done.stderr.splitlines()[-1]
        assert "Traceback" not in done.stderr
        filler.unlink()
        with table(disk) as upkeep:
            assert scores(upkeep.companion) == [1000, 0]


def test_a_start_on_a_read_only_disk_is_one_line_and_harms_nothing(tmp_path):
    with disks.small_disk(tmp_path / "disk") as disk:
        with table(disk) as upkeep:
            upkeep.companion.new_match(("Anna", "Ben"))
            play_a_turn(upkeep.companion)
        disks.remount_read_only(disk)
        done = run_play(disk)

        assert done.returncode == 2
        assert "is the disk full or read-only?" in done.stderr.splitlines()[-1]
        assert "Traceback" not in done.stderr


def test_a_card_that_dies_in_mid_turn_stops_the_journal_and_nothing_told_is_lost(tmp_path):
    told = []
    with disks.card(tmp_path / "card") as disk, table(disk) as upkeep:
        companion = upkeep.companion
        companion.new_match(("Anna", "Ben"))
        for _ in range(5):
            told = [player.score for player in play_a_turn(companion).match.state.players]
        disks.kill(disk)
        with pytest.raises(JournalError, match="the journal cannot be used"):
            play_a_turn(companion)

        assert scores(companion) == told
        assert levels(upkeep)["journal"] == "failed"
    image = tmp_path / "card.img"
    with disks.mounted(tmp_path / "again", "-o", "loop", image) as disk, table(disk) as upkeep:
        assert scores(upkeep.companion) == told


def run_play(folder):
    return subprocess.run(
        [*COMMAND, "play", "--camera", "usb:97", "--port", "0", "--state", str(folder)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_a_second_companion_on_one_folder_is_refused(tmp_path):
    with table(tmp_path) as upkeep:
        upkeep.companion.new_match(("Anna", "Ben"))
        done = run_play(tmp_path)

        assert done.returncode == 2
        assert done.stderr == (
            f"traykeeper: {tmp_path}: another Traykeeper keeps its matches there: "
            "stop it, or use --state\n"
        )
        assert play_a_turn(upkeep.companion).match.state.players[0].score == 1000


def test_a_damaged_journal_is_said_loudly_and_play_goes_on(tmp_path):
    with table(tmp_path) as upkeep:
        upkeep.companion.new_match(("Anna", "Ben"))
        play_a_turn(upkeep.companion)
        upkeep.backups.make()
        play_a_turn(upkeep.companion)
    pages = bytearray((tmp_path / "journal.db").read_bytes())
    for at in range(2 * 4096 - 50, len(pages), 4096):  # where SQLite begins to fill a page
        pages[at] ^= 0xFF
    (tmp_path / "journal.db").write_bytes(pages)
    with table(tmp_path) as upkeep:
        companion = upkeep.companion

        assert "Look at the scores before you play on" in companion.snapshot().troubles[0]
        assert levels(upkeep)["journal"] == "warning"
        assert scores(companion)[0] == 1000
        assert companion.heed().troubles == ()
        assert levels(upkeep)["journal"] == "ok"
        play_a_turn(companion)


class StuckTray(SimulatedTray):
    """A camera whose driver does not come back, until it is let go."""

    def __init__(self) -> None:
        super().__init__(seed=1)
        self.free = Event()
        self.free.set()

    def preview(self):
        self.free.wait()
        return super().preview()


def test_a_camera_that_never_comes_back_is_told_and_the_match_goes_on(tmp_path, monkeypatch):
    monkeypatch.setattr(camera_thread, "HUNG_S", 1.0)
    tray = StuckTray()
    with open_rig(tmp_path, tray=tray) as rig:
        rig.companion.new_match(("Anna", "Ben"))
        tray.free.clear()
        lost = rig.until(lambda s: s.camera is None)
        assert "it hangs" in lost.message
        assert "it hangs" in rig.companion.troubles.camera
        assert rig.companion.dice(THOUSAND).situation is Situation.ACCEPTED
        tray.free.set()

        rig.until(lambda s: s.camera is not None)
        assert rig.companion.troubles.camera == ""


class BrokenLamp(RgbLamp):
    """Its wire is loose now and then."""

    loose = False

    def show(self, indicator, words=""):
        if self.loose:
            raise OSError("GPIO busy")
        super().show(indicator, words)


def test_a_lamp_that_fails_is_told_once_and_stops_nobody(tmp_path, caplog):
    with open_rig(tmp_path, lamp=BrokenLamp) as rig:
        rig.companion.new_match(("Anna", "Ben"))
        rig.lamp.loose = True
        play_a_turn(rig.companion)
        play_a_turn(rig.companion)

        assert rig.scores == [1000, 1000]
        assert rig.companion.snapshot().troubles == ("BrokenLamp: GPIO busy",)
        assert len(caplog.messages) == 1
        rig.lamp.loose = False
        play_a_turn(rig.companion)
        rig.companion._ask(lambda: None)
        assert rig.companion.snapshot().troubles == ()


def test_one_output_that_fails_does_not_silence_the_others():
    heard = []

    class Output:
        def show(self, indicator, words):
            heard.append(words)

        def close(self):
            raise OSError("gone")

    class Broken(Output):
        def show(self, indicator, words):
            raise OSError("GPIO busy")

    outputs = Signals(Broken(), Output())
    outputs.show(None, "hello")
    outputs.close()

    assert heard == ["hello"]
    assert outputs.trouble == "Broken: GPIO busy"


@pytest.mark.parametrize("pins", [{"green_pin": 22}, {"lamp": "one", "red_pin": 17}])
def test_a_pin_that_is_in_use_already_leaves_lamp_or_button_out(tmp_path, pins):
    options = PlayOptions(camera="usb:97", state=str(tmp_path), **pins)
    with open_upkeep(options) as upkeep:
        assert "already in use" in upkeep.companion.troubles.output
        assert levels(upkeep)["lamp"] == "warning"
        upkeep.companion.new_match(("Anna", "Ben"))
        assert upkeep.companion.hold(0.1).match is not None
        assert play_a_turn(upkeep.companion).match.state.players[0].score == 1000


def test_damage_is_spoken_too(tmp_path):
    with open_rig(tmp_path, damage="The journal was damaged. More of it.") as rig:
        assert rig.companion.snapshot().message.startswith("The journal was damaged. Throw one")


def test_a_message_comes_within_a_moment_even_where_the_camera_opens_for_ever(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(camera_thread, "HUNG_S", 0.5)
    free = Event()

    def open_camera():
        free.wait(PATIENCE_S)
        return SimulatedTray(seed=1)

    def let_go(s):
        if "it hangs" in s.message:
            free.set()
        return s.camera is not None

    with open_rig(tmp_path, open_camera=open_camera) as rig:
        assert rig.until(let_go).camera == "simulated tray"
