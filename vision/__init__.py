"""From a frame to a Reading: numpy and OpenCV, no camera, no game."""

from vision.reader import read
from vision.reading import Die, Problem, Quad, Reading, Zone

__all__ = ["Die", "Problem", "Quad", "Reading", "Zone", "read"]
