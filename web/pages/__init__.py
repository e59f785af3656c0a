"""The pages of a tray: scoreboard, past matches, printouts, and the drawings on them."""
