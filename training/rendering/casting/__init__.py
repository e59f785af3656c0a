"""The ray caster's inner loops, which numba compiles."""
