"""Files beside the journal: backups, pictures of throws, what was misread, who holds the pencil."""
