"""The tray's connection to an MQTT broker: the messages that it publishes, and how none of them is lost.

The match never waits for the broker. paho-mqtt (the extra `traykeeper[mqtt]`) is imported only in
`client`, and only if a broker is set.
"""
