"""The thread that looks at the tray: when it is still, what lay there last, and a reading of it."""
