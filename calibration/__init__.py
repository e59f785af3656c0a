"""Calibration of one tray, one camera and one set of dice."""
