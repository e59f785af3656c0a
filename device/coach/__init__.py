"""The coach: chances of winning and reviews of past matches, computed in a separate process.

docs/decisions/coach-aside.md explains why.
"""
