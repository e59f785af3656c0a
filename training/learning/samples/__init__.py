"""Samples: what the networks see while they learn, and the right answers."""
