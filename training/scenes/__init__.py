"""Scenes as plain numbers: where everything lies, and what it looks like."""
