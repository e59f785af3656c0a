"""`traykeeper play` on a machine on which decoding a picture takes longer: `slow_play.py SECONDS play ...`."""

import sys
import time
from importlib.metadata import entry_points

import cv2

DELAY_S = float(sys.argv.pop(1))


def slowed(decode):
    def slow(*args, **options):
        time.sleep(DELAY_S)
        return decode(*args, **options)

    return slow


if __name__ == "__main__":
    cv2.imdecode = slowed(cv2.imdecode)
    (command,) = entry_points(group="console_scripts", name="traykeeper")
    command.load()()
