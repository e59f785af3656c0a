"""Teaching: where the networks of the reader come from."""
