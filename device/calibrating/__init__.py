"""The calibration of a camera, its tray and the dice, and the profile that stores the result."""
