"""The surface materials of floors and walls, and the outlines of trays."""
