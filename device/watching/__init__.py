"""The watch over the tray: motion, stillness, and readings of dice at rest."""
