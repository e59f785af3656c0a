"""Longer limits for what the parts of Traykeeper wait for."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from device.calibrating import wizard, wizard_camera
from device.coach import coach
from device.commands import doctor
from device.companion import companion
from device.doctor import system
from tests.waiting import COACH_PATIENCE_S, PATIENCE_S


@contextmanager
def patient_parts() -> Iterator[None]:
    """Raise the limits of the companion, the coach, the doctor and the calibration within the block."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(companion, "ANSWER_S", PATIENCE_S)
        patch.setattr(coach, "ANSWER_S", COACH_PATIENCE_S)
        patch.setattr(doctor, "ANSWER_S", PATIENCE_S)
        patch.setattr(system, "COMMAND_TIMEOUT_S", PATIENCE_S)
        patch.setattr(wizard, "PAGE_S", PATIENCE_S)
        for limit in ("FRAME_S", "FOCUS_S", "SETTLE_S"):
            patch.setattr(wizard_camera, limit, PATIENCE_S)
        yield
