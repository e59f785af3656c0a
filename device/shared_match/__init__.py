"""A match that players at two trays play together, each with their own dice.

Either tray writes the steps of its own players to its journal and sends them to the other tray, which checks
them and writes them to its journal. Only the tray of the player on turn may add a step, so the two journals
never disagree; while the trays cannot reach each other, one is a few steps behind.
"""
