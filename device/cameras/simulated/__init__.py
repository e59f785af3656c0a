"""A simulated tray with painted dice, used where there is no camera."""
