"""The GPIO pins for the button, the lamp and the buzzer; the voice; and the connection to systemd."""
