"""Training samples: the inputs of the networks, and the correct outputs."""
