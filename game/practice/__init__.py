"""Opponents to practise with: bots that play as well as possible or like a person, and handicaps.

docs/decisions/bots.md explains how bots decide, and what the journal stores of them.
"""
