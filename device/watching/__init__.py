"""The tray watch, which detects motion and stillness in the tray and reads dice at rest.

Dice are usually read before somebody presses the button (docs/decisions/read-ahead.md).
"""
