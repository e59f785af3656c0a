"""The files next to the journal (backups, pictures, misreads, the scorekeeper's file), and recovery of the journal."""
