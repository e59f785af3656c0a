"""The checks of `traykeeper doctor`, each with its remedy."""
