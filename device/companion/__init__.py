"""The companion of one table, which connects the camera, the button, the lamp, the match and the pages."""

from device.companion.companion import Companion

__all__ = ("Companion",)
