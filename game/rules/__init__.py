"""The rules of a table as data, and what a throw brings under them."""
