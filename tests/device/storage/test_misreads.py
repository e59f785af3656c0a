"""Pictures of corrected throws are kept if that is allowed, and never affect the match."""

import json
from contextlib import closing
from dataclasses import replace
from io import BytesIO
from zipfile import ZipFile

import numpy as np
import pytest
from click.testing import CliRunner

from device.cli import cli
from device.errors import UsageError
from device.session.tray_reader import TrayReading
from device.storage import misreads as module
from device.storage.misreads import MisreadStore, Truth
from device.watching.reports import CapturedReading
from game.commands import CorrectDie, CorrectThrow, EnterThrow, KeepDice, Redo, StartMatch, Undo
from game.situation import Situation, TableError
from tests.device.rig import open_rig
from vision import Quad
from vision.dataset import Outcome, load_cases
from vision.reading import Die, Reading

IMAGE = np.random.default_rng(1).integers(0, 255, (300, 400, 3), np.uint8)
TRAY = Quad(((10.0, 10.0), (390.0, 10.0), (390.0, 290.0), (10.0, 290.0)))
READING = Reading((Die(4, 100.0, 100.0, 40.0, 40.0, 0.0, 0.99),))
RIGHT, WRONG = Truth((4,), (4,), all_found=True), Truth((5,), (5,), all_found=True)
THROW = (1, 2, 3, 3, 4, 6)


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "corrections"


@pytest.fixture
def store(folder):
    with closing(MisreadStore(folder)) as store:
        store.set_enabled(on=True)
        yield store


def picture():
    return CapturedReading(1, TrayReading(READING), IMAGE, (TRAY,))


def kept(store):
    """Return the files on the card after all waiting pictures have been written."""
    store._writer.submit(lambda: None).result()
    return [path.name for path in store._pictures()]


def unpacked(store):
    store._writer.submit(lambda: None).result()
    return ZipFile(BytesIO(b"".join(store.zip_parts())))


def test_nothing_is_kept_before_it_is_allowed(folder):
    with closing(MisreadStore(folder)) as store:
        store.record(picture(), WRONG)

        assert not store.status().on
        assert kept(store) == []
    assert not folder.exists()


def test_the_switch_and_the_pictures_survive_a_restart(folder, store):
    store.record(picture(), WRONG)
    kept(store)
    with closing(MisreadStore(folder)) as again:
        assert again.status().on
        again.record(picture(), WRONG)

        assert kept(again) == ["000001.jpg", "000002.jpg"]
        again.set_enabled(on=False)
        again.record(picture(), WRONG)
        assert len(kept(again)) == 2


def test_a_picture_that_was_read_correctly_is_not_kept(store):
    store.record(picture(), RIGHT)
    store.record(picture(), None)

    assert kept(store) == []


def test_a_picture_is_kept_once_with_its_last_correction(store):
    seen = picture()
    for faces in ((5,), (6,)):
        store.record(seen, Truth(faces, faces, all_found=True))
        store.record(seen, Truth(faces, faces, all_found=True))
    store.record(seen, None)

    assert kept(store) == ["000001.jpg"]
    (label,) = unpacked(store).read("labels.jsonl").decode().splitlines()
    assert json.loads(label)["values"] == [6]


def test_a_correction_that_is_undone_leaves_nothing(store):
    seen = picture()
    store.record(seen, WRONG)
    store.record(seen, RIGHT)

    assert kept(store) == []


@pytest.mark.usefixtures("in_1970")
def test_pictures_can_be_saved_whatever_the_clock_says(store):
    store.record(picture(), Truth((6,), (6,), all_found=True))

    assert unpacked(store).namelist() == ["000001.jpg", "labels.jsonl"]


def test_the_benchmark_reads_the_unpacked_zip(store, tmp_path):
    store.record(picture(), WRONG)
    unpacked(store).extractall(tmp_path / "pictures")
    (case,) = load_cases(tmp_path / "pictures")

    assert (case.values, case.tray) == ((5,), TRAY)
    assert case.true_value(READING.dice[0]) == 5
    assert case.outcome(READING) is Outcome.SILENT
    run = ["bench", "vision", "--failures", str(tmp_path / "wrong"), "--pictures"]
    answer = CliRunner().invoke(cli, [*run, str(tmp_path / "pictures")])
    assert "1 of 1 pictures not right" in answer.output
    listed = ["read", "--json", "--list", str(tmp_path / "pictures" / "labels.jsonl")]
    assert json.loads(CliRunner().invoke(cli, listed).output)["file"] == "000001.jpg"


@pytest.mark.parametrize("label", [None, "{", "{}", '{"file": 1, "tray": 2, "values": 3}'])
def test_a_folder_with_invalid_labels_is_refused_in_one_line(tmp_path, label):
    if label is not None:
        (tmp_path / "labels.jsonl").write_text(label)
    run = ["bench", "vision", "--failures", str(tmp_path / "wrong"), "--pictures", str(tmp_path)]
    refusal = CliRunner().invoke(cli, run).exception

    assert isinstance(refusal, UsageError)
    assert "labels.jsonl" in str(refusal)


@pytest.mark.parametrize("bounds", [{"max_pictures": 2}, {"max_bytes": 300_000}])
def test_the_oldest_pictures_are_deleted_first(folder, bounds):
    with closing(MisreadStore(folder, **bounds)) as store:
        store.set_enabled(on=True)
        for _ in range(4):
            store.record(picture(), WRONG)

        assert kept(store) == ["000003.jpg", "000004.jpg"]
        assert len(list(folder.glob("*.json"))) == 2


def test_all_pictures_are_deleted_and_numbers_continue(store):
    store.record(picture(), WRONG)
    kept(store)
    assert store.status().size_bytes > 50_000
    store.delete_all()
    assert (store.status().pictures, store.status().on) == (0, True)
    store.record(picture(), WRONG)

    assert kept(store) == ["000002.jpg"]


def test_a_picture_that_cannot_be_deleted_is_reported(folder, store):
    store.record(picture(), WRONG)
    (name,) = kept(store)
    (folder / name).with_suffix(".json").unlink()
    (folder / name).with_suffix(".json").mkdir()

    with pytest.raises(TableError, match="That cannot be deleted"):
        store.delete_all()


def test_a_full_disk_keeps_no_pictures_and_nothing_else_fails(store, monkeypatch):
    monkeypatch.setattr(module, "SPARE_BYTES", 1 << 62)
    store.record(picture(), WRONG)

    assert kept(store) == []


def test_a_switch_that_cannot_be_saved_is_reported(tmp_path):
    (tmp_path / "corrections").touch()
    with closing(MisreadStore(tmp_path / "corrections")) as store:
        with pytest.raises(TableError, match="cannot be saved"):
            store.set_enabled(on=True)
        store.record(picture(), WRONG)


def test_the_label_of_a_cropped_picture_has_the_places_in_that_picture(store):
    store.record(replace(picture(), zones=(), offset_px=(60, 30)), WRONG)
    label = json.loads(unpacked(store).read("labels.jsonl"))

    assert label["boxes"] == [[20.0, 50.0, 40.0, 40.0, 5]]
    assert (label["read"]["dice"][0]["x"], label["read"]["dice"][0]["y"]) == (40.0, 70.0)


def test_a_correction_at_the_table_is_recorded_and_removed_by_undo(tmp_path, store):
    with open_rig(tmp_path, misreads=store) as rig:
        rig.companion.do(StartMatch(("Anna", "Ben")))
        snapshot = rig.throw(*THROW)
        assert kept(store) == []
        four = next(i for i, die in enumerate(snapshot.photo.dice) if die.value == 4)
        rig.companion.do(CorrectDie(snapshot.photo.id, four, 5))

        assert kept(store) == ["000001.jpg"]
        label = json.loads(unpacked(store).read("labels.jsonl"))
        assert label["values"] == [1, 2, 3, 3, 5, 6]
        assert label["boxes"][four][4] == 5
        assert sorted(label["read"]["values"]) == list(THROW)
        rig.companion.do(Undo())
        assert kept(store) == []
        rig.companion.do(Redo())
        assert kept(store) == ["000001.jpg"]
        rig.companion.do(CorrectThrow((1, 2, 3, 3, 5, 5)))
        rig.companion.do(KeepDice((1,)))
        label = json.loads(unpacked(store).read("labels.jsonl"))
        assert label["values"] == [1, 2, 3, 3, 5, 5]


def test_dice_entered_for_an_unsure_picture_become_its_truth(tmp_path, store, monkeypatch):
    def one_missing(readings):
        return replace(readings[0], dice=readings[0].dice[1:])

    monkeypatch.setattr("device.watching.tray_watch.combine_readings", one_missing)
    with open_rig(tmp_path, misreads=store) as rig:
        rig.companion.do(StartMatch(("Anna", "Ben")))
        assert rig.throw(*THROW).situation is Situation.ATTENTION
        rig.companion.do(EnterThrow(THROW))

        label = json.loads(unpacked(store).read("labels.jsonl"))
        assert label["values"] == list(THROW)
        assert not label["all_found"]


def test_a_correction_succeeds_if_the_store_fails(tmp_path, store, monkeypatch):
    monkeypatch.setattr("device.storage.misreads.truth", lambda *_: 1 / 0)
    with open_rig(tmp_path, misreads=store) as rig:
        rig.companion.do(StartMatch(("Anna", "Ben")))
        rig.throw(*THROW)
        rig.companion.do(CorrectThrow((1, 2, 3, 3, 5, 6)))

        assert rig.state.turn.last.dice == (1, 2, 3, 3, 5, 6)


def test_foreign_files_in_the_folder_are_left_alone(folder, store):
    for name in ("holiday.jpg", "1a.jpg", "7.jpg"):
        (folder / name).write_bytes(b"mine")
    store.record(picture(), WRONG)
    assert kept(store) == ["000001.jpg"]
    store.delete_all()

    assert (folder / "holiday.jpg").exists()
