"""What `traykeeper play` puts together."""

from device.play import Options, open_companion
from web.table import Situation


def test_a_camera_that_is_not_there_stops_nobody(tmp_path):
    options = Options(camera="usb:97", state=str(tmp_path))
    with open_companion(options) as companion:
        snapshot = companion.new_match(("Anna", "Ben"))
        while snapshot.lamp.meaning.startswith("starting"):
            snapshot = companion.wait(snapshot.version, 5) or companion.snapshot()
        snapshot = companion.dice((1, 1, 1, 2, 3, 4))

    assert snapshot.camera is None
    assert snapshot.situation is Situation.ACCEPTED
