"""Pins, button, lamp, buzzer, voice, and systemd."""
