"""Fitting camera, tray and dice to each other: the calibration and the profile it makes."""
