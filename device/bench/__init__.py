"""How fast it is, beside a reference in the same run."""
