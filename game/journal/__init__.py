"""The journal: all matches of a table in one file, in the order in which things happened.

docs/decisions/journal.md explains the format and how it survives a power cut.
"""
