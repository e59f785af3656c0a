"""The journal: all matches of a table in one file, in the order in which things happened."""
