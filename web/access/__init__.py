"""Permissions: who may change the match, and which requests the server accepts at all.

docs/decisions/scorekeeper.md explains why one phone is the scorekeeper, and how it proves this right.
"""
