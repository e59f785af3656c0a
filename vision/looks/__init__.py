"""Images of faces from earlier throws at a table, as a second opinion about new throws."""
