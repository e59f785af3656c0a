"""Rendering of scenes as linear light, and of light as the image that a camera delivers."""
