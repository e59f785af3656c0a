"""Permissions: who may change the match, and which requests the server accepts at all."""
