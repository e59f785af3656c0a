"""Chances and reviews, worked out in a process of its own."""
