"""Benchmarks for developers. `traykeeper bench` runs them in a checkout; the installed packages do not contain them."""
