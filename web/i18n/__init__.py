"""English, German, French and Spanish."""
