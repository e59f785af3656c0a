"""The companion of one table: joins camera, button, lamp, match and pages on one thread."""

from device.companion.companion import Companion

__all__ = ("Companion",)
