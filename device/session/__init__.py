"""The meaning of presses, holds and readings, without threads, hardware or a clock."""
