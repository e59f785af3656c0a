"""What the journal says of players, dice and luck."""
