"""From a scene to light, and from light to what a camera hands over."""
