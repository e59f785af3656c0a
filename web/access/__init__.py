"""Who may change anything, and from where."""
