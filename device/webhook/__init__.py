"""The webhook: each step of a match is sent to another program over HTTP.

The journal is the queue, as for the MQTT broker; docs/events.md describes the requests,
and docs/decisions/events.md explains the choice.
"""
