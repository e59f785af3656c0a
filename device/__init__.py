"""Camera, button, lamp and the companion loop that joins the rooms."""
