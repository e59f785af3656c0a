"""The tray on an MQTT broker: what it tells there, and how nothing is lost on the way.

The table never waits for any of it. paho-mqtt (the extra `traykeeper[mqtt]`) is imported in
`link` alone, and only when a broker is set.
"""
