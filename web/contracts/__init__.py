"""What the pages need of the device."""
