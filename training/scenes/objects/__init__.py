"""Foreign objects: everyday things that lie in and around a tray."""
