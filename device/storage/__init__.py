"""Files next to the journal: backups, the recovery of a journal, pictures of throws, misreads and the scorekeeper."""
