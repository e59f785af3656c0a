"""The appearance of dice: their bodies and pips, drawn at random."""
