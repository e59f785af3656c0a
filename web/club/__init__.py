"""The club board: every tray of an evening on one screen, and what the club remembers.

It listens, and asks for what it missed; how words come and go (MQTT) is `device.club_board`'s part.
"""
