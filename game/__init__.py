"""The rules of the table: pure Python, no I/O but journal.py."""
