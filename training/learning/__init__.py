"""Learning: from images to networks."""
