"""The rules of a game as data, and the scoring of throws under them."""
