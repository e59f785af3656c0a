"""Opponents to practise with: bots that play best, or like a person, and handicaps."""
