"""The program that runs next to the tray: camera, button, lamp, command line, and the companion that connects them."""
