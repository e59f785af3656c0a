"""Opponents to practise with: bots that play as well as possible or like a person, and handicaps."""
