"""The look of dice: their bodies and pips, drawn at random."""
