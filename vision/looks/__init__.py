"""How faces looked in earlier throws at a table."""
