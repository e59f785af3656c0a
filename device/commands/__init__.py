"""The commands of the command line, one per file. Each is loaded only when it is called."""
