"""The club board: every tray of a club night on one screen, and the results the club has collected.

The board only reads from trays. `device.club_board` connects it to them over MQTT.
docs/decisions/board-folds-steps.md explains why the board stores every step.
"""
