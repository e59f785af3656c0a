"""What networks are shown, and what they should say to it."""
