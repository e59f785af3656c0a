"""Statistics and highlights of matches."""
