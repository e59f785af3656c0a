"""Rendering: from a scene to light, and from light to the image that a camera delivers."""
