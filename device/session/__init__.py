"""What a press, a hold and a reading mean at the table: no threads, no pins, no clock of its own."""
