"""The doctor's check of a real broker."""

import pytest

from device.commands.doctor import broker as check
from device.doctor.problems import Level
from device.doctor.system import Machine, System
from device.settings import Settings
from tests.mosquitto import mosquitto, needs_mosquitto

pytestmark = needs_mosquitto


def system(folder, **settings):
    return System(Machine(folder), Settings(**settings), None, None, None, installed=False)


@pytest.mark.parametrize("tls", [False, True])
def test_a_broker_that_accepts_the_connection_is_ok(tmp_path, tls):
    with mosquitto(tmp_path / "broker", tls=tls) as there:
        found = check(system(tmp_path, **there.settings()))

    assert found.level is Level.OK
    assert str(found.line) == f"connected to mqtt{'s' if tls else ''}://localhost:{there.port}"


def test_a_wrong_password_and_a_missing_broker_are_failures(tmp_path):
    with mosquitto(tmp_path / "broker") as there:
        settings = system(tmp_path, **there.settings())
        there.secret.write_text('user = "club"\npassword = "wrong"\n')
        refused = check(settings)
    gone = check(settings)

    assert refused.level is gone.level is Level.FAILED
    assert "refuses the user name or password" in str(refused.line)
    assert "no broker answers at" in str(gone.line)
    assert "the match continues" not in f"{refused.line} {gone.line}"


def test_no_broker_is_skipped_and_a_wrong_address_is_a_failure(tmp_path):
    assert check(system(tmp_path)).level is Level.SKIPPED
    assert "mqtt://" in str(check(system(tmp_path, mqtt="pub.local")).line)
