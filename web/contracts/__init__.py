"""What the pages and the API need from the companion, as data classes and protocols."""
