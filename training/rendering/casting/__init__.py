"""Ray casting in code that numba compiles."""
