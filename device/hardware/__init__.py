"""Pins, button, lamp, buzzer, voice, and the service manager."""
