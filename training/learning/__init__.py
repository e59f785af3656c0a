"""From pictures to networks."""
