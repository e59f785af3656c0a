"""Foreign objects: everyday objects that lie in and around a tray."""
