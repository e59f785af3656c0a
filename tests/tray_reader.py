"""A `device.session.tray_reader.TrayReader` without a tray: the test supplies the readings."""


class FakeTrayReader:
    """Counts requests, and notes what it is told.

    Attributes:
        requests: Number of the newest request.
        last_tumble_s: When dice were last seen rolling.
        notes: When the accepted readings were taken, and what was retracted or discarded, in order.
    """

    has_tumbled, is_moving = True, False

    def __init__(self):
        self.requests = 0
        self.last_tumble_s = float("-inf")
        self.notes = []

    def request_reading(self, *, needs_motion=False, since_s=None, is_unprompted=False):
        self.requests += 1
        return self.requests

    def cancel_request(self):
        pass

    def mark_accepted(self, time_s=None):
        self.notes.append(time_s)

    def retract_accepted(self):
        self.notes.append("retracted")

    def surely_tumbled_since(self, time_s):
        return self.last_tumble_s > time_s

    def discard_readings(self, since_s=0.0):
        self.notes.append("discarded")
