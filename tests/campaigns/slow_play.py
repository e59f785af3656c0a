"""`traykeeper play` on a machine on which decoding a picture takes longer: `slow_play.py SECONDS play ...`."""

import sys
import time

import cv2

from device.cli import main

DELAY_S = float(sys.argv.pop(1))


def slowed(decode):
    def slow(*args, **options):
        time.sleep(DELAY_S)
        return decode(*args, **options)

    return slow


if __name__ == "__main__":
    cv2.imdecode = slowed(cv2.imdecode)
    main()
