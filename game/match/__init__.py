"""Matches: what happened, the current state, and what may happen next."""
