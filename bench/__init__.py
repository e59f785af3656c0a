"""Benchmarks for developers. `traykeeper bench` runs them from a checkout; the installed packages do not contain them."""
