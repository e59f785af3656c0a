"""The meaning of presses, holds and readings, without threads, hardware or a clock.

docs/decisions/same-dice.md explains how a press recognises dice that were not thrown.
"""
