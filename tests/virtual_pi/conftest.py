"""Real kernel interfaces, a real systemd: `make test-pi`, not part of `make test`."""

import os

collect_ignore_glob = [] if os.environ.get("TRAYKEEPER_VIRTUAL_PI") else ["test_*.py"]
