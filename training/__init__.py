"""Training of the neural networks that Traykeeper uses, and rendering of the images that they are trained on."""
