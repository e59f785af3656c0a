"""Fitting camera and tray to each other, and noticing when they no longer fit."""
