import bench.web
import device.bench
from bench.web import command
from tests.patient_parts import patient_parts
from tests.waiting import PATIENCE_S, until


class PatientCompanion:
    """A companion that waits after each action until the phones have received it.

    While a phone is slow, the stream leaves out all snapshots but the newest.
    """

    def __init__(self, companion, phones):
        self._companion, self._phones = companion, phones
        until(lambda: companion.snapshot().camera is not None)

    def do(self, action):
        snapshot = self._companion.do(action)
        until(lambda: all(snapshot.version in phone.received_s for phone in self._phones))
        return snapshot


def test_every_phone_receives_every_action(capsys, monkeypatch):
    def measure_delays(companion, connected, actions):
        return device.bench.measure_delays(
            PatientCompanion(companion, connected), connected, actions
        )

    monkeypatch.setattr(device.bench, "GRACE_S", PATIENCE_S)
    monkeypatch.setattr(bench.web, "measure_delays", measure_delays)
    with patient_parts():
        assert command.callback(phones=5, seconds=3) == 0

    output = capsys.readouterr().out
    assert "action to the last of 5 phones" in output
    assert "0 snapshots missed" in output
