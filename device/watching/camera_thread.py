"""The thread that owns the camera."""

from threading import Event, Thread

from device.watching.tray_watch import TrayWatch

JOIN_S = 5.0
"""Longer than a camera takes for a picture; one that hangs is left behind."""


class CameraThread:
    """Takes the steps of a `TrayWatch`, each when it is due."""

    def __init__(self, watch: TrayWatch) -> None:
        self._watch = watch
        self._stop = Event()
        self._thread = Thread(target=self._run, name="camera", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        """Stop, and give the camera back."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(timeout=JOIN_S)

    def _run(self) -> None:
        while not self._stop.wait(self._watch.step()):
            pass
        self._watch.close()
