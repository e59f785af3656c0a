"""The page, the live stream and the HTTP API."""
