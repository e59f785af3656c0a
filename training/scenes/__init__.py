"""Random scenes for training, as plain data: where everything lies, and what it looks like."""
