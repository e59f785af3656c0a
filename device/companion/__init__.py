"""The companion of one table, which connects the camera, the button, the lamp, the match and the pages.

The companion is one thread with one inbox; docs/decisions/one-thread.md explains why.
"""

from device.companion.companion import Companion

__all__ = ("Companion",)
