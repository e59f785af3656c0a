"""The GPIO pins with button, lamp and buzzer, the voice, and the connection to systemd."""
