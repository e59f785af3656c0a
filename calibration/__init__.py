"""What is known of this tray, this camera and this set of dice."""
