"""The program beside the tray: camera, button, lamp, command line, and the companion that joins them."""
