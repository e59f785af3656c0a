"""Training of the neural networks that Traykeeper uses, and the rendering of the images for it."""
