"""The tray on an MQTT broker: the messages it publishes, and how none of them is lost.

The table never waits for the broker. paho-mqtt (the extra `traykeeper[mqtt]`) is imported only in
`client`, and only if a broker is set.
"""
