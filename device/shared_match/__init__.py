"""A match that players at two trays play together, each with their own dice.

Each tray writes the steps of its own players to its journal and sends them to the other tray, which checks
them and writes them to its own journal. Only the tray of the current player may add a step, so the two journals
never disagree; while the trays cannot reach each other, one journal may be a few steps behind.
docs/decisions/two-trays.md explains why.
"""
