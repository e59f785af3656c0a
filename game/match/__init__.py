"""A match: what happened, where it stands, and what may happen next."""
