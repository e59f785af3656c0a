"""The files next to the journal (backups, pictures, misreads, the scorekeeper's file), and recovery of the journal.

docs/decisions/journal.md explains the recovery, and docs/decisions/corrections.md which pictures of misreads are kept.
"""
