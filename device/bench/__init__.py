"""What `traykeeper bench fit` measures on this machine."""
