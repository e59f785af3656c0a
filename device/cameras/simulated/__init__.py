"""A tray with dice that are painted: what plays where there is no camera."""
