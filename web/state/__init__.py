"""The state of the table as JSON."""
