"""Training of networks on images, and tests of the trained networks."""
