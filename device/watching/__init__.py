"""The tray watch, which detects motion and stillness in the tray and reads dice at rest."""
