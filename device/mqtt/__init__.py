"""The tray's connection to an MQTT broker, on which the tray publishes messages without losing any.

The match never waits for the broker. The journal is the queue (docs/decisions/journal-to-broker.md). paho-mqtt (the extra `traykeeper[mqtt]`) is imported only in
`client`, and only if a broker is set.
"""
