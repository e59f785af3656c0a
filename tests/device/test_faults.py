"""When something breaks, the companion says what to do, continues, and loses nothing that it has shown."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Event

import pytest

from device.app import PlayOptions, open_maintenance
from device.companion import companion
from device.hardware.outputs import RgbLamp, Signals
from device.watching import tray_watch
from device.watching.camera_link import HUNG_S, LOST_S
from device.watching.tray_watch import BURST_FRAMES
from game.commands import AcknowledgeDamage, Bank, EnterThrow, Hold, StartMatch, Undo
from game.errors import JournalError
from game.message import Message, Paragraph
from game.situation import Situation, TableError
from tests.device import disks
from tests.device.rig import open_rig
from tests.waiting import PATIENCE_S
from vision.reader import read

THOUSAND = (1, 1, 1, 2, 3, 4)
COMMAND = [str(Path(sys.executable).with_name("traykeeper"))]


@contextmanager
def table(folder):
    """A companion without a camera in this folder, with its maintenance."""
    options = PlayOptions(camera="usb:97", state=str(folder), frames_mb=0)
    with open_maintenance(options) as maintenance:
        yield maintenance


def levels(maintenance):
    return {str(check.name): check.level for check in maintenance.health()}


def play_a_turn(companion):
    companion.do(EnterThrow(THOUSAND))
    return companion.do(Bank())


def scores(companion):
    return [player.score for player in companion.snapshot().match.state.players]


def test_a_full_disk_refuses_steps_until_there_is_room_again(tmp_path):
    with disks.small_disk(tmp_path / "disk") as disk, table(disk) as maintenance:
        companion = maintenance.companion
        companion.do(StartMatch(("Anna", "Ben")))
        play_a_turn(companion)
        filler = disks.fill(disk)
        with pytest.raises(JournalError, match="is the disk full or read-only"):  # noqa: PT012
            while True:  # steps are accepted while SQLite's log has room
                play_a_turn(companion)
        told = scores(companion)
        with pytest.raises(JournalError, match="disk is full"):
            companion.do(Undo())

        assert scores(companion) == told
        assert levels(maintenance)["journal"] == "failed"
        assert "is the disk full" in str(companion.snapshot().troubles[0])
        filler.unlink()
        situation = play_a_turn(companion).situation
        assert situation in (Situation.TURN_OVER, Situation.WON)
        assert companion.snapshot().troubles == ()
        told = scores(companion)
        companion.close()
        maintenance.journal.close()
        with table(disk) as again:
            assert scores(again.companion) == told


def test_a_start_on_a_full_disk_says_what_is_wrong(tmp_path):
    with disks.small_disk(tmp_path / "disk") as disk:
        with table(disk) as maintenance:
            maintenance.companion.do(StartMatch(("Anna", "Ben")))
            play_a_turn(maintenance.companion)
        filler = disks.fill(disk)
        done = run_play(disk)

        assert done.returncode == 2
        assert "is the disk full or read-only?" in done.stderr.splitlines()[-1]
        assert "Traceback" not in done.stderr
        filler.unlink()
        with table(disk) as maintenance:
            assert scores(maintenance.companion) == [1000, 0]


def test_a_start_on_a_read_only_disk_fails_in_one_line(tmp_path):
    with disks.small_disk(tmp_path / "disk") as disk:
        with table(disk) as maintenance:
            maintenance.companion.do(StartMatch(("Anna", "Ben")))
            play_a_turn(maintenance.companion)
        disks.remount_read_only(disk)
        done = run_play(disk)

        assert done.returncode == 2
        assert "is the disk full or read-only?" in done.stderr.splitlines()[-1]
        assert "Traceback" not in done.stderr


def test_a_card_that_fails_in_mid_turn_loses_nothing_that_was_shown(tmp_path):
    told = []
    with disks.card(tmp_path / "card") as disk, table(disk) as maintenance:
        companion = maintenance.companion
        companion.do(StartMatch(("Anna", "Ben")))
        for _ in range(5):
            told = [player.score for player in play_a_turn(companion).match.state.players]
        disks.kill(disk)
        with pytest.raises(JournalError, match="the journal cannot be used"):
            play_a_turn(companion)

        assert scores(companion) == told
        assert levels(maintenance)["journal"] == "failed"
    image = tmp_path / "card.img"
    with disks.mounted(tmp_path / "again", "-o", "loop", image) as disk, table(disk) as maintenance:
        assert scores(maintenance.companion) == told


def run_play(folder):
    return subprocess.run(
        [*COMMAND, "play", "--camera", "usb:97", "--port", "0", "--state", str(folder)],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )


def test_a_second_companion_on_one_folder_is_refused(tmp_path):
    with table(tmp_path) as maintenance:
        maintenance.companion.do(StartMatch(("Anna", "Ben")))
        done = run_play(tmp_path)

        assert done.returncode == 2
        assert done.stderr == (
            f"traykeeper: {tmp_path}: another Traykeeper is using this folder: "
            "stop it, or choose another folder with --state\n"
        )
        assert play_a_turn(maintenance.companion).match.state.players[0].score == 1000


def test_a_damaged_journal_is_announced_and_play_continues(tmp_path):
    with table(tmp_path) as maintenance:
        maintenance.companion.do(StartMatch(("Anna", "Ben")))
        play_a_turn(maintenance.companion)
        maintenance.backups.make()
        play_a_turn(maintenance.companion)
    pages = bytearray((tmp_path / "journal.db").read_bytes())
    for at in range(2 * 4096 - 50, len(pages), 4096):  # where SQLite begins to fill a page
        pages[at] ^= 0xFF
    (tmp_path / "journal.db").write_bytes(pages)
    with table(tmp_path) as maintenance:
        companion = maintenance.companion

        assert "Check the scores before you play on" in str(companion.snapshot().troubles[0])
        assert levels(maintenance)["journal"] == "warning"
        assert scores(companion)[0] == 1000
        assert companion.do(AcknowledgeDamage()).troubles == ()
        assert levels(maintenance)["journal"] == "ok"
        play_a_turn(companion)


def test_a_hung_camera_is_reported_and_the_match_continues(rig):
    rig.companion.do(StartMatch(("Anna", "Ben")))
    rig.clock.now_s += HUNG_S + 1  # the watch takes no step in the meantime
    rig.companion.process_next(0)
    lost = rig.companion.snapshot()
    assert lost.camera is None
    assert "is not responding" in str(lost.message)
    assert "is not responding" in str(rig.companion.troubles.camera)
    assert rig.companion.do(EnterThrow(THOUSAND)).situation is Situation.ACCEPTED

    rig.until(lambda s: s.camera is not None)
    assert rig.companion.troubles.camera is None


def test_slow_readings_are_not_reported_as_a_hung_camera(tmp_path, monkeypatch):
    hung = []
    with open_rig(tmp_path, burst_frames=BURST_FRAMES) as rig:
        watch = rig.watch

        def read_slowly(*what, **how):
            rig.clock.now_s += HUNG_S - 1
            hung.append(watch.link.is_hung)
            return read(*what, **how)

        monkeypatch.setattr(tray_watch, "read", read_slowly)
        rig.companion.do(StartMatch(("Anna", "Ben")))
        rig.throw(*THOUSAND)

        assert hung == [False] * BURST_FRAMES
        assert rig.companion.snapshot().situation is Situation.ACCEPTED


def test_later_messages_stay_while_the_camera_is_retried_and_return_when_it_is_back(
    tmp_path,
):
    with open_rig(tmp_path) as rig:
        session, reason = rig.companion.session, Message("its pictures are black")
        rig.companion.do(StartMatch(("Anna", "Ben")))
        session.camera_lost(reason)
        assert "No camera (its pictures are black)" in str(session.table.message)
        session.camera_found()
        assert "No camera" not in str(session.table.message)

        session.camera_lost(reason)
        rig.companion.do(EnterThrow((2, 2, 3, 3, 4, 6)))
        said = str(session.table.message)
        session.camera_lost(reason)
        assert (str(session.table.message), "farkle" in said) == (said, True)
        session.camera_found()
        assert str(session.table.message) == said

        rig.finger.press()
        rig.companion.process_all()
        session.camera_lost(reason)
        session.camera_found()
        assert str(session.table.message) == "The camera is working again: press the button."


class SlowLamp(RgbLamp):
    """A lamp that shows nothing until it may go on."""

    def __init__(self, pins):
        super().__init__(pins)
        self.is_hanging, self.may_go_on = Event(), Event()
        self.may_go_on.set()

    def show(self, indicator, words="", **changes):
        if not self.may_go_on.is_set():
            self.is_hanging.set()
            self.may_go_on.wait()


@contextmanager
def hanging_companion(folder, **options):
    """A companion whose thread hangs while it shows the first throw of a match; and the asked throw."""
    with open_rig(folder, open_camera=None, opened=False, lamp=SlowLamp, **options) as rig:
        rig.companion.do(StartMatch(("Anna", "Ben")))
        rig.companion.start()
        rig.lamp.may_go_on.clear()
        phones = ThreadPoolExecutor(1)
        first = phones.submit(rig.companion.do, EnterThrow(THOUSAND))
        assert rig.lamp.is_hanging.wait(PATIENCE_S)
        try:
            yield rig, first
        finally:
            rig.lamp.may_go_on.set()
            phones.shutdown()


def test_a_command_that_was_refused_because_the_table_is_busy_is_not_carried_out_later(
    tmp_path, monkeypatch
):
    with hanging_companion(tmp_path) as (rig, first):
        monkeypatch.setattr(companion, "ANSWER_S", 0.05)
        with pytest.raises(TableError, match="Traykeeper is busy"):
            rig.companion.do(Undo())
        rig.lamp.may_go_on.set()
        first.result(PATIENCE_S)
        last = rig.companion.announce("http://tray.local/")

        assert [each.dice for each in last.match.timeline] == [THOUSAND]


def test_the_companion_notifies_the_watchdog_while_it_runs_and_not_while_it_hangs(tmp_path):
    beats = []
    with hanging_companion(tmp_path, on_pass=lambda: beats.append(1)) as (rig, _):
        before = len(beats)
        Event().wait(1.5)
        assert len(beats) == before
        rig.lamp.may_go_on.set()
        rig.companion.announce("http://tray.local/")

        assert len(beats) > before


class BrokenLamp(RgbLamp):
    """A lamp with a loose wire."""

    loose = False

    def show(self, indicator, words="", **changes):
        if self.loose:
            raise OSError("GPIO busy")
        super().show(indicator, words, **changes)


def test_a_failing_lamp_is_logged_once_and_play_continues(tmp_path, caplog):
    with open_rig(tmp_path, lamp=BrokenLamp) as rig:
        rig.companion.do(StartMatch(("Anna", "Ben")))
        rig.lamp.loose = True
        play_a_turn(rig.companion)
        play_a_turn(rig.companion)

        assert rig.scores == [1000, 1000]
        assert [*map(str, rig.companion.snapshot().troubles)] == ["BrokenLamp: GPIO busy"]
        assert len(caplog.messages) == 1
        rig.lamp.loose = False
        play_a_turn(rig.companion)
        rig.companion.announce("")
        assert rig.companion.snapshot().troubles == ()


def test_one_output_that_fails_does_not_silence_the_others():
    heard = []

    class Output:
        def show(self, indicator, words, **changes):
            heard.append(words)

        def close(self):
            raise OSError("gone")

    class Broken(Output):
        def show(self, indicator, words, **changes):
            raise OSError("GPIO busy")

    outputs = Signals(Broken(), Output())
    outputs.show(None, "hello")
    outputs.close()

    assert heard == ["hello"]
    assert [*map(str, outputs.troubles)] == ["Broken: GPIO busy"]


@pytest.mark.parametrize("pins", [{"green_pin": 22}, {"lamp": "one", "red_pin": 17}])
def test_a_pin_in_use_leaves_out_the_lamp_or_the_button(tmp_path, pins):
    options = PlayOptions(camera="usb:97", state=str(tmp_path), **pins)
    with open_maintenance(options) as maintenance:
        assert "already in use" in str(maintenance.companion.troubles.output)
        assert levels(maintenance)["lamp"] == "warning"
        maintenance.companion.do(StartMatch(("Anna", "Ben")))
        assert maintenance.companion.do(Hold(0.1)).match is not None
        assert play_a_turn(maintenance.companion).match.state.players[0].score == 1000


def test_damage_of_the_journal_is_part_of_the_first_message(tmp_path):
    damage = Paragraph(Message("The journal was damaged."), Message("More of it."))
    with open_rig(tmp_path, damage=damage) as rig:
        assert str(rig.companion.snapshot().message).startswith(
            "The journal was damaged. Each throw one"
        )


def test_a_camera_that_hangs_while_it_opens_is_reported(tmp_path):
    with open_rig(tmp_path, opened=False) as rig:
        rig.clock.now_s += HUNG_S + 1
        rig.companion.process_next(0)
        assert "is not responding" in str(rig.companion.snapshot().message)

        assert rig.until(lambda s: s.camera is not None).camera == "simulated tray"


def test_a_camera_that_only_a_new_process_can_use_makes_the_companion_restart(tmp_path):
    restarts = []
    with open_rig(tmp_path, restart=lambda: restarts.append(1)) as rig:
        rig.companion.process_next(0)
        assert not restarts
        rig.clock.now_s += LOST_S + 1
        rig.companion.process_next(0)

        assert restarts
