"""The pages of a tray: scoreboard, past matches, printouts, and the drawings on them.

docs/decisions/first-screen.md explains the scoreboard on a phone, and docs/decisions/sections-over-the-stream.md why the
server pushes it as HTML.
"""
