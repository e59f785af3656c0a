"""Grounds: covers of floors and walls, and outlines of trays."""
