"""The data classes and protocols through which the pages and the API use the companion."""
