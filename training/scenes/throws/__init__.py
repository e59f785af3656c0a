"""Simulated throws, and the library that stores them after the dice have come to rest."""
