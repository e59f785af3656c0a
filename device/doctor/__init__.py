"""`traykeeper doctor`: what could be wrong with this appliance, each with its remedy."""
