"""What is read from and written to a terminal, and how texts and numbers are put for it."""
