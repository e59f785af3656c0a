"""Images of faces from earlier throws at a table, as a second opinion about new throws.

docs/decisions/known-table.md explains when a face is remembered, and when it is forgotten.
"""
