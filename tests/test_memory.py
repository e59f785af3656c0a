"""The evening that `scripts/memory.py` measures; a refused step ends it, because the table would be wrong."""

import pytest

from device.app import PlayOptions, serving
from scripts import memory
from tests.patient_parts import patient_parts


@pytest.fixture
def phone(tmp_path):
    state = str(tmp_path)
    options = PlayOptions(camera="sim", host="127.0.0.1", port=0, state=state, seed=1, roll_s=0.3)
    with patient_parts(), serving(options) as (_, server):
        yield memory.Phone(f"http://127.0.0.1:{server.port}/", state)


def test_the_script_calibrates_and_saves_the_profile(phone, tmp_path):
    memory.calibrate(phone)

    assert (tmp_path / "calibration.toml").exists()


def test_the_phone_of_the_script_may_download_a_backup(phone):
    phone.own()

    assert phone.get("backup") == {}


def test_a_refused_step_ends_the_script_with_its_reason(phone):
    with pytest.raises(SystemExit) as told:
        phone.must("calibration/learn")

    assert str(told.value).startswith("calibration/learn is refused (409): The tray is empty")
