"""Where everything lies and what it looks like: pure numbers."""
