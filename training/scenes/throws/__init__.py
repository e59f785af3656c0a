"""Throws: dice that physics brought to rest."""
