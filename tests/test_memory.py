"""The evening that is measured: what is refused there stops it, or the table would be of less work."""

import pytest

from device.app import PlayOptions, serving
from scripts import memory


@pytest.fixture
def phone(tmp_path):
    state = str(tmp_path)
    options = PlayOptions(camera="sim", host="127.0.0.1", port=0, state=state, seed=1, roll_s=0.3)
    with serving(options) as (_, server):
        yield memory.Phone(f"http://127.0.0.1:{server.port}/", state)


def test_the_camera_is_fitted_to_the_tray_and_the_profile_kept(phone, tmp_path):
    memory.calibrate(phone)

    assert (tmp_path / "calibration.toml").exists()


def test_a_backup_may_go_to_it(phone):
    phone.own()

    assert phone.get("backup") == {}


def test_a_step_that_is_refused_is_told_with_its_reason(phone):
    with pytest.raises(SystemExit) as told:
        phone.must("calibration/learn")

    assert str(told.value).startswith("calibration/learn is refused (409): The tray is empty")
