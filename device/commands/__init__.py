"""The commands of the command line, one per file. Each is loaded when it is called."""
