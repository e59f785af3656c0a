"""Rendering of scenes as linear light, and conversion of this light to the image that a camera delivers."""
