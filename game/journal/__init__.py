"""What is told is kept: the matches of a table in one file, in the order in which they happened."""
