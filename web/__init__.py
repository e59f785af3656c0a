"""The web pages, the event stream and the HTTP API."""
